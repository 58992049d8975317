import { InvalidParameter, seededRandom } from '@lethe/core';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { notPositive, positive } from '../../test/support/arbitraries.js';
import { gradientDifferenceClip } from './gradient-difference-clip.js';
import { l2Clip } from './l2-clip.js';

type Params = Parameters<typeof gradientDifferenceClip>[0];
const radius = (params: Params): number =>
  gradientDifferenceClip.radius(gradientDifferenceClip.params.parse(params));

describe('gradientDifferenceClip', () => {
  it('has the radius G + 2MD of corrected momentum on a set of diameter D, and the last step’s own', () => {
    const [lipschitz, smoothness, diameter] = [3, 0.5, 4];
    expect(radius({ lipschitz, smoothness, travel: 2 * diameter })).toBe(7);
    // Weights t and t − 1, and ‖x_t − x_{t−1}‖ ≤ 2D/(t + 1).
    for (const t of [1, 2, 10, 1000])
      expect(radius({ lipschitz, smoothness, travel: ((t - 1) * 2 * diameter) / (t + 1) })).toBeCloseTo(
        3 + (4 * (t - 1)) / (t + 1),
        12,
      );
  });

  it('has the threshold K of the accelerated method, where nothing bounds the step', () => {
    expect(radius({ cap: 12 })).toBe(12);
    expect(radius({ lipschitz: 1, smoothness: 1, travel: 1e6, cap: 12 })).toBe(12);
    expect(radius({ lipschitz: 1, smoothness: 1, travel: 3, cap: 12 })).toBe(4);
  });

  it('is never above (η₁ + η₀)G, and is that where smoothness says nothing', () => {
    fc.assert(
      fc.property(
        positive(-3, 3),
        positive(-3, 3),
        positive(-3, 3),
        positive(-3, 3),
        positive(-3, 3),
        (lipschitz, smoothness, step, one, other) => {
          const [growth, weight] = [Math.abs(one - other), Math.min(one, other)];
          const whole = (one + other) * lipschitz;
          const bound = radius({ lipschitz, smoothness, growth, weight, travel: weight * step });
          expect(bound).toBeLessThanOrEqual(whole * (1 + 1e-12));
          expect(radius({ lipschitz, growth, weight }) / whole).toBeCloseTo(1, 12);
          // Both ways to take the difference apart.
          expect(bound).toBeLessThanOrEqual((growth * lipschitz + weight * smoothness * step) * (1 + 1e-12));
        },
      ),
    );
  });

  it('leaves alone every record of a loss that keeps its promises', () => {
    const random = seededRandom('difference');
    for (let i = 0; i < 500; i++) {
      // Slope-clipped losses φ(⟨a, x⟩ − c) with φ′ = clip(M·, ±G)
      // and ‖a‖ = 1: G-Lipschitz, M-smooth and convex.
      const [g0, g1, a, x, y] = [1, 2, 3, 4, 5].map(() => random.gaussianInto(new Float64Array(3)));
      const size = Math.hypot(...a);
      const lipschitz = Math.abs(g0[0]) + 0.01;
      const smoothness = Math.abs(g0[1]) * 10;
      const [newer, older] = [Math.abs(g1[0]), Math.abs(g1[1])];
      const offset = g1[2];
      const gradient = (at: Float64Array): Float64Array => {
        const margin = at.reduce((sum, v, j) => sum + (v * a[j]) / size, 0) - offset;
        return a.map((v) => (v / size) * Math.max(-lipschitz, Math.min(lipschitz, smoothness * margin)));
      };
      const [one, other] = [gradient(x), gradient(y)];
      const difference = one.map((v, j) => newer * v - older * other[j]);
      const before = difference.slice();
      const weight = Math.min(newer, older);
      const step = Math.hypot(...x.map((v, j) => v - y[j]));
      gradientDifferenceClip.clipInPlace(
        gradientDifferenceClip.params.parse({
          lipschitz,
          smoothness,
          growth: Math.abs(newer - older) * (1 + 1e-15),
          weight,
          travel: weight * step * (1 + 1e-12),
        }),
        difference,
      );
      for (let j = 0; j < 3; j++)
        expect(Math.abs(difference[j] - before[j])).toBeLessThanOrEqual(1e-13 * (newer + older) * lipschitz);
    }
  });

  it('is attained by a convex loss whose kink lies between the two points', () => {
    // Slopes G at the new point and max(−G, G − M·step) at the old one, in one dimension.
    for (const [lipschitz, smoothness, step, newer, older] of [
      [2, 1, 1.5, 5, 4],
      [2, 10, 1.5, 5, 4],
      [1, 0.1, 1, 3, 3],
    ] as const) {
      const old = Math.max(-lipschitz, lipschitz - smoothness * step);
      const weight = Math.min(newer, older);
      expect(
        radius({ lipschitz, smoothness, growth: newer - older, weight, travel: weight * step }),
      ).toBeCloseTo(newer * lipschitz - older * old, 12);
    }
  });

  it('clips as the ℓ2 clip of that radius, which a curator may do by its kernel', () => {
    const params = gradientDifferenceClip.params.parse({ lipschitz: 1, smoothness: 2, travel: 0.75 });
    const z = Float64Array.of(3, -4);
    const other = z.slice();
    gradientDifferenceClip.clipInPlace(params, z);
    l2Clip.clipInPlace({ radius: 2.5 }, other);
    expect(z).toEqual(other);
    expect([gradientDifferenceClip.isProjection, defined(gradientDifferenceClip.factor)(params, 5)]).toEqual([
      true,
      0.5,
    ]);
  });

  it('refuses constants that are none, and what bounds nothing', () => {
    fc.assert(
      fc.property(notPositive, (bad) => {
        expect(() => gradientDifferenceClip({ lipschitz: bad, smoothness: 1, travel: 1 })).toThrow(
          InvalidParameter,
        );
        expect(() => gradientDifferenceClip({ cap: bad })).toThrow(InvalidParameter);
      }),
    );
    const bad: readonly Params[] = [
      {},
      { lipschitz: 1 },
      { lipschitz: 1, smoothness: 1 },
      { lipschitz: 1, travel: 1 },
      { smoothness: 1, travel: 1 },
      { lipschitz: 1, smoothness: -1, travel: 1 },
      { lipschitz: 1, smoothness: 1, travel: NaN },
      { lipschitz: 1, growth: 0, weight: 0 },
      { lipschitz: 1, growth: 0, smoothness: 0, travel: 1 },
    ];
    for (const params of bad) expect(() => gradientDifferenceClip(params)).toThrow(InvalidParameter);
    expect(radius({ smoothness: 1, travel: 1, growth: 0 })).toBe(1);
  });
});
