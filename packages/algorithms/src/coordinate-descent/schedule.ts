import { InvalidParameter } from '@lethe/core';
import { requireCounts, requireNonNegative, requirePositive } from '../common/require.js';

/** Privacy as Theorem 4.1 takes it: `0 < ε ≤ 1` and `0 < δ < 1/3`. */
export interface TheoremBudget {
  readonly epsilon: number;
  readonly delta: number;
}

/**
 * Noise over sensitivity of each of `steps` releases by Theorem 4.1: `σ̂ = √(3 steps log(1/δ)) / ε`. It comes
 * from a composition in Rényi divergence and is larger than the exact accounting of the same releases needs,
 * by half at `ε = 1`, `δ = 10⁻⁶`.
 *
 * @param options - `steps`: releases of the whole run, `K·T`.
 * @throws {InvalidParameter} unless `0 < ε ≤ 1`, `0 < δ < 1/3` and `steps` is a whole number, at least 1.
 * @see Maranjyan, Sadiev and Richtárik 2024, Theorem 4.1 and Lemma D.8.
 */
export function theoremNoiseMultiplier({
  steps,
  ...budget
}: TheoremBudget & { readonly steps: number }): number {
  requireCounts({ steps });
  return Math.sqrt(3 * steps * logInverse(budget)) / budget.epsilon;
}

/**
 * Standard deviation of the noise on a set of coordinates with Lipschitz constant `L_U`, under replace-one:
 * `σ_U² = 12 L_U² K T log(1/δ) / (n² ε²)`.
 *
 * @param options - `lipschitz`: `L_U`; `records`: `n`; `steps`: `K·T`.
 * @throws {InvalidParameter} unless `0 < ε ≤ 1`, `0 < δ < 1/3`, `L_U > 0`, and counts are whole numbers, at
 * least 1.
 * @see Maranjyan, Sadiev and Richtárik 2024, Theorem 4.1.
 */
export function theoremNoiseScale({
  lipschitz,
  records,
  steps,
  ...budget
}: TheoremBudget & { readonly lipschitz: number; readonly records: number; readonly steps: number }): number {
  requirePositive({ lipschitz });
  requireCounts({ records, steps });
  return (lipschitz / records / budget.epsilon) * Math.sqrt(12 * steps * logInverse(budget));
}

/** Slope `ρ` of the Rényi divergence `α ρ` of `steps` Gaussian releases: `steps / (2 noiseMultiplier²)`. */
export function renyiSlope({
  steps,
  noiseMultiplier,
}: {
  readonly steps: number;
  readonly noiseMultiplier: number;
}): number {
  requireCounts({ steps });
  requirePositive({ noiseMultiplier });
  return steps / noiseMultiplier / noiseMultiplier / 2;
}

/**
 * The least ε that `α ρ + log(1/δ)/(α − 1)` gives over all
 * orders: `ρ + 2√(ρ log(1/δ))`, at the order `1 + √(log(1/δ)/ρ)`.
 *
 * @throws {InvalidParameter} unless `slope > 0` and `0 < δ < 1`.
 * @see Mironov 2017, Proposition 3; Lemma D.7 of Maranjyan, Sadiev and Richtárik 2024.
 */
export function renyiConversion({ slope, delta }: { readonly slope: number; readonly delta: number }): {
  readonly epsilon: number;
  readonly order: number;
} {
  requirePositive({ slope });
  if (!(delta > 0 && delta < 1))
    throw new InvalidParameter(`delta is ${delta}; it must be between 0 and 1`, { delta });
  const log = -Math.log(delta);
  return { epsilon: slope + 2 * Math.sqrt(slope * log), order: 1 + Math.sqrt(log / slope) };
}

/**
 * The exact Gaussian differential privacy `μ` of a whole run at the
 * noise of Theorem 4.1, whatever its length: `ε / √(3 log(1/δ))`.
 */
export const theoremGaussianMu = (budget: TheoremBudget): number =>
  budget.epsilon / Math.sqrt(3 * logInverse(budget));

/**
 * `v` at the noise of Theorem 4.1 under replace-one: `12 log(1/δ) / (n² ε²)`; a step has noise
 * `v · steps · Σ_S²`.
 */
export function theoremUnitNoise({
  records,
  ...budget
}: TheoremBudget & { readonly records: number }): number {
  requireCounts({ records });
  return (12 * logInverse(budget)) / (records * budget.epsilon) ** 2;
}

/**
 * Whether the noise of Theorem 4.1 is enough at a budget: `ε (2/√6 + ε/(6 log(1/δ))) ≤ ε`. The lemma is
 * stated for `ε < 1`; it holds where `ε ≤ 6 (1 − 2/√6) log(1/δ)`, so at `ε = 1` for every `δ < 1/3`.
 */
