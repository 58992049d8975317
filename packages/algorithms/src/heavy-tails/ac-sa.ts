import { plainLoops, type Loops, type Program, type Vector } from '@lethe/core';
import type { Domain } from '@lethe/numerics';
import { momentumAt, proximityAt } from './schedules/ac-sa-schedule.js';

/** One run of {@link acSa}. */
export interface AcSaOptions {
  readonly rounds: number;
  /** `η ≥ 2β`, positive. */
  readonly eta: number;
  readonly domain: Domain;
  /** `w_0`, in the domain. */
  readonly start: Vector;
  /** A private mean gradient at `point` in round `t`. `point` is lent. */
  readonly oracle: (point: Vector, t: number) => Program<Vector>;
  /** Of the run. @defaultValue of one that is never stored */
  readonly loops?: Pick<Loops, 'state' | 'rounds'>;
}

/**
 * Algorithm 5: accelerated stochastic approximation with any oracle for the mean gradient.
 *
 * @returns `w_T^ag`.
 */
export function* acSa({ rounds, eta, domain, start, oracle, loops = plainLoops() }: AcSaOptions): Program<Vector> {
  const { w, aggregate } = loops.state({ w: start.slice(), aggregate: start.slice() });
  const middle = new Float64Array(w.length);
  for (const t of loops.rounds(rounds)) {
    const alpha = momentumAt(t);
    for (let j = 0; j < w.length; j++) middle[j] = (1 - alpha) * aggregate[j] + alpha * w[j];
    const gradient = yield* oracle(middle, t);
    const step = alpha / proximityAt(eta, t);
    for (let j = 0; j < w.length; j++) w[j] -= step * gradient[j];
    domain.projectInto(w, w);
    for (let j = 0; j < w.length; j++) aggregate[j] = alpha * w[j] + (1 - alpha) * aggregate[j];
  }
  return aggregate;
}
