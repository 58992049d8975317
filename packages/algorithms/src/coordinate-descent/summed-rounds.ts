import type { Loops, Program, Vector } from '@lethe/core';
import type { CoordinateConstraints } from './coordinate-constraints.js';
import type { Schedule } from './schedule.js';
import { addProduct } from './descent.js';

/** One run of {@link summedRounds}. */
export interface SummedRounds extends Pick<Loops, 'state' | 'rounds'> {
  readonly plan: Schedule;
  readonly land: CoordinateConstraints;
  readonly start: Vector;
  /** Moves `theta` by step `0, 1, …, KT − 1`, but for the projection. */
  readonly move: (theta: Vector, step: number) => Program<void>;
}

/**
 * Rounds of steps from the average of the round before, which is summed up as it stands: what
 * {@link sketchedDescent} does without touching every coordinate.
 */
export function* summedRounds({ plan, land, start, move, state, rounds }: SummedRounds): Program<Vector> {
  const { innerSteps } = plan;
  const { theta } = state({ theta: land.enter(start) });
  for (const t of rounds(plan.rounds)) {
    const { sum, rest } = state({
      sum: new Float64Array(theta.length),
      rest: new Float64Array(theta.length),
    });
    for (const k of rounds(innerSteps)) {
      yield* move(theta, (t - 1) * innerSteps + k - 1);
      land.project?.(theta);
      for (let j = 0; j < theta.length; j++) addProduct(sum, rest, j, theta[j], 1);
    }
    for (let j = 0; j < theta.length; j++) theta[j] = (sum[j] + rest[j]) / innerSteps;
    land.confine?.(theta);
  }
  return theta;
}
