import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidParameter } from '../errors.js';
import { box, type Domain, intersectBall, l1Ball, l2Ball, simplex, wholeSpace } from './index.js';
import { vectorNorm } from './vectors.js';

const nearest = ({ nearestInMaxNormInto }: Domain, point: Float64Array): Float64Array => {
  if (nearestInMaxNormInto === undefined) throw new Error('the set has no nearest point in the maximum norm');
  return nearestInMaxNormInto(new Float64Array(point.length), point);
};
const apart = (a: Float64Array, b: Float64Array): number =>
  vectorNorm(
    a.map((x, j) => x - b[j]),
    'linf',
  );

/** The least `r` at which `norm(max(0, |v| − r)) ≤ radius`, by bisection. */
function leastDistance(v: Float64Array, norm: 'l1' | 'l2', radius: number): number {
  let [low, high] = [0, vectorNorm(v, 'linf')];
  for (let k = 0; k < 200; k++) {
    const r = (low + high) / 2;
    if (
      vectorNorm(
        v.map((x) => Math.max(0, Math.abs(x) - r)),
        norm,
      ) <= radius
    )
      high = r;
    else low = r;
  }
  return high;
}

const entry = fc.oneof(
  fc.integer({ min: -30, max: 30 }).map((k) => k / 10),
  fc.integer({ min: -1_000_000, max: 1_000_000 }).map((k) => k / 1000),
  fc.constantFrom(1e-9, -1e-12, 1e7),
);

describe('the nearest point in the maximum norm', () => {
  it.each(['l1', 'l2'] as const)('of a ball in %s is at the least distance there is', (norm) => {
    const ball = norm === 'l1' ? l1Ball : l2Ball;
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 8 }).chain((d) =>
          fc.tuple(
            fc.array(entry, { minLength: d, maxLength: d }),
            fc.array(fc.integer({ min: -20, max: 20 }), { minLength: d, maxLength: d }),
            fc.integer({ min: 1, max: 4000 }).map((k) => k / 1000),
          ),
        ),
        ([x, c, radius]) => {
          const [point, centre] = [Float64Array.from(x), Float64Array.from(c)];
          const domain = ball({ radius, centre });
          const p = nearest(domain, point);
          expect(domain.contains(p)).toBe(true);
          const v = point.map((value, j) => value - centre[j]);
          const most = domain.contains(point) ? 0 : leastDistance(v, norm, radius);
          expect(apart(p, point)).toBeLessThanOrEqual(
            most + 2 ** -46 * (vectorNorm(v, 'linf') + vectorNorm(centre, 'linf') + radius),
          );
          expect(nearest(domain, p)).toEqual(p);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('of the unit disc is not the nearest in ℓ2', () => {
    const domain = l2Ball({ dimension: 2, radius: 1 });
    const p = nearest(domain, Float64Array.of(3, 0.5));
    expect(p[0]).toBeCloseTo(1, 14);
    expect(p[1]).toBe(0);
    // (x − r)² + (y − r)² = 1 for x = y + 0.6 at r = 1.4: (0.8, 0.6) is at that distance from (2.2, 2).
    const q = nearest(domain, Float64Array.of(2.2, 2));
    expect(apart(q, Float64Array.of(0.8, 0.6))).toBeLessThan(1e-15);
  });

  it('of boxes and the whole space is the projection; other sets have none', () => {
    const point = Float64Array.of(5, -0.5, -7);
    const cube = box({ lower: new Float64Array(3).fill(-1), upper: new Float64Array(3).fill(1) });
    expect(nearest(cube, point)).toEqual(Float64Array.of(1, -0.5, -1));
    expect(nearest(wholeSpace(3), point)).toEqual(point);
    for (const other of [
      simplex({ dimension: 3, total: 1 }),
      intersectBall(cube, { centre: new Float64Array(3), radius: 1 }),
    ])
      expect(other.nearestInMaxNormInto).toBeUndefined();
  });

  it('refuses what is no point, at every scale', () => {
    for (const domain of [
      l2Ball({ dimension: 2, radius: 1 }),
      l1Ball({ dimension: 2, radius: 1 }),
      wholeSpace(2),
    ])
      for (const bad of [Float64Array.of(1), Float64Array.of(Number.NaN, 0), Float64Array.of(Infinity, 0)])
        expect(() => nearest(domain, bad)).toThrow(InvalidParameter);
    for (const scale of [1e-300, 1e300, 1.5e308]) {
      const domain = l2Ball({ dimension: 2, radius: scale / 4 });
      const p = nearest(domain, Float64Array.of(scale, -scale));
      expect(domain.contains(p)).toBe(true);
      expect(p[0] / scale).toBeCloseTo(Math.SQRT2 / 8, 12);
      expect(p[1]).toBe(-p[0]);
    }
  });
});
