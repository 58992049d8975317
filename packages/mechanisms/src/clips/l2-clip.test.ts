import { InvalidParameter } from '@lethe/core';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { notPositive, positive, vectorPairs, vectors } from '../../test/support/arbitraries.js';
import {
  expectation,
  discreteDistributions,
  mean,
  minus,
  momentOf,
  norm,
  type DiscreteDistribution,
} from '../../test/support/discrete-distribution.js';
import { l2Clip } from './l2-clip.js';
import { scaledNorm } from './scaled-norm.js';

const clip = (vector: Float64Array, radius: number): Float64Array => {
  const out = vector.slice();
  l2Clip.clipInPlace({ radius }, out);
  return out;
};
const orders = [2, 2.5, 3, 4, 8] as const;

describe('l2Clip', () => {
  it('keeps the computed norm within the radius and changes nothing the second time', () => {
    fc.assert(
      fc.property(vectors(), positive(), (z, radius) => {
        const once = clip(z, radius);
        expect(scaledNorm(once).root).toBeLessThanOrEqual(radius);
        expect(norm(once)).toBeLessThanOrEqual(radius * (1 + 1e-14));
        expect(clip(once, radius)).toEqual(once);
      }),
    );
  });

  it('leaves vectors inside the ball alone, the sphere included', () => {
    expect(clip(Float64Array.of(3, -4), 5)).toEqual(Float64Array.of(3, -4));
    expect(clip(new Float64Array(3), 1e-300)).toEqual(new Float64Array(3));
    fc.assert(
      fc.property(vectors(), fc.integer({ min: 1, max: 20 }), (z, k) => {
        expect(clip(z, norm(z) * (1 + k / 10) + 1e-9)).toEqual(z);
      }),
    );
  });

  it('moves a vector outside the ball along its ray onto the sphere', () => {
    fc.assert(
      fc.property(vectors(), fc.integer({ min: 1, max: 99 }), (z, percent) => {
        fc.pre(norm(z) > 0);
        const radius = (norm(z) * percent) / 100;
        const clipped = clip(z, radius);
        for (let j = 0; j < z.length; j++)
          expect(Math.abs(clipped[j] - (z[j] * percent) / 100)).toBeLessThanOrEqual(1e-13 * radius);
        expect(norm(clipped)).toBeGreaterThanOrEqual(radius * (1 - 1e-14));
      }),
    );
  });

  it('does not increase distances', () => {
    fc.assert(
      fc.property(vectorPairs(-3, 3), positive(-3, 3), ([y, z], radius) => {
        expect(norm(minus(clip(y, radius), clip(z, radius)))).toBeLessThanOrEqual(
          norm(minus(y, z)) * (1 + 1e-12) + 1e-13 * radius,
        );
      }),
    );
  });

  it('neither overflows nor underflows', () => {
    const sizes = fc.constantFrom(-320, -300, -160, -150, 0, 150, 160, 300, 307);
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 1, maxLength: 6 }),
        sizes,
        sizes,
        (entries, size, radiusSize) => {
          const z = Float64Array.from(entries, (x) => (x / 10) * 10 ** size);
          const radius = 10 ** radiusSize;
          const clipped = clip(z, radius);
          const ratio = norm(Float64Array.from(z, (x) => x / radius));
          expect(clipped.every(Number.isFinite)).toBe(true);
          expect(norm(clipped)).toBeLessThanOrEqual(radius * (1 + 1e-14));
          if (ratio < 0.999999) expect(clipped).toEqual(z);
          else if (radius > 1e-305 && ratio > 1.000001)
            expect(norm(clipped)).toBeGreaterThanOrEqual(radius * (1 - 1e-12));
        },
      ),
    );
    expect(norm(clip(Float64Array.of(Number.MAX_VALUE, Number.MAX_VALUE), 1))).toBeCloseTo(1, 14);
    expect(norm(clip(Float64Array.of(1e-310, 1e-310), Number.MIN_VALUE))).toBeLessThanOrEqual(
      Number.MIN_VALUE,
    );
  });

  it('turns a vector with an entry that is not finite into zero', () => {
    fc.assert(
      fc.property(vectors(), fc.nat(), fc.constantFrom(Number.NaN, Infinity, -Infinity), (z, at, bad) => {
        z[at % z.length] = bad;
        expect(clip(z, 1)).toEqual(new Float64Array(z.length));
      }),
    );
  });

  it('declares the factor it applies', () => {
    fc.assert(
      fc.property(vectors(), positive(), (z, radius) => {
        const size = norm(z);
        const factor = defined(l2Clip.factor)({ radius }, size);
        expect(factor).toBeGreaterThan(0);
        expect(factor).toBeLessThanOrEqual(1);
        expect(factor * size).toBeLessThanOrEqual(radius);
        const clipped = clip(z, radius);
        for (let j = 0; j < z.length; j++)
          expect(Math.abs(clipped[j] - factor * z[j])).toBeLessThanOrEqual(1e-14 * Math.min(size, radius));
      }),
    );
    for (const bad of [Number.NaN, Infinity]) expect(defined(l2Clip.factor)({ radius: 1 }, bad)).toBe(0);
    expect(l2Clip.isProjection).toBe(true);
    expect(l2Clip.radius({ radius: 2 })).toBe(2);
  });

  it('refuses a radius that is not positive and finite', () => {
    fc.assert(
      fc.property(notPositive, (radius) => {
        expect(() => l2Clip({ radius })).toThrow(InvalidParameter);
      }),
    );
    expect(l2Clip({ radius: 2 })).toEqual({ kind: 'clip', name: 'l2', params: { radius: 2 } });
  });
});

