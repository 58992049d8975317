import type { DesignSpec } from '@lethe/losses';
import { describe, expect, it } from 'vitest';
import { parseSchema, schemaOfDesign } from '../src/index.js';

const label = { column: 'y', threshold: 0.5 };
const age = { column: 'age', encoding: 'scale', lower: 20, upper: 80 } as const;

describe('the schema of a design', () => {
  it('has its columns in their order, with a label that predicts the same', () => {
    const features: DesignSpec['features'] = [
      age,
      { column: 'at', part: 'hour', encoding: 'cyclic' },
      { column: 'at', part: 'month', encoding: 'cyclic' },
      { column: 'town', encoding: 'one-hot', levels: ['a', 'b'] },
      { column: 'fare', encoding: 'scale', lower: 0, upper: 9, transform: 'log1p' },
    ];
    const columns = {
      age: { type: 'number', lower: 20, upper: 80 },
      at: { type: 'time', parts: ['hour', 'month'] },
      town: { type: 'category', levels: ['a', 'b'] },
      fare: { type: 'number', lower: 0, upper: 9, transform: 'log1p' },
    } as const;
    const schema = { columns, intercept: false, label: { type: 'above', ...label } } as const;
    expect(schemaOfDesign({ features, intercept: false, label })).toStrictEqual(parseSchema(schema));
    const classes = { column: 'y', classes: ['a', 'b', 'c'] };
    expect(schemaOfDesign({ features: [age], label: classes })?.label).toStrictEqual({
      type: 'classes',
      ...classes,
    });
  });

  it.each<[string, DesignSpec]>([
    ['units', { features: [{ ...age, unit: 10 }], label }],
    ['bins', { features: [{ column: 'age', encoding: 'bins', edges: [1] }], label }],
    ['norms that are cut', { features: [age], label, rowNormBound: 1 }],
    ['harmonics', { features: [{ column: 'at', part: 'hour', encoding: 'cyclic', harmonics: 2 }], label }],
    ['one column twice', { features: [age, { ...age, upper: 90 }], label }],
    [
      'columns apart',
      {
        features: [
          { column: 'at', part: 'hour', encoding: 'cyclic' },
          age,
          { column: 'at', part: 'month', encoding: 'cyclic' },
        ],
        label,
      },
    ],
    ['a label in a unit', { features: [age], label: { column: 'y' } }],
    ['two classes by number', { features: [age], label: { column: 'y', classes: [0, 1] } }],
    [
      'a class for all others',
      { features: [age], label: { column: 'y', classes: ['a', 'b', 'c'], other: 3 } },
    ],
    ['a label among the features', { features: [age], label: { column: 'age', threshold: 1 } }],
  ])('is none for %s', (_, design) => {
    expect(schemaOfDesign(design)).toBe(null);
  });
});
