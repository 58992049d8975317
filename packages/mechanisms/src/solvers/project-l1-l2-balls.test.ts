import { intersectBall, l1Ball } from '@lethe/numerics';
import { InvalidParameter, type Vector } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { multiScale, notPositive, positive, vectors } from '../../test/support/arbitraries.js';
import { minus, norm } from '../../test/support/discrete-distribution.js';
import { projectL1L2Balls } from './project-l1-l2-balls.js';

const norm1 = (x: Vector): number => x.reduce((sum, y) => sum + Math.abs(y), 0);
/** Ties and zeros among the entries, radii of every ratio. */
const points = fc.oneof(
  vectors(-2, 2),
  fc
    .array(fc.integer({ min: -3, max: 3 }), { minLength: 1, maxLength: 9 })
    .map((entries) => Float64Array.from(entries)),
);
/** Radii around the norms of the point, so that each ball binds now and then, and often both. */
const problems = fc
  .tuple(points, positive(-2, 0), fc.integer({ min: 90, max: 220 }))
  .map(([point, share, percent]) => {
    const l2Radius = share * (norm(point) || 1);
    return { point, l2Radius, l1Radius: (l2Radius * percent) / 100 };
  });

describe('projectL1L2Balls', () => {
  it('is in both balls, and no point of them lies further towards what is projected', () => {
    let both = 0;
    fc.assert(
      fc.property(
        problems,
        fc.array(fc.array(multiScale(-2, 0), { minLength: 9, maxLength: 9 }), { minLength: 5, maxLength: 5 }),
        ({ point, l1Radius, l2Radius }, others) => {
          const before = point.slice();
          const nearest = projectL1L2Balls(point, { l1Radius, l2Radius });
          expect(point).toEqual(before);
          expect(norm1(nearest)).toBeLessThanOrEqual(l1Radius * (1 + 1e-14));
          expect(norm(nearest)).toBeLessThanOrEqual(l2Radius * (1 + 1e-14));
          if (norm1(nearest) > l1Radius * (1 - 1e-12) && norm(nearest) > l2Radius * (1 - 1e-12)) both++;
          for (const other of others) {
            const direction = Float64Array.from(point, (_, j) => other[j]);
            const scale = Math.min(l1Radius / (norm1(direction) || 1), l2Radius / (norm(direction) || 1));
            const inside = direction.map((x) => x * scale);
            const towards = point.reduce((sum, x, j) => sum + (x - nearest[j]) * (inside[j] - nearest[j]), 0);
            expect(towards).toBeLessThanOrEqual(1e-10 * (norm(point) + l2Radius) * l2Radius);
          }
        },
      ),
      { numRuns: 500 },
    );
    expect(both).toBeGreaterThan(20);
  });

  it('agrees with a search on the multiplier of one ball', () => {
    fc.assert(
      fc.property(problems, ({ point, l1Radius, l2Radius }) => {
        const dimension = point.length;
        const searched = intersectBall(l1Ball({ dimension, radius: l1Radius }), {
          centre: new Float64Array(dimension),
          radius: l2Radius,
        }).projectInto(new Float64Array(dimension), point);
        // Where the boundaries are nearly tangent the search is off by 2^-26.
        expect(norm(minus(projectL1L2Balls(point, { l1Radius, l2Radius }), searched))).toBeLessThanOrEqual(
          1e-6 * l2Radius,
        );
      }),
      { numRuns: 300 },
    );
  });

  it('is that of one ball where the other does not bind, and of huge and tiny points', () => {
    expect(
      norm(
        minus(
          projectL1L2Balls(Float64Array.of(3, 4), { l1Radius: 100, l2Radius: 1 }),
          Float64Array.of(0.6, 0.8),
        ),
      ),
    ).toBeLessThan(1e-15);
    expect(projectL1L2Balls(Float64Array.of(3, 4), { l1Radius: 1, l2Radius: 100 })).toEqual(
      Float64Array.of(0, 1),
    );
    expect(projectL1L2Balls(Float64Array.of(0.1, -0.2), { l1Radius: 1, l2Radius: 1 })).toEqual(
      Float64Array.of(0.1, -0.2),
    );
    const shape = projectL1L2Balls(Float64Array.of(5, 4, 3, -2), { l1Radius: 1.5, l2Radius: 1 });
    expect(shape.filter((x) => x !== 0).length).toBeGreaterThan(2);
    for (const by of [1e300, 1e-250]) {
      projectL1L2Balls(
        Float64Array.of(5, 4, 3, -2).map((x) => x * by),
        { l1Radius: 1.5 * by, l2Radius: by },
      ).forEach((x, j) => expect(x / by).toBeCloseTo(shape[j], 12));
    }
  });

  it('handles ties at special ratios of the radii, and radii a rounding error apart', () => {
    const [half, whole] = [0.2008707109148854, 0.40531132518983226];
    const found = projectL1L2Balls(Float64Array.of(whole, -whole, half, whole), {
      l1Radius: 0.5765424948998703,
      l2Radius: 0.33286696462969856,
    });
    // Here the projection onto the first ball leaves the second by a rounding error.
    [1, -1, 0, 1].forEach((sign, j) => expect(found[j]).toBeCloseTo((sign * 0.5765424948998703) / 3, 14));
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.nat(4),
        fc.integer({ min: -3, max: 3 }),
        positive(-3, 3),
        positive(-3, 0),
        fc.nat(1e6),
        (ties, others, ulps, size, l2Radius, below) => {
          const point = Float64Array.from(
            { length: ties + others },
            (_, j) => (j % 2 === 0 ? 1 : -1) * (j < ties ? size : size * (below / 2e6)),
          );
          const l1Radius = l2Radius * Math.sqrt(ties) * (1 + ulps * 2 ** -52);
          const nearest = projectL1L2Balls(point, { l1Radius, l2Radius });
          expect(norm(nearest)).toBeLessThanOrEqual(l2Radius * (1 + 1e-14));
          expect(norm1(nearest)).toBeLessThanOrEqual(l1Radius * (1 + 1e-14));
          // No farther than the point of both balls that has the ties alone.
          const share = Math.min(size, l2Radius / Math.sqrt(ties), l1Radius / ties);
          const tied = point.map((x, j) => (j < ties ? Math.sign(x) * share : 0));
          expect(norm(minus(point, nearest))).toBeLessThanOrEqual(
            norm(minus(point, tied)) + 1e-12 * norm(point),
          );
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('refuses what is no point and no ball', () => {
    fc.assert(
      fc.property(notPositive, (bad) => {
        expect(() => projectL1L2Balls(Float64Array.of(1, 2), { l1Radius: bad, l2Radius: 1 })).toThrow(
          InvalidParameter,
        );
        expect(() => projectL1L2Balls(Float64Array.of(1, 2), { l1Radius: 1, l2Radius: bad })).toThrow(
          InvalidParameter,
        );
      }),
    );
    for (const bad of [Number.NaN, Infinity])
      expect(() => projectL1L2Balls(Float64Array.of(1, bad), { l1Radius: 1, l2Radius: 1 })).toThrow(
        InvalidParameter,
      );
  });
});