const biasOf = (distribution: DiscreteDistribution, radius: number): number =>
  norm(
    minus(
      mean(distribution, (z) => clip(z, radius)),
      mean(distribution, (z) => z),
    ),
  );
const secondCentralMoment = (distribution: DiscreteDistribution, radius: number): number => {
  const centre = mean(distribution, (z) => clip(z, radius));
  return expectation(distribution, (z) => norm(minus(clip(z, radius), centre)) ** 2);
};

describe('l2Clip.biasBound', () => {
  it('bounds the bias of every finite law, and is at most the published bound', () => {
    fc.assert(
      fc.property(
        discreteDistributions(),
        positive(-2, 2),
        fc.constantFrom(...orders),
        (distribution, radius, order) => {
          const moment = momentOf(distribution, order);
          const bound = l2Clip.biasBound({ radius }, moment);
          const largest = Math.max(...distribution.points.map(norm));
          expect(biasOf(distribution, radius)).toBeLessThanOrEqual(bound * (1 + 1e-9) + 1e-13 * largest);
          expect(bound).toBeLessThanOrEqual(
            (moment.value / ((order - 1) * radius ** (order - 1))) * (1 + 1e-12),
          );
        },
      ),
    );
  });

  it.each(orders)('is attained for order %d by the law on 0 and k·radius/(k − 1)', (order) => {
    fc.assert(
      fc.property(positive(-2, 2), fc.integer({ min: 1, max: 63 }), (radius, weight) => {
        const far = (order * radius) / (order - 1);
        const distribution = {
          points: [Float64Array.of(0, 0), Float64Array.of(0.6 * far, 0.8 * far)],
          weights: [1 - weight / 64, weight / 64],
        };
        const moment = momentOf(distribution, order);
        expect(biasOf(distribution, radius) / l2Clip.biasBound({ radius }, moment)).toBeCloseTo(1, 10);
        const published = moment.value / ((order - 1) * radius ** (order - 1));
        expect(biasOf(distribution, radius) / published).toBeCloseTo(((order - 1) / order) ** order, 10);
      }),
    );
  });

  it.each(orders)('is attained for order %d by one point beyond that norm', (order) => {
    fc.assert(
      fc.property(positive(-2, 2), fc.integer({ min: 101, max: 1000 }), (radius, percent) => {
        const size = (((order * radius) / (order - 1)) * percent) / 100;
        expect(l2Clip.biasBound({ radius }, { order, value: size ** order }) / (size - radius)).toBeCloseTo(
          1,
          9,
        );
      }),
    );
  });

  it('is a finite number even where powers of the radius are not', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(1e-300, 1e-160, 1, 1e160, 1e300),
        fc.constantFrom(0, 1e-300, 1, 1e300),
        fc.constantFrom(2, 3, 50, 1e4),
        (radius, value, order) => {
          const bound = l2Clip.biasBound({ radius }, { order, value });
          expect(bound).toBeGreaterThanOrEqual(0);
          expect(bound).toBeLessThan(Infinity);
        },
      ),
    );
    expect(l2Clip.biasBound({ radius: 1 }, { order: 2, value: 0 })).toBe(0);
  });
});

