import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { averaged, averagedBounds } from './smoothing.js';

/** `E (1 + v)^{−s}` over a triangular `v`, by the midpoint rule. */
function byQuadrature(radius: number, lambda: number, t: number): readonly [number, number] {
  const count = 40_000;
  let [real, imaginary] = [0, 0];
  for (let i = 0; i < count; i++) {
    const v = ((2 * (i + 0.5)) / count - 1) * 2 * radius;
    const weight = ((2 * radius - Math.abs(v)) / (4 * radius * radius)) * ((4 * radius) / count);
    const size = weight * (1 + v) ** -lambda;
    real += size * Math.cos(t * Math.log1p(v));
    imaginary -= size * Math.sin(t * Math.log1p(v));
  }
  return [real, imaginary];
}

const radius = fc.integer({ min: -40, max: -9 }).map((k) => 10 ** (k / 10));
const lambda = fc.integer({ min: -20, max: 15 }).map((k) => 10 ** (k / 10));
const frequency = fc.oneof(
  fc.constant(0),
  fc.integer({ min: -20, max: 30 }).map((k) => 10 ** (k / 10)),
);

describe('averaged', () => {
  it('is the transform of relative errors that are the sum of two uniform ones', () => {
    fc.assert(
      fc.property(radius, lambda, frequency, (r, l, t) => {
        const { real, imaginary, error } = averaged(r, l, t);
        const [a, b] = byQuadrature(r, l, t);
        const size = (1 - 2 * r) ** -l;
        // The rule is off by the square of how far the phase turns within a step.
        const doubt = error + size * (1e-9 + 1e-8 * (r * Math.hypot(l, t)) ** 2);
        expect(Math.abs(real - a)).toBeLessThanOrEqual(doubt);
        expect(Math.abs(imaginary - b)).toBeLessThanOrEqual(doubt);
        // Near its removable singularities it owns to knowing less.
        if (Math.hypot(1 - l, t) * Math.hypot(2 - l, t) > 0.01) expect(error).toBeLessThan(1e-8 * size);
      }),
      { numRuns: 60 },
    );
  });

  it('is below its bound, also at its removable singularities', () => {
    fc.assert(
      fc.property(radius, fc.oneof(lambda, fc.constantFrom(1, 2)), frequency, (r, l, t) => {
        const { real, imaginary, error } = averaged(r, l, t);
        expect(Math.hypot(real, imaginary)).toBeLessThanOrEqual(averagedBounds(r, l).most(t) + error);
      }),
      { numRuns: 500 },
    );
    expect(averaged(0, 3, 5)).toEqual({ real: 1, imaginary: 0, error: 0 });
    expect(averagedBounds(0, 3).most(5)).toBe(1);
  });

  it('has a bound on its weighted integral, which is that of its own bound at least to a fifth', () => {
    fc.assert(
      fc.property(fc.oneof(fc.constant(0), radius), lambda, fc.integer({ min: -10, max: 30 }), (r, l, k) => {
        const { most, beyond } = averagedBounds(r, l);
        const from = 10 ** (k / 10);
        let sum = 0;
        // In steps of log t, up to where a ten-thousandth of the integral is left.
        for (let i = 0; i < 4000; i++) {
          const t = from * Math.exp((i + 0.5) / 400);
          sum += (most(t) * t) / (400 * Math.hypot(l, t) * Math.hypot(l + 1, t));
        }
        expect(sum).toBeLessThanOrEqual(beyond(from) * (1 + 1e-5));
        expect(sum).toBeGreaterThan(beyond(from) / 5);
      }),
      { numRuns: 200 },
    );
  });
});
