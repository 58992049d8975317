import { InvalidParameter, meanShape, seededRandom, type RandomSource } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { notPositive, vectorOf } from '../../test/support/arbitraries.js';
import { outcomeTree } from '../../test/support/outcome-tree.js';
import { norm } from '../../test/support/discrete-distribution.js';
import { countSketch, fullestBucketUp } from './count-sketch.js';
import { l2Clip } from '../clips/l2-clip.js';
import { mechanisms } from '../mechanisms.js';
import { gaussian } from '../noise/gaussian.js';
import { clippedMean } from './clipped-mean.js';
import { countSketchMean } from './count-sketch-mean.js';
import type { LinearSketch } from './linear-sketch.js';
import { srhtMean } from './srht-mean.js';
import { srht, walshHadamardInPlace } from './srht.js';

const dot = (a: Float64Array, b: Float64Array): number => a.reduce((sum, x, j) => sum + x * b[j], 0);
const sketches: readonly (readonly [
  string,
  number,
  number,
  (random: RandomSource, dimension: number) => LinearSketch,
  number,
])[] = [
  ['srht, padded', 3, 3, (random, dimension) => srht(random, dimension, 2), (2 * 2) / (2 * 3)],
  ['srht, whole', 4, 4, (random, dimension) => srht(random, dimension, 3), (3 * 1) / (3 * 3)],
  ['srht, all rows', 4, 4, (random, dimension) => srht(random, dimension, 4), 0],
  ['srht, one number', 1, 1, (random, dimension) => srht(random, dimension, 1), 0],
  ['CountSketch', 3, 3, (random, dimension) => countSketch(random, dimension, { rows: 1, width: 2 }), 2 / 2],
  [
    'CountSketch, two rows',
    2,
    2,
    (random, dimension) => countSketch(random, dimension, { rows: 2, width: 3 }),
    1 / 6,
  ],
];

describe.each(sketches)('%s', (_name, dimension, _n, draw, excess) => {
  it('is the identity on average, and as far from it as is said, over all outcomes exactly', () => {
    const z = Float64Array.of(1, -0.5, 2, 0.25).subarray(0, dimension);
    const mean = new Float64Array(dimension);
    let distance = 0;
    const { probabilities, open } = outcomeTree((random) => {
      const sketch = draw(random, dimension);
      return sketch.transpose(sketch.apply(z)).join(' ');
    }, 2 ** -60);
    for (const [text, probability] of probabilities) {
      const estimate = Float64Array.from(text.split(' '), Number);
      estimate.forEach((x, j) => {
        mean[j] += probability * x;
        distance += probability * (x - z[j]) ** 2;
      });
    }
    expect(open).toBe(0);
    mean.forEach((x, j) => expect(x).toBeCloseTo(z[j], 13));
    expect(distance).toBeCloseTo(excess * norm(z) ** 2, 12);
  });

  it('has its transpose as adjoint, and a norm that bounds it', () => {
    fc.assert(
      fc.property(fc.nat(1000), vectorOf(dimension, 0, 0), (seed, x) => {
        const sketch = draw(seededRandom(`sketch ${seed}`), dimension);
        const y = seededRandom(`y ${seed}`).gaussianInto(new Float64Array(sketch.length));
        const sketched = sketch.apply(x);
        expect(sketched.length).toBe(sketch.length);
        expect(Math.abs(dot(sketched, y) - dot(x, sketch.transpose(y)))).toBeLessThanOrEqual(
          1e-12 * (norm(x) + 1) * (norm(y) + 1),
        );
        expect(norm(sketched)).toBeLessThanOrEqual(sketch.norm * norm(x) * (1 + 1e-12));
      }),
    );
  });

  it('takes vectors of its lengths alone', () => {
    const sketch = draw(seededRandom('lengths'), dimension);
    expect(() => sketch.apply(new Float64Array(dimension + 1))).toThrow(InvalidParameter);
    expect(() => sketch.transpose(new Float64Array(sketch.length + 1))).toThrow(InvalidParameter);
  });
});

describe('walshHadamardInPlace', () => {
  it('multiplies by the matrix of signs', () => {
    const parity = (word: number): number => (word === 0 ? 0 : (word & 1) ^ parity(word >>> 1));
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 6 }).chain((bits) => vectorOf(2 ** bits, -1, 1)),
        (x) => {
          const transformed = x.slice();
          walshHadamardInPlace(transformed);
          x.forEach((_, i) =>
            expect(transformed[i]).toBeCloseTo(
              x.reduce((sum, entry, j) => sum + (parity(i & j) === 1 ? -entry : entry), 0),
              9,
            ),
          );
          walshHadamardInPlace(transformed);
          x.forEach((entry, i) => expect(transformed[i]).toBeCloseTo(entry * x.length, 8));
        },
      ),
    );
  });
  it('refuses other lengths', () => {
    for (const length of [0, 3, 6, 12])
      expect(() => walshHadamardInPlace(new Float64Array(length))).toThrow(InvalidParameter);
  });
});

