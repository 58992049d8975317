import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { range } from '../../test/factors.js';
import { meanVariance, rowVariance, rowVariancesInto } from './buffered-error.js';
import { impulseResponse, type BufferedToeplitz } from './buffered-inverse.js';
import { nearest, spacedColumns, upwards } from './buffered-sensitivity.js';
import { toeplitzNormUp } from './sensitivity.js';

/**
 * Decays anywhere in (0, 1), many next to one or to each other; scales of all sizes that add up to 1 at most.
 */
const decay = fc.oneof(
  fc.integer({ min: 1, max: 999 }).map((k) => k / 1000),
  fc
    .tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 12 }))
    .map(([digit, exponent]) => 1 - digit * 10 ** -exponent),
  fc.integer({ min: 1, max: 9 }).map((k) => 0.7 + k * 2 ** -40),
);
const buffers = fc
  .uniqueArray(
    decay.filter((x) => x > 0 && x < 1),
    { minLength: 1, maxLength: 6 },
  )
  .chain((theta) =>
    fc
      .array(fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 8 })), {
        minLength: theta.length,
        maxLength: theta.length,
      })
      .map((parts): BufferedToeplitz => ({
        theta,
        omega: parts.map(([digit, exponent]) => (digit * 10 ** -exponent) / theta.length),
      })),
  );
const coefficients = ({ theta, omega }: BufferedToeplitz, count: number): readonly number[] =>
  range(count).map((t) =>
    t === 0 ? 1 : theta.reduce((sum, ratio, i) => sum + omega[i] * ratio ** (t - 1), 0),
  );

/** Coefficients of A C^{-1}, by the recursion. */
function responses(params: BufferedToeplitz, count: number): readonly number[] {
  const held = params.theta.map(() => 0);
  let sum = 0;
  return range(count).map((t) => {
    const value = held.reduce((rest, x, i) => rest - params.omega[i] * x, Number(t === 0));
    params.theta.forEach((ratio, i) => {
      held[i] = ratio * held[i] + value;
    });
    return (sum += value);
  });
}

describe('impulseResponse', () => {
  it('is the running sum of the inverse', () => {
    fc.assert(
      fc.property(buffers, (params) => {
        const { limit, weights, decays } = impulseResponse(params);
        responses(params, 64).forEach((expected, t) => {
          expect(limit + weights.reduce((sum, weight, i) => sum + weight * decays[i] ** t, 0)).toBeCloseTo(
            expected,
            10,
          );
        });
      }),
    );
  });

  it('is a positive mixture of decays that lie between those of C, and below', () => {
    fc.assert(
      fc.property(buffers, (params) => {
        const { limit, weights, decays, complements } = impulseResponse(params);
        const theta = params.theta.toSorted((a, b) => a - b);
        expect(limit).toBeGreaterThan(0);
        decays.forEach((value, i) => {
          expect(weights[i]).toBeGreaterThan(0);
          expect(value).toBeLessThanOrEqual(theta[i]);
          expect(value).toBeGreaterThanOrEqual(i === 0 ? -1 : theta[i - 1]);
          expect(Math.abs(complements[i] - (1 - value))).toBeLessThanOrEqual(2 ** -52);
        });
        expect(limit + weights.reduce((sum, x) => sum + x, 0)).toBeCloseTo(1, 11);
      }),
    );
  });

  it('is known for one buffer', () => {
    // 1/C = (1 − θx)/(1 − (θ − ω)x).
    const { limit, weights, decays } = impulseResponse({ theta: [0.75], omega: [0.25] });
    expect([limit, weights[0], decays[0]]).toEqual([0.5, 0.5, 0.5]);
    expect(impulseResponse({ theta: [0.25], omega: [0.75] }).decays[0]).toBeCloseTo(-0.5, 15);
  });
});

