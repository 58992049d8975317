import fc from 'fast-check';
import { InvalidData, InvalidParameter } from '@lethe/core';
import { describe, expect, it } from 'vitest';
import { designMatrix, type Design } from './design.js';
import type { DesignSpec } from './design-spec.js';
import { tableFrom, type Table } from './table.js';

const table = tableFrom([
  ['distance', Float64Array.of(0, 1000, 9000)],
  ['date', Float64Array.of(Date.UTC(2001, 0, 1, 3), Date.UTC(2001, 0, 2, 12), Date.UTC(2001, 0, 6, 18))],
  ['origin', ['LAX', 'SFO', 'XXX']],
  ['delay', Float64Array.of(-5, 15, 1500)],
]);
type Feature = DesignSpec['features'][number];

const label = { column: 'delay' };
const rowsOf = ({ features, rows, columns }: Pick<Design, 'features' | 'rows' | 'columns'>): number[][] =>
  Array.from({ length: rows }, (_, row) => {
    if (!('rowStarts' in features)) return Array.from({ length: columns }, (_one, j) => features.get(row, j));
    const out = Array.from({ length: columns }, () => 0);
    for (let k = features.rowStarts[row]; k < features.rowStarts[row + 1]; k++)
      out[features.columnIndices[k]] = features.values[k];
    return out;
  });

