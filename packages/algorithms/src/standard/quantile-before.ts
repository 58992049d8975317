import { clippedMeanSensitivity, sensitivityUnder, type Problem } from '@lethe/core';
import { gaussian } from '@lethe/mechanisms';
import { largestOf, plannedQuantile, type AskedQuantile } from '../common/private-clip.js';
import { centralSlots, lipschitzOf } from '../common/problem-facts.js';
import { momentsOf } from '../heavy-tails/facts.js';

/** Why there is no bound where the clip norm is found. */
export const foundBefore =
  'the clip norm is found from the records, and rounds and steps are those for the clip norm of the plan';

/**
 * The quantile by which a method finds its clip norm before its first step, and the gradients that its counts
 * look at; none where the clip norm is a number or another part of the mean.
 *
 * @throws {Unsupported} where nothing tells how long gradients may be; {@link largestOf} says what to
 * declare.
 */
export function quantileBefore(
  clipNorm: number | AskedQuantile | undefined,
  {
    problem,
    budget,
  }: { readonly problem: Problem; readonly budget: { readonly epsilon: number; readonly delta: number } },
) {
  if (typeof clipNorm !== 'object') return { quantile: null, gradients: 0 };
  const slots = centralSlots(problem);
  const moments = momentsOf(problem, 'pointwise').map(({ moment }) => moment);
  const largest = largestOf(clipNorm, {
    longest: lipschitzOf(problem) ?? Infinity,
    moment: Math.min(...moments),
  });
  const whole = gaussian.multiplierFor({}, budget);
  const factor = sensitivityUnder(clippedMeanSensitivity, problem.adjacency, 'a clipped mean');
  const spread = (Math.sqrt(problem.dimension) * factor * whole) / slots;
  return {
    quantile: plannedQuantile(clipNorm, { largest, whole, spread }),
    gradients: clipNorm.counts * slots,
  };
}