export function lemmaD8Holds({ epsilon, delta }: TheoremBudget): boolean {
  requirePositive({ epsilon });
  if (!(delta > 0 && delta < 1))
    throw new InvalidParameter(`delta is ${delta}; it must be between 0 and 1`, { delta });
  return epsilon <= 6 * (1 - 2 / Math.sqrt(6)) * -Math.log(delta);
}

function logInverse({ epsilon, delta }: TheoremBudget): number {
  if (!(epsilon > 0 && epsilon <= 1))
    throw new InvalidParameter(
      `epsilon is ${epsilon}; the theorem holds for 0 < epsilon <= 1. Calibrate exactly instead.`,
      { epsilon },
    );
  if (!(delta > 0 && delta < 1 / 3))
    throw new InvalidParameter(
      `delta is ${delta}; the theorem holds for 0 < delta < 1/3. Calibrate exactly instead.`,
      { delta },
    );
  return -Math.log(delta);
}

/**
 * Which length one round has. All three balance the distance from
 * the start against the noise, which grows with the number of steps:
 * - `printed`: Theorem 4.2 as stated, which does not minimise its bound;
 * - `minimiser`: the minimiser of that bound, `R²/K + v K Σ_S²`;
 * - `sharp`: the minimiser of the sharper `R²/(2K) + v K Σ_S²`.
 */
export type ScheduleRule = 'printed' | 'minimiser' | 'sharp';

/** `unitNoise` over the square of the length, for each rule. */
const shares: Readonly<Record<ScheduleRule, number>> = { printed: 1 / 12, minimiser: 1, sharp: 2 };

/** Whole numbers are not missed for the rounding of what they are computed from. */
const slack = 1e-12;

/** Rounds, and steps of each. */
export interface Schedule {
  readonly rounds: number;
  readonly innerSteps: number;
}

/** What a schedule balances: `Σ_S²`, and `v` with noise `v · steps · Σ_S²` per step. */
interface Noise {
  readonly noise: number;
  readonly unitNoise: number;
}

/**
 * One round, for convex risks: `K = R / (Σ_S √(share · v))`, rounded, at least 1.
 *
 * @param options - `distance`: `R_{MP⁻¹}`, not squared; `noise`: `Σ_S²`; `unitNoise`: `v`.
 * @returns the schedule, and `exact`: `K` before rounding.
 * @throws {InvalidParameter} unless the numbers are positive and finite (`distance` may be 0), and `K` is
 * exact in a double.
 * @see Maranjyan, Sadiev and Richtárik 2024, Theorem 4.2 and Appendix E.1.
 */
export function convexSchedule({
  distance,
  noise,
  unitNoise,
  rule = 'printed',
}: Noise & { readonly distance: number; readonly rule?: ScheduleRule }): Schedule & {
  readonly rounds: 1;
  readonly exact: number;
} {
  requireNonNegative({ distance });
  requirePositive({ noise, unitNoise });
  const exact = distance / Math.sqrt(noise) / Math.sqrt(shares[rule] * unitNoise);
  return { rounds: 1, innerSteps: Math.max(1, countable('innerSteps', Math.round(exact))), exact };
}

/**
 * Restarts, for strongly convex risks: `K = ⌈2(1 + κ)⌉` and `T = ⌈log₂ X⌉`, at least 1, with
 * `X = Δ₀ / ((1 + κ) Σ_S² c)` and `c = v/12`.
 *
 * @param options - `condition`: `κ = max_j (M_j/p_j) / μ`; `gap`: `Δ₀ = f(w⁰) − f*`; `noise`: `Σ_S²`;
 * `unitNoise`: `v`.
 * @returns the schedule, and `ratio`: `X`.
 * @throws {InvalidParameter} unless the numbers are positive and finite (`gap` may be 0), and `K` is exact in
 * a double.
 * @see Maranjyan, Sadiev and Richtárik 2024, Theorem 4.2 (the number of inner steps as in the appendix).
 */
export function stronglyConvexSchedule({
  condition,
  gap,
  noise,
  unitNoise,
}: Noise & { readonly condition: number; readonly gap: number }): Schedule & { readonly ratio: number } {
  requireNonNegative({ gap });
  requirePositive({ condition, noise, unitNoise });
  const ratio = gap / (1 + condition) / noise / (unitNoise / 12);
  if (ratio === Infinity)
    throw new InvalidParameter(
      `the gap ${gap} over the noise is more than a double holds; give numbers of like size`,
      { gap, noise, unitNoise },
    );
  return {
    rounds: Math.max(1, Math.ceil(Math.log2(ratio) - slack)),
    innerSteps: countable('innerSteps', Math.ceil(2 * (1 + condition) * (1 - slack))),
    ratio,
  };
}

function countable(name: string, value: number): number {
  if (Number.isSafeInteger(value)) return value;
  throw new InvalidParameter(
    `${name} would be ${value}, more than can be counted exactly; the distance or the condition is out ` +
      'of proportion to the noise',
    { [name]: value },
  );
}
