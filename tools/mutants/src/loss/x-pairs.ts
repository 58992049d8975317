import { defineLinearLoss, type Loss } from '@lethe/core';
import { subjectsOf, type Subject } from '@lethe/laws';
import { logistic, losses } from '@lethe/losses';
import { defined, logisticSum, type ClippedTermsSum } from '@lethe/numerics';
import { defineMutant } from '../mutant.js';

const source = 'generic';

/** The logistic loss with another kernel of several points. */
function withTerms(clippedTerms: (job: ClippedTermsSum) => void): Subject<'loss'> {
  const {
    value: _value,
    gradientInto: _gradientInto,
    linear,
    kind: _kind,
    ...rest
  } = { ...(logistic as Loss) };
  const loss = defineLinearLoss({
    ...rest,
    linear: { ...defined(linear), fused: () => ({ ...logisticSum, clippedTerms }) },
  });
  return subjectsOf(loss as unknown as Loss, { registry: losses })[0] as Subject<'loss'>;
}
const shipped = (job: ClippedTermsSum): void => logisticSum.clippedTerms?.(job);

export const xPairs1 = defineMutant({
  id: 'loss/second-point-ignored',
  title: 'the kernel of several points takes the first alone',
  kind: 'loss',
  source,
  killedBy: ['loss/fused'],
  within: 60,
  plant: () => withTerms((job) => shipped({ ...job, terms: job.terms.slice(0, 1) })),
});
export const xPairs2 = defineMutant({
  id: 'loss/weights-of-points-swapped',
  title: 'the kernel of several points gives each point the weight of the other',
  kind: 'loss',
  source,
  killedBy: ['loss/fused'],
  within: 60,
  plant: () =>
    withTerms((job) => {
      const weights = job.terms.map(({ weight }) => weight).toReversed();
      shipped({ ...job, terms: job.terms.map(({ at }, k) => ({ at, weight: weights[k] })) });
    }),
});
export const xPairs3 = defineMutant({
  id: 'loss/points-clipped-apart',
  title: 'the kernel of several points clips the gradient at each point by itself',
  kind: 'loss',
  source,
  killedBy: ['loss/fused'],
  within: 60,
  plant: () =>
    withTerms((job) => {
      for (const term of job.terms) shipped({ ...job, terms: [term] });
    }),
});