describe('designMatrix', () => {
  it('holds only what differs from zero where it is sparse, and the same numbers', () => {
    for (const rowNormBound of [undefined, 1.2]) {
      const design: DesignSpec = {
        features: [
          { column: 'distance', encoding: 'scale', lower: 0, upper: 2000 },
          { column: 'origin', encoding: 'one-hot', levels: ['SFO', 'LAX', 'JFK'] },
          { column: 'date', part: 'hour', encoding: 'cyclic', harmonics: 2 },
          { column: 'distance', encoding: 'bins', edges: [1, 1000] },
        ],
        label,
        ...(rowNormBound === undefined ? {} : { rowNormBound }),
      };
      const dense = designMatrix(table, design);
      const sparse = designMatrix(table, { ...design, sparse: true });
      expect(rowsOf(sparse)).toEqual(rowsOf(dense).map((row) => row.map((x) => x + 0)));
      expect(sparse.facts).toEqual(dense.facts);
      expect(sparse.facts.sparsity).toBe(1 + 1 + 1 + 4 + 1);
      for (const row of rowsOf(dense))
        expect(row.filter((x) => x !== 0).length).toBeLessThanOrEqual(dense.facts.sparsity);
      expect('rowStarts' in sparse.features && sparse.features.values.includes(0)).toBe(false);
    }
  });

  it('scales, clips, wraps and marks by declared bounds', () => {
    const design = designMatrix(table, {
      features: [
        { column: 'distance', encoding: 'scale', lower: 0, upper: 2000 },
        { column: 'distance', encoding: 'scale', transform: 'log1p', lower: 0, upper: Math.expm1(2) },
        { column: 'date', part: 'hour', start: 4, encoding: 'scale', lower: 0, upper: 24 },
        { column: 'date', part: 'hour', encoding: 'cyclic' },
        { column: 'origin', encoding: 'one-hot', levels: ['SFO', 'LAX'] },
        { column: 'date', part: 'weekday', encoding: 'one-hot', levels: [1, 2] },
        { column: 'distance', encoding: 'bins', edges: [1, 1000] },
      ],
      label,
    });
    expect(design.featureNames).toEqual([
      'intercept',
      'distance',
      'distance',
      'date.hour',
      'sin 1 date.hour',
      'cos 1 date.hour',
      'origin=SFO',
      'origin=LAX',
      'date.weekday=1',
      'date.weekday=2',
      'distance[0]',
      'distance[1]',
      'distance[2]',
    ]);
    const half = Math.SQRT1_2;
    const expected = [
      [1, -1, -1, 2 * (23 / 24) - 1, half, half, 0, 1, 1, 0, 1, 0, 0],
      [1, 0, 1, 2 * (8 / 24) - 1, 0, -1, 1, 0, 0, 1, 0, 0, 1],
      [1, 1, 1, 2 * (14 / 24) - 1, -1, 0, 0, 0, 0, 0, 0, 0, 1],
    ];
    rowsOf(design).forEach((row, index) =>
      row.forEach((value, at) => expect(value).toBeCloseTo(expected[index][at], 14)),
    );
    expect([...design.labels]).toEqual([-5, 15, 1500]);
    expect(design.facts.rowNorm).toBeCloseTo(Math.sqrt(8), 12);
    expect(design.facts.rowNorm).toBeGreaterThanOrEqual(Math.sqrt(8));
    expect(design.facts.labelBounds).toEqual([-Infinity, Infinity]);
  });

  it('keeps public units where asked to, and says how large the columns may be', () => {
    const design = designMatrix(table, {
      features: [
        { column: 'distance', encoding: 'scale', lower: 0, upper: 3000, unit: 1 },
        { column: 'distance', encoding: 'scale', lower: 0, upper: 3000, unit: 1000, offset: 1000 },
        {
          column: 'delay',
          encoding: 'scale',
          transform: 'log1p',
          lower: 0,
          upper: Math.expm1(2),
          unit: 0.5,
          offset: 1,
        },
        { column: 'origin', encoding: 'one-hot', levels: ['SFO'] },
      ],
      label,
      intercept: false,
    });
    expect(rowsOf(design).map((row) => row.map((x) => Math.round(x * 1e9) / 1e9))).toEqual([
      [0, -1, -2, 0],
      [1000, 0, 2, 1],
      [3000, 2, 2, 0],
    ]);
    expect(design.facts.featureBounds.map((pair) => pair.map((x) => Math.round(x * 1e9) / 1e9))).toEqual([
      [0, 3000],
      [-1, 2],
      [-2, 2],
      [0, 1],
    ]);
    expect(design.facts.rowNorm).toBeCloseTo(Math.sqrt(9e6 + 4 + 4 + 1), 6);
  });

  it('makes numeric, threshold and equality labels', () => {
    const features = [{ column: 'distance', encoding: 'scale', lower: 0, upper: 1 } as const];
    expect([
      ...designMatrix(table, { features, label: { column: 'delay', offset: 15, unit: 10 } }).labels,
    ]).toEqual([-2, 0, 148.5]);
    expect([...designMatrix(table, { features, label: { column: 'delay', threshold: 15 } }).labels]).toEqual([
      -1, -1, 1,
    ]);
    expect([...designMatrix(table, { features, label: { column: 'origin', equals: 'SFO' } }).labels]).toEqual(
      [-1, 1, -1],
    );
    expect(
      designMatrix(table, { features, label: { column: 'delay', threshold: 15 } }).facts.labelBounds,
    ).toEqual([-1, 1]);
  });

  it('holds its row norm and entry bounds for every record', () => {
    const number = fc.oneof(
      fc
        .tuple(fc.integer({ min: -9999, max: 9999 }), fc.integer({ min: -300, max: 300 }))
        .map(([m, e]) => Number(`${m}e${e}`)),
      fc.constantFrom(0, -0, 5e-324, Number.MAX_VALUE, -Number.MAX_VALUE),
    );
    const instant = fc.integer({ min: -8.64e15, max: 8.64e15 });
    const bounds = fc.tuple(number, number).filter(([a, b]) => a < b && Number.isFinite(b - a));
    const scale = bounds.map(([lower, upper]) => ({ column: 'x', encoding: 'scale', lower, upper }) as const);
    const unit = fc
      .tuple(fc.integer({ min: 1, max: 99 }), fc.integer({ min: -100, max: 100 }))
      .map(([m, e]) => m * 10 ** e);
    const within = fc.tuple(
      fc.integer({ min: -9999, max: 9999 }),
      fc.integer({ min: 1, max: 9999 }),
      unit,
      unit,
    );
    const inUnits = within
      .map(
        ([from, width, size, by]) =>
          ({
            column: 'x',
            encoding: 'scale',
            lower: from * size,
            upper: (from + width) * size,
            unit: by,
            offset: size,
          }) as const,
      )
      .filter(({ lower, upper, unit: by, offset }) => {
        const most = Math.max(Math.abs(lower - offset), Math.abs(upper - offset)) / by;
        return most < 1e150 && most > 1e-130;
      });
    const log = bounds
      .filter(([lower, upper]) => lower >= 0 && Math.log1p(upper) > Math.log1p(lower))
      .map(
        ([lower, upper]) => ({ column: 'x', encoding: 'scale', transform: 'log1p', lower, upper }) as const,
      );
    const cyclic = fc
      .tuple(fc.integer({ min: 1, max: 5 }), fc.constantFrom(7, 1e-300, 0.1, 1e300))
      .map(([harmonics, period]) => ({ column: 'x', encoding: 'cyclic', harmonics, period }) as const);
    const clock = fc.constantFrom<Feature>(
      { column: 't', part: 'minute-of-day', encoding: 'cyclic' },
      { column: 't', part: 'day-of-year', start: 100, encoding: 'bins', edges: [30, 60] },
    );
    const spec = fc.record({
      features: fc.array(fc.oneof<fc.Arbitrary<Feature>[]>(scale, inUnits, log, cyclic, clock), {
        minLength: 1,
        maxLength: 6,
      }),
      label: fc.constant({ column: 'x' }),
      intercept: fc.boolean(),
      rowNormBound: fc.constantFrom(undefined, 1e-3, 1, 1.5, 100),
    });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(number, instant), { minLength: 1, maxLength: 5 }),
        spec,
        (records, description) => {
          const data = tableFrom([
            ['x', Float64Array.from(records, ([x]) => x)],
            ['t', Float64Array.from(records, ([, t]) => t)],
          ]);
          const design = designMatrix(data, description);
          expect(design.facts.rowNorm).toBeLessThanOrEqual(description.rowNormBound ?? Infinity);
          for (const row of rowsOf(design)) {
            expect(exactlyWithin(row, design.facts.rowNorm)).toBe(true);
            row.forEach((value, at) => {
              const [lower, upper] = design.facts.featureBounds[at];
              expect(value >= lower && value <= upper).toBe(true);
            });
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  it('gives a record a row that no other record changes', () => {
    const values = fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 2, maxLength: 6 });
    const spec: DesignSpec = {
      features: [
        { column: 'x', encoding: 'scale', lower: -10, upper: 30 },
        { column: 'x', encoding: 'cyclic', period: 24 },
      ],
      label: { column: 'x' },
      rowNormBound: 1,
    };
    fc.assert(
      fc.property(values, values, (mine, others) => {
        const together = rowsOf(
          designMatrix(tableFrom([['x', Float64Array.from([...others, ...mine])]]), spec),
        ).slice(others.length);
        expect(together).toEqual(rowsOf(designMatrix(tableFrom([['x', Float64Array.from(mine)]]), spec)));
      }),
    );
  });

  it('takes records in a given order, each at most once', () => {
    const spec: DesignSpec = {
      features: [{ column: 'distance', encoding: 'scale', lower: 0, upper: 10_000 }],
      label,
    };
    expect([...designMatrix(table, spec, { order: Uint32Array.of(2, 0) }).labels]).toEqual([1500, -5]);
    for (const order of [[], [0, 0], [3]])
      expect(() => designMatrix(table, spec, { order: Uint32Array.from(order) })).toThrow(InvalidParameter);
  });

  it('writes into storage of the caller, whatever it held', () => {
    const arena = new Float64Array(20).fill(NaN);
    let used = 0;
    const allocate = (length: number): Float64Array => arena.subarray(used, (used += length));
    const design = designMatrix(
      table,
      { features: [{ column: 'origin', encoding: 'one-hot', levels: ['LAX'] }], label, intercept: false },
      { allocate },
    );
    expect('data' in design.features && design.features.data.buffer).toBe(arena.buffer);
    expect([...arena.subarray(0, 6)]).toEqual([1, 0, 0, -5, 15, 1500]);
  });

  const scaleOf = (column: string): Feature => ({ column, encoding: 'scale', lower: 0, upper: 1 });
  it.each<[string, unknown]>([
    ['no feature', { features: [], label }],
    ['bounds the wrong way round', { features: [{ ...scaleOf('distance'), lower: 2 }], label }],
    ['an infinite bound', { features: [{ ...scaleOf('distance'), upper: Infinity }], label }],
    ['a bound that is no number', { features: [{ ...scaleOf('distance'), lower: NaN }], label }],
    ['an infinite width', { features: [{ ...scaleOf('distance'), lower: -1.7e308, upper: 1.7e308 }], label }],
    [
      'a logarithm below its domain',
      { features: [{ ...scaleOf('distance'), transform: 'log1p', lower: -1 }], label },
    ],
    [
      'bounds that a logarithm merges',
      {
        features: [
          { ...scaleOf('distance'), transform: 'log1p', lower: 1e300, upper: 1.0000000000000002e300 },
        ],
        label,
      },
    ],
    ['a unit of zero', { features: [{ ...scaleOf('distance'), unit: 0 }], label }],
    ['an offset without a unit', { features: [{ ...scaleOf('distance'), offset: 1 }], label }],
    ['a unit too small for the bounds', { features: [{ ...scaleOf('distance'), unit: 1e-200 }], label }],
    ['a unit too large for the bounds', { features: [{ ...scaleOf('distance'), unit: 1e200 }], label }],
    [
      'a unit in which the bounds are one',
      { features: [{ ...scaleOf('distance'), unit: 1, offset: 1e30 }], label },
    ],
    ['no period', { features: [{ column: 'distance', encoding: 'cyclic' }], label }],
    [
      'a repeated level',
      { features: [{ column: 'origin', encoding: 'one-hot', levels: ['a', 'a'] }], label },
    ],
    ['mixed levels', { features: [{ column: 'origin', encoding: 'one-hot', levels: ['a', 1] }], label }],
    ['falling edges', { features: [{ column: 'distance', encoding: 'bins', edges: [2, 1] }], label }],
    ['an unknown encoding', { features: [{ column: 'distance', encoding: 'spline' }], label }],
    ['an unknown key', { features: [scaleOf('distance')], label, standardise: true }],
    [
      'two label forms',
      { features: [scaleOf('distance')], label: { column: 'delay', unit: 2, threshold: 1 } },
    ],
    ['a norm bound of zero', { features: [scaleOf('distance')], label, rowNormBound: 0 }],
  ])('refuses %s', (_, description) => {
    expect(() => designMatrix(table, description as DesignSpec)).toThrow(InvalidParameter);
  });

  it.each<[string, DesignSpec, RegExp]>([
    ['an absent column', { features: [scaleOf('speed')], label }, /no column 'speed'/],
    [
      'text where a number is needed',
      { features: [scaleOf('origin')], label },
      /record 1, column 'origin': LAX is text/,
    ],
    [
      'a text label',
      { features: [scaleOf('distance')], label: { column: 'origin' } },
      /label must be a number/,
    ],
    [
      'numbers where texts are listed',
      { features: [{ column: 'distance', encoding: 'one-hot', levels: ['a'] }], label },
      /levels are text/,
    ],
    [
      'a text value for a number',
      { features: [scaleOf('distance')], label: { column: 'delay', equals: 'late' } },
      /late is text/,
    ],
    [
      'a label that overflows',
      { features: [scaleOf('distance')], label: { column: 'delay', unit: 1e-320 } },
      /record 1, column 'delay': -5 overflows/,
    ],
  ])('refuses %s', (_, description, message) => {
    expect(() => designMatrix(table, description)).toThrow(InvalidData);
    expect(() => designMatrix(table, description)).toThrow(message);
  });

  it('refuses a hand-made table with a number that is not finite, and numbers that are no instants', () => {
    const bad: Table = { names: ['x'], rows: 2, columns: new Map([['x', Float64Array.of(1, NaN)]]) };
    expect(() => designMatrix(bad, { features: [scaleOf('x')], label: { column: 'x' } })).toThrow(
      /record 2, column 'x': NaN is not a finite number/,
    );
    const far = tableFrom([['x', Float64Array.of(1, 1e16)]]);
    expect(() =>
      designMatrix(far, {
        features: [{ column: 'x', part: 'hour', encoding: 'cyclic' }],
        label: { column: 'x' },
      }),
    ).toThrow(/record 2.*not an instant/);
  });
});

/** Whether Σ xᵢ² ≤ bound² over the rationals: doubles are integers over a power of two. */
function exactlyWithin(row: readonly number[], bound: number): boolean {
  const scaled = (value: number): bigint => {
    let exponent = 0;
    let mantissa = value;
    while (!Number.isInteger(mantissa)) {
      mantissa *= 2;
      exponent++;
    }
    return BigInt(mantissa) << BigInt(1100 - exponent);
  };
  return row.reduce((sum, value) => sum + scaled(value) ** 2n, 0n) <= scaled(bound) ** 2n;
}
