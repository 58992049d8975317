import type { Program, Vector } from '@lethe/core';

/** All that {@link proximalSgd} remembers after some steps. */
export interface ProximalSgdState { readonly step: number; readonly iterate: Vector }

/** One run of {@link proximalSgd}. */
export interface ProximalSgdOptions {
  /** `T`: steps. */
  readonly rounds: number;
  /** `η_0 … η_{T−1}`, positive. */
  readonly stepSizes: ArrayLike<number>;
  /** Writes `argmin_y eta·f¹(y) + ½‖y − z‖²` to `out`, which may be `z`. */
  readonly proximal: (out: Vector, z: Vector, eta: number) => void;
  /** `w_0`; or the state to go on from. */
  readonly start: Vector | ProximalSgdState;
  /** A private mean gradient of the smooth part at `point` in step `t = 0 … T−1`. `point` is lent. */
  readonly oracle: (point: Vector, t: number) => Program<Vector>;
  /** Called after every step but the last; its vector is lent. */
  readonly afterRound?: (state: ProximalSgdState) => Program<void>;
}

/**
 * Algorithm 9: proximal stochastic gradient descent with any oracle for the mean gradient.
 *
 * @returns `w_T`.
 */
export function* proximalSgd({ rounds, stepSizes, proximal, start, oracle, afterRound }: ProximalSgdOptions): Program<Vector> {
  const state = ArrayBuffer.isView(start) ? { step: 0, iterate: start } : start, w = state.iterate.slice();
  for (let t = state.step; t < rounds; t++) {
    const gradient = yield* oracle(w, t);
    for (let j = 0; j < w.length; j++) w[j] -= stepSizes[t]! * gradient[j];
    proximal(w, w, stepSizes[t]!);
    if (afterRound !== undefined && t + 1 < rounds) yield* afterRound({ step: t + 1, iterate: w });
  }
  return w;
}
