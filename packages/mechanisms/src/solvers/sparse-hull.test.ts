import { InvalidParameter, seededRandom, type Vector } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { notPositive, positive, vectorOf } from '../../test/support/arbitraries.js';
import { minus, norm } from '../../test/support/discrete-distribution.js';
import { projectL1Ball } from './project-l1-ball.js';
import { projectSparseHull, sparseHullNorm } from './sparse-hull.js';

const dimension = 6;
const norm1 = (x: Vector): number => x.reduce((sum, entry) => sum + Math.abs(entry), 0);
/** The largest product with a point of the hull of radius 1. */
const support = (x: Vector, sparsity: number): number => norm(x.map(Math.abs).toSorted().subarray(-sparsity));
const settings = fc.record({
  point: vectorOf(dimension, -3, 3),
  sparsity: fc.integer({ min: 1, max: dimension + 1 }),
  radius: positive(-6, 3),
});

describe('sparseHullNorm', () => {
  it('is the ℓ1 norm for one entry, the ℓ2 norm for all, and of sparse vectors', () => {
    fc.assert(
      fc.property(vectorOf(dimension, -3, 3), fc.integer({ min: 1, max: dimension }), (x, sparsity) => {
        expect(sparseHullNorm(x, 1) / (norm1(x) || 1)).toBeCloseTo(norm1(x) === 0 ? 0 : 1, 12);
        for (const one of [dimension, dimension + 3])
          expect(sparseHullNorm(x, one) / (norm(x) || 1)).toBeCloseTo(norm(x) === 0 ? 0 : 1, 12);
        const sparse = x.map((entry, j) => (j < sparsity ? entry : 0));
        expect(Math.abs(sparseHullNorm(sparse, sparsity) - norm(sparse))).toBeLessThanOrEqual(
          1e-12 * norm(sparse),
        );
      }),
    );
  });

  it('is the least sum of norms of sparse parts: at most that of any, at least every product', () => {
    fc.assert(
      fc.property(
        vectorOf(dimension, -3, 3),
        vectorOf(dimension, -3, 3),
        fc.constantFrom(2, 3),
        (x, y, s) => {
          let parts = 0;
          for (let from = 0; from < dimension; from += s) parts += norm(x.subarray(from, from + s));
          expect(sparseHullNorm(x, s)).toBeLessThanOrEqual(parts * (1 + 1e-12));
          const product = x.reduce((sum, entry, j) => sum + entry * y[j], 0);
          expect(product).toBeLessThanOrEqual(
            sparseHullNorm(x, s) * support(y, s) * (1 + 1e-12) + Number.MIN_VALUE,
          );
        },
      ),
    );
  });
});

describe('projectSparseHull', () => {
  it('gives a point of the hull, with an obtuse angle to all others', () => {
    fc.assert(
      fc.property(settings, ({ point, sparsity, radius }) => {
        const answer = projectSparseHull(point, { radius, sparsity });
        expect(sparseHullNorm(answer, sparsity)).toBeLessThanOrEqual(radius * (1 + 1e-12));
        const left = minus(point, answer);
        const product = left.reduce((sum, x, j) => sum + x * answer[j], 0);
        const gap = radius * support(left, sparsity) - product;
        expect(gap).toBeLessThanOrEqual(1e-9 * radius * (radius + norm(point)));
      }),
      { numRuns: 500 },
    );
  });

  it('is the projection onto the ℓ1 ball for one entry, and a clip for all', () => {
    fc.assert(
      fc.property(settings, ({ point, radius }) => {
        const slack = 1e-9 * (norm(point) + radius);
        expect(
          norm(minus(projectSparseHull(point, { radius, sparsity: 1 }), projectL1Ball(point, radius).point)),
        ).toBeLessThanOrEqual(slack);
        const by = Math.min(1, radius / (norm(point) || 1));
        expect(
          norm(
            minus(
              projectSparseHull(point, { radius, sparsity: dimension }),
              point.map((x) => x * by),
            ),
          ),
        ).toBeLessThanOrEqual(slack);
      }),
    );
  });

  it('takes many entries, ties and zeros among them', () => {
    const random = seededRandom('hull');
    const point = random.gaussianInto(new Float64Array(20_000)).map((x, j) => {
      if (j % 3 === 0) return 0;
      return j % 3 === 1 ? Math.sign(x) : x;
    });
    for (const sparsity of [1, 10, 5000]) {
      const answer = projectSparseHull(point, { radius: 5, sparsity });
      const left = minus(point, answer);
      const product = left.reduce((sum, x, j) => sum + x * answer[j], 0);
      expect(Math.abs(5 * support(left, sparsity) - product)).toBeLessThan(1e-8 * product);
    }
  });

  it('stays in the hull from as far as doubles reach', () => {
    for (const far of [1e20, 1e100, 1e300]) {
      const answer = projectSparseHull(Float64Array.of(far, -far, far / 2, 0, 1, -1e-300), {
        radius: 1e-280,
        sparsity: 2,
      });
      expect(sparseHullNorm(answer, 2) / 1e-280).toBeCloseTo(1, 12);
      expect(answer[0]).toBe(-answer[1]);
    }
  });

  it('refuses what is no point and no hull', () => {
    const point = Float64Array.of(1, 2);
    fc.assert(
      fc.property(notPositive, (bad) => {
        expect(() => projectSparseHull(point, { radius: bad, sparsity: 1 })).toThrow(InvalidParameter);
        expect(() => projectSparseHull(point, { radius: 1, sparsity: bad })).toThrow(InvalidParameter);
      }),
    );
    for (const bad of [Number.NaN, Infinity])
      expect(() => sparseHullNorm(Float64Array.of(1, bad), 1)).toThrow(InvalidParameter);
    expect(() => sparseHullNorm(new Float64Array(0), 1)).toThrow(InvalidParameter);
    expect(sparseHullNorm(new Float64Array(3), 2)).toBe(0);
  });
});
