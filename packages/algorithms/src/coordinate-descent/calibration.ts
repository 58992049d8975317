import { InvalidParameter } from '@lethe/core';
import { requireCounts, requirePositive } from '../common/require.js';

/** Privacy as Theorem 4.1 takes it: `0 < ε ≤ 1` and `0 < δ < 1/3`. */
export interface TheoremBudget { readonly epsilon: number; readonly delta: number }

/**
 * Noise over sensitivity of each of `steps` releases by Theorem 4.1: `σ̂ = √(3 steps log(1/δ)) / ε`. It comes from a composition in Rényi
 * divergence and is larger than the exact accounting of the same releases needs, by half at `ε = 1`, `δ = 10⁻⁶`.
 *
 * @param options - `steps`: releases of the whole run, `K·T`.
 * @throws {InvalidParameter} unless `0 < ε ≤ 1`, `0 < δ < 1/3` and `steps` is a whole number, at least 1.
 * @see Maranjyan, Sadiev and Richtárik 2024, Theorem 4.1 and Lemma D.8.
 */
export function theoremNoiseMultiplier({ steps, ...budget }: TheoremBudget & { readonly steps: number }): number {
  requireCounts({ steps });
  return Math.sqrt(3 * steps * logInverse(budget)) / budget.epsilon;
}

/**
 * Standard deviation of the noise on a set of coordinates with Lipschitz constant `L_U`, under replace-one: `σ_U² = 12 L_U² K T log(1/δ) / (n² ε²)`.
 *
 * @param options - `lipschitz`: `L_U`; `records`: `n`; `steps`: `K·T`.
 * @throws {InvalidParameter} unless `0 < ε ≤ 1`, `0 < δ < 1/3`, `L_U > 0`, and counts are whole numbers, at least 1.
 * @see Maranjyan, Sadiev and Richtárik 2024, Theorem 4.1.
 */
export function theoremNoiseScale({ lipschitz, records, steps, ...budget }: TheoremBudget & { readonly lipschitz: number; readonly records: number; readonly steps: number }): number {
  requirePositive({ lipschitz });
  requireCounts({ records, steps });
  return (lipschitz / records / budget.epsilon) * Math.sqrt(12 * steps * logInverse(budget));
}

/** Slope `ρ` of the Rényi divergence `α ρ` of `steps` Gaussian releases: `steps / (2 noiseMultiplier²)`. */
export function renyiSlope({ steps, noiseMultiplier }: { readonly steps: number; readonly noiseMultiplier: number }): number {
  requireCounts({ steps });
  requirePositive({ noiseMultiplier });
  return steps / noiseMultiplier / noiseMultiplier / 2;
}

/**
 * The least ε that `α ρ + log(1/δ)/(α − 1)` gives over all orders: `ρ + 2√(ρ log(1/δ))`, at the order `1 + √(log(1/δ)/ρ)`.
 *
 * @throws {InvalidParameter} unless `slope > 0` and `0 < δ < 1`.
 * @see Mironov 2017, Proposition 3; Lemma D.7 of Maranjyan, Sadiev and Richtárik 2024.
 */
export function renyiConversion({ slope, delta }: { readonly slope: number; readonly delta: number }): { readonly epsilon: number; readonly order: number } {
  requirePositive({ slope });
  if (!(delta > 0 && delta < 1)) throw new InvalidParameter(`delta is ${delta}; it must be between 0 and 1`, { delta });
  const log = -Math.log(delta);
  return { epsilon: slope + 2 * Math.sqrt(slope * log), order: 1 + Math.sqrt(log / slope) };
}

/** The exact Gaussian differential privacy `μ` of a whole run at the noise of Theorem 4.1, whatever its length: `ε / √(3 log(1/δ))`. */
export const theoremGaussianMu = (budget: TheoremBudget): number => budget.epsilon / Math.sqrt(3 * logInverse(budget));

/** `v` at the noise of Theorem 4.1 under replace-one: `12 log(1/δ) / (n² ε²)`; a step has noise `v · steps · Σ_S²`. */
export function theoremUnitNoise({ records, ...budget }: TheoremBudget & { readonly records: number }): number {
  requireCounts({ records });
  return (12 * logInverse(budget)) / (records * budget.epsilon) ** 2;
}

/**
 * Whether the noise of Theorem 4.1 is enough at a budget: `ε (2/√6 + ε/(6 log(1/δ))) ≤ ε`. The lemma is stated for `ε < 1`; it holds where
 * `ε ≤ 6 (1 − 2/√6) log(1/δ)`, so at `ε = 1` for every `δ < 1/3`.
 */
export function lemmaD8Holds({ epsilon, delta }: TheoremBudget): boolean {
  requirePositive({ epsilon });
  if (!(delta > 0 && delta < 1)) throw new InvalidParameter(`delta is ${delta}; it must be between 0 and 1`, { delta });
  return epsilon <= 6 * (1 - 2 / Math.sqrt(6)) * -Math.log(delta);
}

function logInverse({ epsilon, delta }: TheoremBudget): number {
  if (!(epsilon > 0 && epsilon <= 1)) throw new InvalidParameter(`epsilon is ${epsilon}; the theorem holds for 0 < epsilon <= 1. Calibrate exactly instead.`, { epsilon });
  if (!(delta > 0 && delta < 1 / 3)) throw new InvalidParameter(`delta is ${delta}; the theorem holds for 0 < delta < 1/3. Calibrate exactly instead.`, { delta });
  return -Math.log(delta);
}