describe('l2Clip.varianceBound', () => {
  it('bounds the variance of every finite law', () => {
    fc.assert(
      fc.property(
        discreteDistributions(),
        positive(-2, 2),
        fc.constantFrom(...orders),
        (distribution, radius, order) => {
          expect(secondCentralMoment(distribution, radius)).toBeLessThanOrEqual(
            l2Clip.varianceBound({ radius }, momentOf(distribution, order)) * (1 + 1e-12),
          );
        },
      ),
    );
  });

  it('is attained by symmetric laws on two points, inside and outside the ball', () => {
    fc.assert(
      fc.property(positive(-2, 2), positive(-2, 2), fc.constantFrom(...orders), (radius, size, order) => {
        const distribution = {
          points: [Float64Array.of(0.6 * size, 0.8 * size), Float64Array.of(-0.6 * size, -0.8 * size)],
          weights: [0.5, 0.5],
        };
        expect(
          secondCentralMoment(distribution, radius) /
            l2Clip.varianceBound({ radius }, momentOf(distribution, order)),
        ).toBeCloseTo(1, 10);
      }),
    );
  });

  it('makes use of a second moment that is known besides a higher one', () => {
    fc.assert(
      fc.property(discreteDistributions(), fc.constantFrom(0.3, 1, 5), (distribution, radius) => {
        const [second, fourth] = [2, 4].map((order) => momentOf(distribution, order));
        const both = l2Clip.varianceBound({ radius }, { ...fourth, second: second.value });
        expect(both).toBeLessThanOrEqual(l2Clip.varianceBound({ radius }, fourth));
        expect(both).toBeLessThanOrEqual(l2Clip.varianceBound({ radius }, second) * (1 + 1e-12));
        expect(secondCentralMoment(distribution, radius)).toBeLessThanOrEqual(both * (1 + 1e-9));
      }),
    );
  });

  it('attains a second moment that is known besides a higher one, by two points and the origin', () => {
    const points = [Float64Array.of(0, 2), Float64Array.of(0, -2), Float64Array.of(0, 0)];
    const distribution = { points, weights: [1 / 8, 1 / 8, 3 / 4] };
    const [second, fourth] = [2, 4].map((order) => momentOf(distribution, order));
    const both = l2Clip.varianceBound({ radius: 5 }, { ...fourth, second: second.value });
    expect(both).toBeCloseTo(secondCentralMoment(distribution, 5), 12);
    expect(l2Clip.varianceBound({ radius: 5 }, fourth)).toBeGreaterThan(1.9 * both);
  });

  it('refuses moments that are none', () => {
    fc.assert(
      fc.property(fc.constantFrom(1.999, 0, -2, Number.NaN, Infinity), (order) => {
        expect(() => l2Clip.biasBound({ radius: 1 }, { order, value: 1 })).toThrow(InvalidParameter);
        expect(() => l2Clip.varianceBound({ radius: 1 }, { order, value: 1 })).toThrow(InvalidParameter);
      }),
    );
    fc.assert(
      fc.property(fc.constantFrom(-1e-300, -1, Number.NaN, Infinity), (value) => {
        expect(() => l2Clip.biasBound({ radius: 1 }, { order: 2, value })).toThrow(InvalidParameter);
        expect(() => l2Clip.varianceBound({ radius: 1 }, { order: 2, value })).toThrow(InvalidParameter);
        const moment = { order: 2, value: 1, second: value };
        expect(() => l2Clip.biasBound({ radius: 1 }, moment)).toThrow(InvalidParameter);
        expect(() => l2Clip.varianceBound({ radius: 1 }, moment)).toThrow(InvalidParameter);
      }),
    );
  });
});
