import { defineLinearLoss, type FusedSum, type Loss } from '@lethe/core';
import { subjectsOf, type Subject } from '@lethe/laws';
import { logistic, losses } from '@lethe/losses';
import { defined } from '@lethe/numerics';
import { defineMutant } from '../mutant.js';

const linear = defined(logistic.linear);

/** Logistic regression whose kernel clips to a radius that is so many times too large. */
function clippedTo(factor: number): Subject<'loss'> {
  const own = defined(linear.fused)({});
  const fused = (): FusedSum => ({
    ...own,
    clippedSum: (job) => own.clippedSum({ ...job, radius: factor * job.radius }),
  });
  const { name, summary, source, params, examples = [{}], claims, capabilities, facts, labels } = logistic;
  const loss = defineLinearLoss({
    name,
    summary,
    source,
    params,
    examples,
    claims,
    capabilities,
    facts,
    labels,
    linear: { ...linear, fused },
  });
  return subjectsOf(loss as unknown as Loss, { registry: losses })[0] as Subject<'loss'>;
}

export const xLossLinear1 = defineMutant({
  id: 'loss/fused-logistic-clips-a-twentieth-too-far',
  title: 'the kernel of logistic regression clips to 1.05 times the radius',
  kind: 'loss',
  source: 'generic',
  killedBy: ['loss/fused'],
  within: 60,
  plant: () => clippedTo(1.05),
});
