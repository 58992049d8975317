import { l2Clip } from '@lethe/mechanisms';
import { acSaExcessRisk } from './ac-sa-schedule.js';

/** What Theorem 31 reads: moments are roots, `r_k = (E‖∇f‖^k)^(1/k)`. */
export interface SmoothConvexFacts {
  readonly slots: number; readonly dimension: number;
  /** `β`, of the population risk. */
  readonly smoothness: number;
  readonly diameter: number;
  /** `k ≥ 2`, `r_k`, and `r_2 ≤ r_k`. */
  readonly order: number; readonly moment: number; readonly secondMoment: number;
  /** Noise over sensitivity of each round. */
  readonly noiseMultiplier: number;
  /** Sensitivity of a clipped mean over `clipNorm / batchSize`: 2 under replace-one, 1 under zero-out. */
  readonly sensitivityFactor: number;
}

/** Numbers that the schedule takes as given instead of choosing them. */
export interface SmoothConvexOverrides { readonly rounds?: number | undefined; readonly clipNorm?: number | undefined }

/** Numbers of a run of Algorithm 2, and its bound. */
export interface SmoothConvexSchedule {
  readonly rounds: number; readonly batchSize: number; readonly clipNorm: number; readonly eta: number;
  /** Standard deviation `σ` of one coordinate's noise. */
  readonly noise: number;
  /** `B ≥ ‖E g_t − ∇F‖`. */
  readonly bias: number;
  /** `Σ² ≥ E‖g_t − E g_t‖²`. */
  readonly variance: number;
  /** Bound on `E F(w_T^ag) − F*`. */
  readonly excessRisk: number;
}

/**
 * Rounds, clip norm and step scale of Theorem 31, from the noise really used.
 *
 * `printed` follows the paper's text. `corrected` uses `r_2` in the second branch of the number of rounds, without which the
 * stated bound does not follow, and the clip's sharp bias bound, smaller by `(1 − 1/k)^k` or more.
 *
 * The paper's `ε` is the one with `σ = 2·clipNorm/(batchSize·ε)`: `1/noiseMultiplier` under replace-one, twice that under zero-out.
 */
export function smoothConvexSchedule(facts: SmoothConvexFacts, schedule: 'corrected' | 'printed', overrides: SmoothConvexOverrides = {}): SmoothConvexSchedule {
  const { slots: n, dimension: d, smoothness: beta, diameter: D, order: k, moment, secondMoment, sensitivityFactor } = facts;
  const epsilon = 2 / (facts.noiseMultiplier * sensitivityFactor);
  const rounds = Math.min(Math.max(1, Math.ceil(overrides.rounds ?? roundsOf(facts, epsilon, schedule))), Math.floor(n));
  const clipNorm = overrides.clipNorm ?? moment * ((epsilon * n) / Math.sqrt(d * rounds)) ** (1 / k);
  const batchSize = Math.floor(n / rounds);
  const noise = (facts.noiseMultiplier * sensitivityFactor * clipNorm) / batchSize;
  const bias = schedule === 'printed'
    ? (moment * (moment / clipNorm) ** (k - 1)) / (k - 1)
    : moment * l2Clip.biasBound({ radius: clipNorm / moment }, { order: k, value: 1 });
  const variance = d * noise ** 2 + secondMoment ** 2 / batchSize;
  const error = Math.sqrt(variance + bias ** 2);
  const eta = Math.max(2 * beta, (rounds ** 1.5 * error) / D);
  return { rounds, batchSize, clipNorm, eta, noise, bias, variance, excessRisk: acSaExcessRisk({ rounds, eta, error, bias, diameter: D }) };
}

/** `T` as a real number: the smaller of the two branches. Zero smoothness gives one round. */
function roundsOf({ slots: n, dimension: d, smoothness: beta, diameter: D, order: k, moment, secondMoment }: SmoothConvexFacts, epsilon: number, schedule: 'corrected' | 'printed'): number {
  const noisy = ((beta * D) / moment) ** ((2 * k) / (5 * k - 1)) * ((epsilon * n) / Math.sqrt(d)) ** ((2 * k - 2) / (5 * k - 1));
  const statistical = Math.sqrt((beta * D) / (schedule === 'corrected' ? secondMoment : moment)) * n ** 0.25;
  return Math.min(noisy, statistical);
}
