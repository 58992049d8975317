import type { CoreEvent } from '@lethe/core';

/** An event of the best of several runs of a base. */
export type SelectionEvent = CoreEvent<
  'core/selection' | 'core/negative-binomial-selection' | 'core/poisson-selection'
>;

/** Whether there is one run for certain. */
export const runsOnce = (event: SelectionEvent): boolean =>
  event.kind !== 'core/poisson-selection' &&
  (event.stopProbability === 1 || (event.kind === 'core/selection' && event.cap === 1));
