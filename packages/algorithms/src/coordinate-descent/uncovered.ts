import type { Adjacency } from '@lethe/core';
import type { CoordinateConstraints } from './coordinate-constraints.js';
import type { RecordRadius } from './record-radius.js';
import type { Schedule } from './schedule.js';
import type { Reach } from './sketched-utility.js';

/** What a plan knows when it bounds the risk. */
export interface Covered { readonly land: CoordinateConstraints; readonly radius: RecordRadius; readonly adjacency: Adjacency }

/** Why the theory says nothing of a problem, whatever is declared of it; `null` where it does. */
export function obstacleIn({ land, radius, adjacency }: Covered): string | null {
  const reasons = [land.obstacle, radius.cut, adjacency === 'add-remove' ? 'under add-remove means are divided by a guess: the risk that is descended on is a multiple of the average loss, by a factor nobody knows' : null].filter((reason) => reason !== null);
  return reasons.length === 0 ? null : reasons.join('; ');
}

/** Why a run that the theory covers has no bound: what is not declared, or too short a round. */
export function lackingFor({ rounds, innerSteps }: Schedule, { gap, condition, excess }: Reach): string {
  if (rounds === 1) return "the fact 'startDistance', or 'startDistance.j' for every coordinate, is missing: an upper bound on the distance from the start to the minimiser";
  if (condition === null) return "more than one round is bounded for strongly convex risks only: take one, declare the fact 'strongConvexity', or add a ridge";
  if (gap === null) return "the fact 'startGap', or 'startDistance', is missing: an upper bound on the excess risk of the start";
  return `a round of ${innerSteps} steps is no longer than the condition number ${condition + excess}, and need not lower the risk: take more innerSteps`;
}
