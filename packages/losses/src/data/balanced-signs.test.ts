import { InvalidParameter, seededRandom } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { syntheticData } from './generators.js';
import type { SyntheticSpec } from './synthetic-spec.js';

const scale = fc
  .tuple(fc.integer({ min: 1, max: 999 }), fc.integer({ min: -30, max: 30 }))
  .map(([digits, exponent]) => digits * 10 ** exponent);
const signs = (
  rows: number,
  columns: number,
  of: number | number[] | undefined,
  seed: number,
): ReturnType<typeof syntheticData> =>
  syntheticData(
    { rows, columns, features: { law: 'balanced-signs', ...(of === undefined ? {} : { scale: of }) } },
    seededRandom(seed),
  );

describe('balanced signs', () => {
  it('are plus or minus the scale of their column, in pairs of rows that cancel exactly', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.array(scale, { minLength: 1, maxLength: 6 }),
        fc.integer(),
        (pairs, scales, seed) => {
          const {
            features: { data: features },
            rows,
            columns,
          } = signs(2 * pairs, scales.length, scales, seed);
          expect([rows, columns]).toEqual([2 * pairs, scales.length]);
          for (let k = 0; k < features.length; k++) expect(Math.abs(features[k])).toBe(scales[k % columns]);
          for (let row = 0; row < rows; row += 2)
            for (let j = 0; j < columns; j++)
              expect(features[row * columns + j] + features[(row + 1) * columns + j]).toBe(0);
        },
      ),
    );
  });

  it('are fair and independent from entry to entry', () => {
    const { data: features } = signs(40_000, 3, 1, 5).features;
    // Means of 20 000 fair signs: Hoeffding, at 1e-9 for each of six.
    const allowed = Math.sqrt((2 * Math.log(12e9)) / 20_000);
    const mean = (of: (row: number) => number): number =>
      Array.from({ length: 20_000 }, (_, pair) => of(6 * pair)).reduce((a, b) => a + b, 0) / 20_000;
    for (let j = 0; j < 3; j++) {
      expect(Math.abs(mean((at) => features[at + j]))).toBeLessThan(allowed);
      expect(Math.abs(mean((at) => features[at + j] * features[at + ((j + 1) % 3)]))).toBeLessThan(allowed);
    }
  });

  it('know their moments, by column where scales differ, and are a function of the source', () => {
    expect(signs(2, 2, 3, 1).facts.feature).toEqual({ mean: 0, second: 9, fourth: 81 });
    expect(signs(2, 2, undefined, 1).facts.feature).toEqual({ mean: 0, second: 1, fourth: 1 });
    expect(signs(2, 2, [1, 3], 1).facts).toMatchObject({
      feature: [
        { mean: 0, second: 1, fourth: 1 },
        { mean: 0, second: 9, fourth: 81 },
      ],
      minimalRisk: 0.5,
    });
    expect(signs(10, 2, [1, 3], 1)).toEqual(signs(10, 2, [1, 3], 1));
    expect(signs(100, 2, [1, 3], 1).features).not.toEqual(signs(100, 2, [1, 3], 2).features);
  });

  it.each<[object]>([
    [{ rows: 3 }],
    [{ features: { law: 'balanced-signs', scale: [1] } }],
    [{ features: { law: 'balanced-signs', scale: [] } }],
    [{ features: { law: 'balanced-signs', scale: [1, 0] } }],
    [{ features: { law: 'balanced-signs', scale: -1 } }],
    [{ features: { law: 'balanced-signs', scale: NaN } }],
    [{ response: { kind: 'linear', noise: { law: 'balanced-signs' } } }],
  ])('refuse %j', (change) => {
    expect(() =>
      syntheticData(
        { rows: 4, columns: 2, features: { law: 'balanced-signs' }, ...change } as SyntheticSpec,
        seededRandom(1),
      ),
    ).toThrow(InvalidParameter);
  });
});
