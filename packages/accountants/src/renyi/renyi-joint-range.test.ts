import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renyiDelta, renyiEpsilon } from './renyi-conversion.js';
import { jointDelta, jointEpsilon } from './renyi-joint-range.js';
import { inputs } from '../../test/effort.js';

const tenTo = (low: number, high: number): fc.Arbitrary<number> =>
  fc.integer({ min: low * 100, max: high * 100 }).map((k) => 10 ** (k / 100));
/** `D_α` of two outcomes with probabilities `p`, `1 − p` and `q`, `1 − q`. */
function renyi(alpha: number, p: number, q: number): number {
  const terms = [
    alpha * Math.log(p) + (1 - alpha) * Math.log(q),
    p === 1 ? -Infinity : alpha * Math.log1p(-p) + (1 - alpha) * Math.log1p(-q),
  ];
  const most = Math.max(...terms);
  return (most + Math.log(terms.reduce((sum, term) => sum + Math.exp(term - most), 0))) / (alpha - 1);
}
/** The probability `q ≤ p` at which the divergence is `D`. */
function partner(alpha: number, divergence: number, p: number): number {
  let [low, high] = [Math.log(p) - (divergence * alpha) / (alpha - 1) - 60, Math.log(p)];
  for (let i = 0; i < 100; i++) {
    const middle = (low + high) / 2;
    if (renyi(alpha, p, Math.exp(middle)) > divergence) low = middle;
    else high = middle;
  }
  return Math.exp(high);
}
const closedDelta = (alpha: number, divergence: number, epsilon: number): number =>
  Math.exp((alpha - 1) * (divergence - epsilon + Math.log1p(-1 / alpha)) - Math.log(alpha));
const closedEpsilon = (alpha: number, divergence: number, delta: number): number =>
  Math.max(0, divergence + Math.log1p(-1 / alpha) - Math.log(delta * alpha) / (alpha - 1));
const cases = fc.record({
  beta: tenTo(-2, 2),
  divergence: tenTo(-4, 0.7),
  epsilon: fc.oneof(tenTo(-2, 0.6), fc.constant(0)),
});

describe('bounds from one Rényi divergence', () => {
  it('is at least the divergence of any two outcomes', () => {
    fc.assert(
      fc.property(cases, tenTo(-8, 0), ({ beta, divergence, epsilon }, p) => {
        const alpha = 1 + beta;
        const q = partner(alpha, divergence, p);
        const delta = p - Math.exp(epsilon) * q;
        fc.pre(delta > 1e-12 && p < 1);
        const found = Math.min(
          jointDelta({ alpha, divergence }, epsilon, closedDelta(alpha, divergence, epsilon)),
          closedDelta(alpha, divergence, epsilon),
        );
        expect(found).toBeGreaterThanOrEqual(delta * (1 - 1e-9) - 1e-14);
        const back = Math.min(
          jointEpsilon({ alpha, divergence }, delta, closedEpsilon(alpha, divergence, delta)),
          closedEpsilon(alpha, divergence, delta),
        );
        expect(back).toBeGreaterThanOrEqual(epsilon - 1e-9);
      }),
      { numRuns: inputs(300) },
    );
  });

  it('is attained by two outcomes', () => {
    for (const alpha of [1.01, 1.5, 2, 5, 20]) {
      for (const divergence of [1e-3, 0.05, 0.4]) {
        for (const epsilon of [0, 0.1, 1]) {
          let most = 0;
          for (let i = 0; i < 4000; i++) {
            const p = 10 ** (-i / 400);
            const q = partner(alpha, divergence, p);
            most = Math.max(most, p - Math.exp(epsilon) * q);
          }
          if (most < 1e-9) continue;
          const found = jointDelta({ alpha, divergence }, epsilon, closedDelta(alpha, divergence, epsilon));
          expect(found / most).toBeCloseTo(1, 3);
          expect(found).toBeLessThanOrEqual(closedDelta(alpha, divergence, epsilon) * (1 + 1e-4));
          expect(
            jointEpsilon({ alpha, divergence }, found * (1 + 1e-9), closedEpsilon(alpha, divergence, found)),
          ).toBeLessThanOrEqual(epsilon + 1e-5);
        }
      }
    }
  });

  it('is bounded as total variation is by divergences', () => {
    fc.assert(
      fc.property(tenTo(-6, 1), tenTo(-3, 0), (divergence, beta) => {
        const known = { alpha: 1 + beta, divergence };
        // Bretagnolle and Huber; Pinsker.
        expect(jointDelta(known, 0, 1)).toBeLessThanOrEqual(
          Math.min(Math.sqrt(-Math.expm1(-divergence)), Math.sqrt(divergence / 2)) * (1 + 1e-4) + 1e-9,
        );
        expect(jointDelta(known, 0, 1)).toBeGreaterThanOrEqual(
          (-Math.expm1(-divergence) * 0.999) / (1 + beta),
        );
      }),
    );
  });

  it('improves on the closed form, most where costs are small', () => {
    const small = (alpha: number): number => 5e-4 * alpha;
    expect(renyiDelta(small, 0.01).value).toBeLessThan(0.85 * renyiDelta(small, 0.01, 'closed-form').value);
    fc.assert(
      fc.property(tenTo(-6, 2), tenTo(-12, -0.3), (rho, delta) => {
        const curve = (alpha: number): number => rho * alpha;
        const [least, closed] = [
          renyiEpsilon(curve, delta).value,
          renyiEpsilon(curve, delta, 'closed-form').value,
        ];
        expect(least).toBeLessThanOrEqual(closed);
        const gaussian = Math.sqrt(2 * rho);
        // The Gaussian pair has these divergences: P(loss > ε) − e^ε
        // Q(loss > ε) at most δ needs no less than its quantile does.
        if (delta < 0.01 && gaussian > 0.1) expect(least).toBeGreaterThan(rho);
      }),
      { numRuns: inputs(40) },
    );
  });
});