describe('variances', () => {
  it('are sums of squares of the response, and their mean', () => {
    fc.assert(
      fc.property(buffers, fc.integer({ min: 1, max: 200 }), (params, steps) => {
        let variance = 0;
        let total = 0;
        const response = impulseResponse(params);
        for (const [t, w] of responses(params, steps).entries()) {
          variance += w * w;
          total += variance;
          expect(Math.abs(rowVariance(response, t) / variance - 1)).toBeLessThan(1e-10);
        }
        const together = new Float64Array(1000);
        rowVariancesInto(together, response);
        for (const t of [0, 1, 255, 256, 257, 999])
          expect(Math.abs(together[t] / rowVariance(response, t) - 1)).toBeLessThan(1e-11);
        expect(Math.abs(meanVariance(response, steps) / (total / steps) - 1)).toBeLessThan(1e-10);
      }),
      { numRuns: 50 },
    );
  });

  it('hold for the slowest of oscillations', () => {
    // C = 1 + x, but for buffers that forget at once: 1/C alternates.
    const response = impulseResponse({ theta: [1e-300, 2e-300], omega: [0.5, 0.5] });
    for (const step of [0, 1, 2, 99, 1e6]) expect(rowVariance(response, step)).toBe(Math.floor(step / 2) + 1);
  });

  it('hold for a million steps', () => {
    const params = {
      theta: [0.9623973, 0.99963308, 0.999996939],
      omega: [0.26094833, 0.026758281, 0.0029404943],
    };
    const steps = 1e6;
    const variance = responses(params, steps).reduce((sum, w) => sum + w * w, 0);
    expect(rowVariance(impulseResponse(params), steps - 1) / variance).toBeCloseTo(1, 9);
  });
});

describe('spacedColumns', () => {
  const participations = fc
    .record({
      steps: fc.integer({ min: 1, max: 200 }),
      times: fc.integer({ min: 1, max: 30 }),
      gap: fc.integer({ min: 1, max: 60 }),
    })
    .map(({ steps, times, gap }) => ({
      steps,
      gap,
      times: Math.min(times, Math.floor((steps - 1) / gap) + 1),
    }));

  it('is what the coefficients give, one by one', () => {
    fc.assert(
      fc.property(buffers, participations, (params, { steps, times, gap }) => {
        const expected =
          toeplitzNormUp(
            Float64Array.from(coefficients(params, steps)),
            { steps, dimension: 1 },
            { times, gap },
          ) ** 2;
        for (const arithmetic of [nearest, upwards])
          expect(Math.abs(spacedColumns(params, steps, times, gap, arithmetic) / expected - 1)).toBeLessThan(
            1e-11,
          );
      }),
    );
  });

  it('is never below, rounded upwards: against whole numbers', () => {
    const binary = fc.record({
      theta: fc.uniqueArray(fc.integer({ min: 1, max: 15 }), { minLength: 1, maxLength: 3 }),
      scale: fc.integer({ min: 1, max: 5 }),
    });
    fc.assert(
      fc.property(
        binary,
        participations.filter(({ steps }) => steps <= 40),
        ({ theta, scale }, { steps, times, gap }) => {
          // In units of 16^{−steps}: theta in sixteenths, omega all `scale` sixteenths.
          const unit = 16n ** BigInt(steps);
          const c = range(steps).map((t) =>
            t === 0
              ? unit
              : theta.reduce(
                  (sum, k) => sum + BigInt(scale) * BigInt(k) ** BigInt(t - 1) * 16n ** BigInt(steps - t),
                  0n,
                ),
          );
          let exact = 0n;
          for (let t = 0; t < steps; t++) {
            let entry = 0n;
            for (let m = 0; m < times && m * gap <= t; m++) entry += c[t - m * gap];
            exact += entry * entry;
          }
          const declared = spacedColumns(
            { theta: theta.map((k) => k / 16), omega: theta.map(() => scale / 16) },
            steps,
            times,
            gap,
            upwards,
          );
          // Doubles of at least 1 are whole in units of 2⁻⁵².
          expect(BigInt(declared * 2 ** 52) * unit * unit >= exact << 52n).toBe(true);
          expect(declared).toBeLessThanOrEqual(
            (Number((exact << 60n) / (unit * unit)) / 2 ** 60) * (1 + 1e-12),
          );
        },
      ),
    );
  });

  it('stops at buffers that have settled, with the same result', () => {
    const params = { theta: [0.5, 0.9], omega: [0.25, 0.125] };
    for (const times of [3, 100, 5000]) {
      const expected =
        toeplitzNormUp(
          Float64Array.from(coefficients(params, 100_000)),
          { steps: 100_000, dimension: 1 },
          { times, gap: 20 },
        ) ** 2;
      expect(spacedColumns(params, 100_000, times, 20, upwards) / expected).toBeCloseTo(1, 9);
    }
  });
});
