import { subjectsOf, type Subject } from '@lethe/laws';
import { exponential, mechanisms, permuteAndFlip, reportNoisyMax } from '@lethe/mechanisms';
import { defineTight } from '../mutant.js';

const only = (ref: Parameters<typeof subjectsOf>[0]): Subject<'selector'> =>
  subjectsOf(ref, { registry: mechanisms })[0] as Subject<'selector'>;

export const tightExponential = defineTight({
  id: 'exponential',
  kind: 'selector',
  plant: () => only(exponential({})),
});
export const tightPermuteAndFlip = defineTight({
  id: 'permute-and-flip',
  kind: 'selector',
  plant: () => only(permuteAndFlip({})),
});
export const tightNoisyMax = defineTight({
  id: 'noisy-max',
  kind: 'selector',
  plant: () => only(reportNoisyMax({ noise: 'laplace' })),
});
