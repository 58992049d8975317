import { InvalidParameter } from '@lethe/core';
import { requireNonNegative, requirePositive } from '../common/require.js';

/**
 * Which length one round has. All three balance the distance from the start against the noise, which grows with the number of steps:
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
export interface Schedule { readonly rounds: number; readonly innerSteps: number }

/** What a schedule balances: `Σ_S²`, and `v` with noise `v · steps · Σ_S²` per step. */
interface Noise { readonly noise: number; readonly unitNoise: number }

/**
 * One round, for convex risks: `K = R / (Σ_S √(share · v))`, rounded, at least 1.
 *
 * @param options - `distance`: `R_{MP⁻¹}`, not squared; `noise`: `Σ_S²`; `unitNoise`: `v`.
 * @returns the schedule, and `exact`: `K` before rounding.
 * @throws {InvalidParameter} unless the numbers are positive and finite (`distance` may be 0), and `K` is exact in a double.
 * @see Maranjyan, Sadiev and Richtárik 2024, Theorem 4.2 and Appendix E.1.
 */
export function convexSchedule({ distance, noise, unitNoise, rule = 'printed' }: Noise & { readonly distance: number; readonly rule?: ScheduleRule }): Schedule & { readonly rounds: 1; readonly exact: number } {
  requireNonNegative({ distance });
  requirePositive({ noise, unitNoise });
  const exact = distance / Math.sqrt(noise) / Math.sqrt(shares[rule] * unitNoise);
  return { rounds: 1, innerSteps: Math.max(1, countable('innerSteps', Math.round(exact))), exact };
}

/**
 * Restarts, for strongly convex risks: `K = ⌈2(1 + κ)⌉` and `T = ⌈log₂ X⌉`, at least 1, with `X = Δ₀ / ((1 + κ) Σ_S² c)` and `c = v/12`.
 *
 * @param options - `condition`: `κ = max_j (M_j/p_j) / μ`; `gap`: `Δ₀ = f(w⁰) − f*`; `noise`: `Σ_S²`; `unitNoise`: `v`.
 * @returns the schedule, and `ratio`: `X`.
 * @throws {InvalidParameter} unless the numbers are positive and finite (`gap` may be 0), and `K` is exact in a double.
 * @see Maranjyan, Sadiev and Richtárik 2024, Theorem 4.2 (the number of inner steps as in the appendix).
 */
export function stronglyConvexSchedule({ condition, gap, noise, unitNoise }: Noise & { readonly condition: number; readonly gap: number }): Schedule & { readonly ratio: number } {
  requireNonNegative({ gap });
  requirePositive({ condition, noise, unitNoise });
  const ratio = gap / (1 + condition) / noise / (unitNoise / 12);
  if (ratio === Infinity) throw new InvalidParameter(`the gap ${gap} over the noise is more than a double holds; give numbers of like size`, { gap, noise, unitNoise });
  return { rounds: Math.max(1, Math.ceil(Math.log2(ratio) - slack)), innerSteps: countable('innerSteps', Math.ceil(2 * (1 + condition) * (1 - slack))), ratio };
}

function countable(name: string, value: number): number {
  if (Number.isSafeInteger(value)) return value;
  throw new InvalidParameter(`${name} would be ${value}, more than can be counted exactly; the distance or the condition is out of proportion to the noise`, { [name]: value });
}
