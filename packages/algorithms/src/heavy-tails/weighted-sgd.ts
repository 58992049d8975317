import { InvalidParameter, plainLoops, type Loops, type Program, type Vector } from '@lethe/core';
import { type Domain } from '@lethe/numerics';

/** One run of {@link weightedSgd}. */
export interface WeightedSgdOptions {
  /** `T`: there are `T + 1` steps. */
  readonly rounds: number;
  /** `η_0 … η_T`, and weights `ζ_0 … ζ_T`, at least 0 and not all 0. */
  readonly stepSizes: ArrayLike<number>;
  readonly weights: ArrayLike<number>;
  readonly domain: Domain;
  /** `w_0`, in the domain. */
  readonly start: Vector;
  /** A private mean gradient at `point` in step `t = 0 … T`. `point` is lent. */
  readonly oracle: (point: Vector, t: number) => Program<Vector>;
  /** Of the run. @defaultValue of one that is never stored */
  readonly loops?: Pick<Loops, 'state' | 'rounds'>;
}

/**
 * Algorithm 7: projected stochastic gradient descent with any oracle for the mean gradient.
 *
 * @returns the average of `w_1 … w_{T+1}` with weights `ζ_0 … ζ_T`, projected: rounding may leave the domain.
 * @throws {InvalidParameter} unless there are `T + 1` step sizes and weights.
 */
export function* weightedSgd({
  rounds,
  stepSizes,
  weights,
  domain,
  start,
  oracle,
  loops = plainLoops(),
}: WeightedSgdOptions): Program<Vector> {
  if (stepSizes.length !== rounds + 1 || weights.length !== rounds + 1)
    throw new InvalidParameter(
      `${stepSizes.length} step sizes and ${weights.length} weights were given; ` +
        `${rounds} rounds have ${rounds + 1} steps`,
      { rounds, stepSizes: stepSizes.length, weights: weights.length },
    );
  const { w, sum } = loops.state({ w: start.slice(), sum: new Float64Array(start.length) });
  let total = 0;
  for (let t = 0; t <= rounds; t++) total += weights[t];
  for (const step of loops.rounds(rounds + 1)) {
    const t = step - 1;
    const gradient = yield* oracle(w, t);
    for (let j = 0; j < w.length; j++) w[j] -= stepSizes[t] * gradient[j];
    domain.projectInto(w, w);
    for (let j = 0; j < w.length; j++) sum[j] += (weights[t] / total) * w[j];
  }
  return domain.projectInto(sum, sum);
}
