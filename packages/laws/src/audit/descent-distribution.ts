import {
  domainAt,
  resolvePlugin,
  sensitivityUnder,
  type DescendQuery,
  type Mechanism,
  type Vector,
} from '@lethe/core';
import { descentSensitivity } from '@lethe/curator';
import { largestNorm, norm2 } from '@lethe/numerics';
import { additiveDistribution, type AnswerDistribution } from './answer-distribution.js';
import type { Setting } from './answer-distributions.js';
import { appliedBound, multiplierOf } from './bounded-canary.js';
import { logDensityOf } from './noise-density.js';

/**
 * The distribution of the noisy point of a descent, if the canary is a linear loss within its facts and all
 * other records are zero: the canary moves the start in one step, and the point stays there.
 *
 * @param place - Position of the canary in the batch.
 */
export function descentLaw(
  { registry, adjacency, dimension, facts, canary, labels }: Setting,
  { start, domain: ref, steps, release, noiseOn, bound, noise }: DescendQuery,
  place: number,
): AnswerDistribution {
  const domain = domainAt(registry, ref, dimension);
  const base = domain.projectInto(new Float64Array(dimension), start);
  const terms = [{ weight: 1, at: base }];
  const { radius, bounded } = appliedBound(bound, { terms }, { registry, facts, dimension });
  const all = steps.reduce((sum, { count }) => sum + count, 0);
  const { stepSize, batchSize, after } = stepAt(steps, place);
  const share = release === 'last' ? 1 : (all - 1 - after) / all;
  const move = (side: 0 | 1): Vector => {
    const gradient = bounded(canary.gradient({ terms }, labels[side]));
    const moved = base.map((x, j) => x - (stepSize * gradient[j]) / batchSize);
    return domain.projectInto(moved, moved).map((x, j) => share * (x - base[j]));
  };
  const moves = [move(0), move(1)] as const;
  const way = steps.reduce((sum, one) => sum + one.count * one.stepSize * radius, 0);
  const sensitivity = descentSensitivity({
    steps,
    lipschitz: radius,
    smoothness: facts['smoothness']?.value ?? 0,
    dimension,
    reach: Math.min(largestNorm(domain), norm2(base) + way),
    release,
    noiseOn,
  });
  const { plugin, params } = resolvePlugin<Mechanism>(registry, noise.mechanism);
  const scale =
    multiplierOf(plugin, params, noise.target) * sensitivityUnder(sensitivity, adjacency, 'a descent');
  return additiveDistribution({ base, moves, scale, logDensity: logDensityOf(plugin, params) });
}

/** The step that reads the record at this position, and how many steps are before it; else the first. */
function stepAt(
  steps: DescendQuery['steps'],
  place: number,
): { readonly stepSize: number; readonly batchSize: number; readonly after: number } {
  let [from, after] = [0, 0];
  for (const { count, stepSize, batchSize } of steps) {
    if (place < from + count * batchSize)
      return { stepSize, batchSize, after: after + Math.max(0, Math.floor((place - from) / batchSize)) };
    from += count * batchSize;
    after += count;
  }
  return { ...steps[0], after: 0 };
}