describe('norms', () => {
  it('of a Hadamard sketch without padding is attained everywhere in its range', () => {
    const sketch = srht(seededRandom('range'), 64, 5);
    const y = seededRandom('y').gaussianInto(new Float64Array(5));
    const x = sketch.transpose(y);
    expect(norm(sketch.apply(x)) / norm(x)).toBeCloseTo(Math.sqrt(64 / 5), 12);
    expect(sketch.norm).toBeCloseTo(Math.sqrt(64 / 5), 14);
  });

  it('of a CountSketch of one row is attained by what meets in its fullest bucket', () => {
    const sketch = countSketch(seededRandom('bucket'), 40, { rows: 1, width: 6 });
    const ratios = Array.from({ length: 6 }, (_, bucket) => {
      const x = sketch.transpose(Float64Array.from({ length: 6 }, (_unused, i) => Number(i === bucket)));
      return norm(sketch.apply(x)) / norm(x);
    });
    expect(Math.max(...ratios)).toBeCloseTo(sketch.norm, 12);
  });
});

describe('fullestBucketUp', () => {
  it('bounds the mean over all throws, and is no more than everything', () => {
    for (const [dimension, width] of [
      [1, 1],
      [5, 1],
      [1, 3],
      [6, 2],
      [6, 3],
      [4, 4],
    ] as const) {
      let total = 0;
      for (let throws = 0; throws < width ** dimension; throws++) {
        const loads = Array.from({ length: width }, () => 0);
        for (let j = 0, rest = throws; j < dimension; j++, rest = Math.floor(rest / width))
          loads[rest % width]++;
        total += Math.max(...loads);
      }
      expect(fullestBucketUp(dimension, width)).toBeGreaterThanOrEqual(total / width ** dimension);
      expect(fullestBucketUp(dimension, width)).toBeLessThanOrEqual(dimension);
    }
  });
  it('is small for as many buckets as coordinates, and near the share for few buckets', () => {
    expect(fullestBucketUp(1000, 1000)).toBeLessThan(8);
    expect(fullestBucketUp(1e6, 10)).toBeLessThan(1.01e5);
  });
});

describe('sketched means', () => {
  const mean = (run: ReturnType<typeof srhtMean.begin>, records: readonly Float64Array[]): Float64Array => {
    records.forEach((record, slot) => run.add(slot, record));
    return run.finish(run.value());
  };

  it('with as many rows as the padded dimension are clipped means', () => {
    fc.assert(
      fc.property(fc.array(vectorOf(5, -1, 1), { minLength: 1, maxLength: 5 }), (records) => {
        const shape = meanShape({ dimension: 5, slots: records.length, registry: mechanisms });
        const random = seededRandom('whole');
        const expected = mean(
          clippedMean.begin({ clip: l2Clip({ radius: 2 }), mechanism: gaussian({}) }, shape, random),
          records,
        );
        const found = mean(srhtMean.begin({ radius: 2, rows: 8 }, shape, random), records);
        found.forEach((x, j) => expect(x).toBeCloseTo(expected[j], 13));
      }),
    );
  });

  it('have the closed forms that they say', () => {
    const context = meanShape({ dimension: 5, slots: 4 });
    const moment = { order: 2, value: 1 };
    expect(srhtMean.varianceBound({ radius: 9, rows: 2 }, context, moment, 3)).toBeCloseTo(
      (5 * 8 * 3) / 2 + Math.max((1 + (4 * 6) / (2 * 7)) / 4, (4 * 6) / (2 * 7)),
      12,
    );
    expect(srhtMean.varianceBound({ radius: 9, rows: 8 }, context, moment, 3)).toBeCloseTo(15 + 1 / 4, 12);
    expect(countSketchMean.varianceBound({ radius: 9, rows: 3, width: 1 }, context, moment, 3)).toBeCloseTo(
      5 * 5 * 3 + Math.max((1 + 4 / 3) / 4, 4 / 3),
      12,
    );
    expect(srhtMean.sensitivity({ radius: 9, rows: 2 }, context)['replace-one']).toBeCloseTo(4.5, 10);
  });

  it('refuse more rows than there are, and what is no size', () => {
    expect(() => srhtMean.sensitivity({ radius: 1, rows: 9 }, meanShape({ dimension: 5, slots: 4 }))).toThrow(
      InvalidParameter,
    );
    fc.assert(
      fc.property(notPositive, (bad) => {
        expect(() => srhtMean({ radius: bad, rows: 1 })).toThrow(InvalidParameter);
        expect(() => srhtMean({ radius: 1, rows: bad })).toThrow(InvalidParameter);
        expect(() => countSketchMean({ radius: 1, rows: 1, width: bad })).toThrow(InvalidParameter);
        expect(() => srht(seededRandom('bad'), bad, 1)).toThrow(InvalidParameter);
        expect(() => countSketch(seededRandom('bad'), bad, { rows: 1, width: 1 })).toThrow(InvalidParameter);
        expect(() =>
          countSketchMean.sensitivity(
            { radius: 1, rows: 1, width: 1 },
            meanShape({ dimension: 2, slots: bad }),
          ),
        ).toThrow(InvalidParameter);
      }),
    );
    expect(() => countSketch(seededRandom('large'), 2 ** 20, { rows: 2 ** 20, width: 2 })).toThrow(
      InvalidParameter,
    );
    expect(() => countSketch(seededRandom('wide'), 3, { rows: 2, width: 2 ** 27 })).toThrow('at most 2^27');
    expect(() => countSketchMean({ radius: 1, rows: 1, width: 2 ** 27 + 1 })).toThrow(InvalidParameter);
  });
});
