import type { Program, Vector } from '@lethe/core';
import type { Domain } from '@lethe/numerics';
import { momentumAt, proximityAt } from './schedules/ac-sa-schedule.js';

/** All that accelerated stochastic approximation remembers after a round: `w_t` and `w_t^ag`. */
export interface AcSaState { readonly round: number; readonly iterate: Vector; readonly aggregate: Vector }

/** One run of {@link acSa}. */
export interface AcSaOptions {
  readonly rounds: number;
  /** `η ≥ 2β`, positive. */
  readonly eta: number;
  readonly domain: Domain;
  /** `w_0`, in the domain; or the state to go on from. */
  readonly start: Vector | AcSaState;
  /** A private mean gradient at `point` in round `t`. `point` is lent. */
  readonly oracle: (point: Vector, t: number) => Program<Vector>;
  /** Called after every round but the last; its vectors are lent. */
  readonly afterRound?: (state: AcSaState) => Program<void>;
}

/**
 * Algorithm 5: accelerated stochastic approximation with any oracle for the mean gradient.
 *
 * @returns `w_T^ag`.
 */
export function* acSa({ rounds, eta, domain, start, oracle, afterRound }: AcSaOptions): Program<Vector> {
  const state = ArrayBuffer.isView(start) ? { round: 0, iterate: start, aggregate: start } : start;
  const w = state.iterate.slice();
  const aggregate = state.aggregate.slice();
  const middle = new Float64Array(w.length);
  for (let t = state.round + 1; t <= rounds; t++) {
    const alpha = momentumAt(t);
    for (let j = 0; j < w.length; j++) middle[j] = (1 - alpha) * aggregate[j] + alpha * w[j];
    const gradient = yield* oracle(middle, t);
    const step = alpha / proximityAt(eta, t);
    for (let j = 0; j < w.length; j++) w[j] -= step * gradient[j];
    domain.projectInto(w, w);
    for (let j = 0; j < w.length; j++) aggregate[j] = alpha * w[j] + (1 - alpha) * aggregate[j];
    if (afterRound !== undefined && t < rounds) yield* afterRound({ round: t, iterate: w, aggregate });
  }
  return aggregate;
}
