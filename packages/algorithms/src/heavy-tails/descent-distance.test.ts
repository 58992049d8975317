import { InvalidParameter } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { descentContraction, descentDistanceBound } from './descent-distance.js';

const size = fc
  .tuple(fc.integer({ min: 1, max: 99 }), fc.integer({ min: -3, max: 1 }))
  .map(([k, e]) => k * 10 ** e);

describe('descentContraction', () => {
  it('is attained by a quadratic of the least curvature, and never above the published one', () => {
    expect(descentContraction({ convexity: 1, smoothness: 3 })).toBe(0.75);
    expect(descentContraction({ convexity: 1, smoothness: 3 }, 'printed')).toBe(1 - 3 / 16);
    fc.assert(
      fc.property(size, size, (convexity, more) => {
        const smoothness = convexity + more;
        const step = 1 / (convexity + smoothness);
        const sharp = descentContraction({ convexity, smoothness });
        for (let i = 0; i <= 10; i++)
          expect(Math.abs(1 - step * (convexity + (more * i) / 10))).toBeLessThanOrEqual(sharp * (1 + 1e-12));
        expect(1 - step * convexity).toBeCloseTo(sharp, 12);
        expect(sharp).toBeLessThanOrEqual(descentContraction({ convexity, smoothness }, 'printed'));
        expect(descentContraction({ convexity, smoothness }, 'printed')).toBeLessThan(1);
      }),
    );
  });

  it('holds off quadratics: for the gradient of a risk that is a parabola of one curvature on each side', () => {
    fc.assert(
      fc.property(size, size, size, size, fc.boolean(), (convexity, more, a, b, across) => {
        const smoothness = convexity + more;
        const gradient = (w: number): number => (w < 0 ? convexity : smoothness) * w;
        const step = 1 / (convexity + smoothness);
        const [w, v] = [a, across ? -b : b];
        const after = Math.abs(w - step * gradient(w) - (v - step * gradient(v)));
        expect(after).toBeLessThanOrEqual(
          descentContraction({ convexity, smoothness }) * Math.abs(w - v) * (1 + 1e-12),
        );
      }),
    );
  });
});

describe('descentDistanceBound', () => {
  it('solves its recursion', () => {
    fc.assert(
      fc.property(
        size,
        size,
        size,
        size,
        fc.integer({ min: 1, max: 50 }),
        fc.constantFrom('printed', 'sharp'),
        (convexity, more, startDistance, error, rounds, form) => {
          const run = { convexity, smoothness: convexity + more, startDistance, error, rounds };
          let distance = startDistance;
          for (let t = 0; t < rounds; t++)
            distance = descentContraction(run, form) * distance + error / (run.convexity + run.smoothness);
          expect(descentDistanceBound(run, form) / distance).toBeCloseTo(1, 8);
          expect(descentDistanceBound({ ...run, error: 0 })).toBeLessThanOrEqual(startDistance);
          expect(descentDistanceBound({ ...run, startDistance: 0, rounds: 100_000 })).toBeLessThanOrEqual(
            (error / convexity) * (1 + 1e-12),
          );
        },
      ),
    );
  });

  it('keeps all errors where the contraction rounds to 1', () => {
    for (const form of ['printed', 'sharp'] as const)
      expect(
        descentDistanceBound(
          { convexity: 1e-17, smoothness: 1, rounds: 5, startDistance: 2, error: 3 },
          form,
        ),
      ).toBe(17);
  });

  it('is met by errors that all push one way, and bounds root mean squares where the mean says less', () => {
    // F(w) = w²/2 with β = 1, errors of 0 or 1 by a fair bit: all runs listed.
    const rounds = 12;
    let square = 0;
    let mean = 0;
    for (let outcome = 0; outcome < 2 ** rounds; outcome++) {
      let w = 0;
      for (let t = 0; t < rounds; t++) w -= 0.5 * (w - ((outcome >> t) & 1 ? 2 : 0));
      square += w ** 2 / 2 ** rounds;
      mean += Math.abs(w) / 2 ** rounds;
    }
    expect(Math.sqrt(square)).toBeLessThanOrEqual(
      descentDistanceBound({ convexity: 1, smoothness: 1, rounds, startDistance: 0, error: Math.SQRT2 }),
    );
    // With the mean error instead of its root mean square the same sum bounds the mean, but not the root mean
    // square.
    const published = descentDistanceBound({
      convexity: 1,
      smoothness: 1,
      rounds,
      startDistance: 0,
      error: 1,
    });
    expect(mean).toBeLessThanOrEqual(published * (1 + 1e-12));
    expect(Math.sqrt(square)).toBeGreaterThan(1.1 * published);
  });

  it('refuses what is no run', () => {
    const run = { convexity: 1, smoothness: 2, rounds: 3, startDistance: 1, error: 1 };
    for (const bad of [
      { convexity: 0 },
      { smoothness: 0.5 },
      { rounds: 0 },
      { startDistance: -1 },
      { error: Number.NaN },
    ])
      expect(() => descentDistanceBound({ ...run, ...bad })).toThrow(InvalidParameter);
  });
});
