import type { PrivacyLossDistribution } from '@lethe/core';
import { atomicLossDistribution, distributionOfAtoms } from './atomic.js';

/** Infinite loss with probability 1: no privacy. */
export const unprotectedLossDistribution: PrivacyLossDistribution = /* @__PURE__ */ distributionOfAtoms(
  { losses: new Float64Array(), p: new Float64Array(), q: new Float64Array() },
  1,
);

/**
 * Dominating pair of all (ε, δ)-private releases, for both directions: infinite loss with probability δ, else
 * binary randomised response.
 *
 * @see Kairouz, Oh, Viswanath 2015.
 * @param epsilon - At least 0.
 * @param delta - In [0, 1].
 */
export function approximateLossDistribution(epsilon: number, delta: number): PrivacyLossDistribution {
  if (delta === 1 || epsilon === Infinity) return unprotectedLossDistribution;
  const rest = 1 - delta;
  const heavy = rest / (1 + Math.exp(-epsilon));
  const light = (rest * Math.exp(-epsilon)) / (1 + Math.exp(-epsilon));
  if (epsilon === 0)
    return distributionOfAtoms(
      { losses: Float64Array.of(0), p: Float64Array.of(rest), q: Float64Array.of(rest) },
      delta,
    );
  return distributionOfAtoms(
    {
      losses: Float64Array.of(-epsilon, epsilon),
      p: Float64Array.of(light, heavy),
      q: Float64Array.of(heavy, light),
    },
    delta,
  );
}

/** Dominating pair of all ε-private releases: {@link approximateLossDistribution} with δ = 0. */
export const pureLossDistribution = (epsilon: number): PrivacyLossDistribution =>
  approximateLossDistribution(epsilon, 0);

/**
 * Randomised response: keeps the answer with probability `1 − p`, and draws it uniformly from `categories`
 * otherwise.
 */
export function randomizedResponseLossDistribution(p: number, categories: number): PrivacyLossDistribution {
  const light = p / categories;
  if (light < 2 ** -1000) return unprotectedLossDistribution;
  const heavy = 1 - p + light;
  const loss = Math.log1p((1 - p) / light);
  const others = light * (categories - 2);
  return distributionOfAtoms(
    {
      losses: Float64Array.of(-loss, 0, loss),
      p: Float64Array.of(light, others, heavy),
      q: Float64Array.of(heavy, others, light),
    },
    0,
  );
}

/**
 * Dominating pair of an ε-private release from a Poisson sample under replace-one: on either side the record
 * may be present or absent. A test that accepts with probability `t` without the record accepts with
 * probability at most `min(e^ε t, 1 − e^{−ε}(1 − t))` with one record, and at least the mirror image with the
 * other. A pair with three outcomes attains both curves.
 *
 * @param rate - In (0, 1).
 * @param epsilon - Positive and finite.
 */
export function replacedResponseLossDistribution(rate: number, epsilon: number): PrivacyLossDistribution {
  // For larger ε the probabilities underflow, and presence counts as revealed.
  if (epsilon > 600) return approximateLossDistribution(0, rate);
  const small = Math.exp(-epsilon);
  const absent = [small / (1 + small), -Math.expm1(-epsilon) / (1 + small), small / (1 + small)] as const;
  const present = [1 / (1 + small), absent[1] * small, small * absent[0]] as const;
  const mixed = (of: number, i: number): number => (1 - rate) * absent[i] + rate * of;
  return atomicLossDistribution(
    [0, 1, 2].map((i) => ({ p: mixed(present[i], i), q: mixed(present[2 - i], i) })),
  );
}
