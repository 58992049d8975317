import { plainLoops, type Loops, type Program, type Vector } from '@lethe/core';

/** One run of {@link proximalSgd}. */
export interface ProximalSgdOptions {
  /** `T`: steps. */
  readonly rounds: number;
  /** `η_0 … η_{T−1}`, positive. */
  readonly stepSizes: ArrayLike<number>;
  /** Writes `argmin_y eta·f¹(y) + ½‖y − z‖²` to `out`, which may be `z`. */
  readonly proximal: (out: Vector, z: Vector, eta: number) => void;
  /** `w_0`. */
  readonly start: Vector;
  /** A private mean gradient of the smooth part at `point` in step `t = 0 … T−1`. `point` is lent. */
  readonly oracle: (point: Vector, t: number) => Program<Vector>;
  /** Of the run. @defaultValue of one that is never stored */
  readonly loops?: Pick<Loops, 'state' | 'rounds'>;
}

/**
 * Algorithm 9: proximal stochastic gradient descent with any oracle for the mean gradient.
 *
 * @returns `w_T`.
 */
export function* proximalSgd({
  rounds,
  stepSizes,
  proximal,
  start,
  oracle,
  loops = plainLoops(),
}: ProximalSgdOptions): Program<Vector> {
  const { w } = loops.state({ w: start.slice() });
  for (const step of loops.rounds(rounds)) {
    const t = step - 1;
    const gradient = yield* oracle(w, t);
    for (let j = 0; j < w.length; j++) w[j] -= stepSizes[t] * gradient[j];
    proximal(w, w, stepSizes[t]);
  }
  return w;
}
