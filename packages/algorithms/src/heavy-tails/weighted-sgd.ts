import { InvalidParameter, type Program, type Vector } from '@lethe/core';
import { type Domain } from '@lethe/numerics';

/** All that {@link weightedSgd} remembers after some steps: `w_t`, and `Σ_{i<t} (ζ_i/Z) w_{i+1}`. */
export interface WeightedSgdState { readonly step: number; readonly iterate: Vector; readonly sum: Vector }

/** One run of {@link weightedSgd}. */
export interface WeightedSgdOptions {
  /** `T`: there are `T + 1` steps. */
  readonly rounds: number;
  /** `η_0 … η_T`, and weights `ζ_0 … ζ_T`, at least 0 and not all 0. */
  readonly stepSizes: ArrayLike<number>; readonly weights: ArrayLike<number>;
  readonly domain: Domain;
  /** `w_0`, in the domain; or the state to go on from. */
  readonly start: Vector | WeightedSgdState;
  /** A private mean gradient at `point` in step `t = 0 … T`. `point` is lent. */
  readonly oracle: (point: Vector, t: number) => Program<Vector>;
  /** Called after every step but the last; its vectors are lent. */
  readonly afterRound?: (state: WeightedSgdState) => Program<void>;
}

/**
 * Algorithm 7: projected stochastic gradient descent with any oracle for the mean gradient.
 *
 * @returns the average of `w_1 … w_{T+1}` with weights `ζ_0 … ζ_T`, projected: rounding may leave the domain.
 * @throws {InvalidParameter} unless there are `T + 1` step sizes and weights.
 */
export function* weightedSgd({ rounds, stepSizes, weights, domain, start, oracle, afterRound }: WeightedSgdOptions): Program<Vector> {
  if (stepSizes.length !== rounds + 1 || weights.length !== rounds + 1) throw new InvalidParameter(`${stepSizes.length} step sizes and ${weights.length} weights were given; ${rounds} rounds have ${rounds + 1} steps`, { rounds, stepSizes: stepSizes.length, weights: weights.length });
  const state = ArrayBuffer.isView(start) ? { step: 0, iterate: start, sum: new Float64Array(start.length) } : start;
  const w = state.iterate.slice(), sum = state.sum.slice();
  let total = 0;
  for (let t = 0; t <= rounds; t++) total += weights[t]!;
  for (let t = state.step; t <= rounds; t++) {
    const gradient = yield* oracle(w, t);
    for (let j = 0; j < w.length; j++) w[j] -= stepSizes[t]! * gradient[j];
    domain.projectInto(w, w);
    for (let j = 0; j < w.length; j++) sum[j] += (weights[t]! / total) * w[j];
    if (afterRound !== undefined && t < rounds) yield* afterRound({ step: t + 1, iterate: w, sum });
  }
  return domain.projectInto(sum, sum);
}
