import { ask, type Program, type PublicState, type Vector } from '@lethe/core';
import { addProduct } from '../common/exact-sum.js';
import { assertResumable } from '../common/resumable.js';
import type { CoordinateConstraints } from './coordinate-constraints.js';
import type { Schedule } from './schedule.js';

/** All that a method remembers between steps: how many are done, the iterate, and the sum of the round in two parts. */
interface SummedState { readonly [key: string]: PublicState; readonly step: number; readonly theta: Vector; readonly sum: Vector; readonly rest: Vector }

/** One run of {@link summedRounds}. */
export interface SummedRounds {
  readonly plan: Schedule & { readonly checkpointEvery: number };
  readonly land: CoordinateConstraints;
  readonly start: Vector;
  readonly from: PublicState;
  /** Moves `theta` by step `0, 1, …, KT − 1`, but for the projection. */
  readonly move: (theta: Vector, step: number) => Program<void>;
}

/** Rounds of steps from the average of the round before, which is summed up as it stands: what {@link sketchedDescent} does without touching every coordinate. */
export function* summedRounds({ plan: { rounds, innerSteps, checkpointEvery }, land, start, from, move }: SummedRounds): Program<Vector> {
  const state = from as SummedState | null, steps = rounds * innerSteps, d = start.length;
  assertResumable(state?.step ?? 0, steps);
  const theta = state?.theta.slice() ?? land.enter(start), sum = state?.sum.slice() ?? new Float64Array(d), rest = state?.rest.slice() ?? new Float64Array(d);
  for (let step = (state?.step ?? 0) + 1; step <= steps; step++) {
    yield* move(theta, step - 1);
    land.project?.(theta);
    for (let j = 0; j < d; j++) addProduct(sum, rest, j, theta[j]!, 1);
    if (step % innerSteps === 0) {
      for (let j = 0; j < d; j++) theta[j] = (sum[j]! + rest[j]!) / innerSteps;
      land.confine?.(theta);
      sum.fill(0);
      rest.fill(0);
    }
    if (step % checkpointEvery === 0 && step < steps) yield* ask.checkpoint({ step, theta: theta.slice(), sum: sum.slice(), rest: rest.slice() });
  }
  return theta;
}
