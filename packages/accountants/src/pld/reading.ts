import type { Bounds } from '@lethe/numerics';
import { inverted } from './crossing.js';
import type { Goal } from './growth.js';
import type { LogProfile } from './jumps.js';
import type { Plan } from './plan.js';

interface Reading {
  readonly apart: number;
  readonly tolerance: number;
  readonly before: Bounds | undefined;
}

/**
 * @param reading - The likely distance between both bounds, the tolerance for each, and bounds known before.
 */
export function read(
  profile: LogProfile,
  goal: Goal,
  plan: Pick<Plan, 'deviation' | 'epsilon'>,
  { apart, tolerance, before }: Reading,
): Bounds {
  if (!('delta' in goal)) {
    const { epsilon } = goal;
    return {
      lower: Math.exp(profile.logLower(epsilon)) * (1 - 2 ** -50),
      upper: Math.min(1, Math.exp(profile.logUpper(epsilon)) * (1 + 2 ** -50) + Number.MIN_VALUE),
    };
  }
  const known = before !== undefined && before.upper < Infinity && before.lower > 0;
  const step = known ? (before.upper - before.lower) / 4 : Math.max(plan.deviation / 32, plan.epsilon / 4096);
  return inverted(profile.logLower, profile.logUpper, Math.log(goal.delta), {
    near: known ? before.upper : plan.epsilon,
    step: Math.max(step, 1e-12),
    apart,
    tolerance,
  });
}
