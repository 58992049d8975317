import type { CoreEvent } from '@lethe/core';
import { cappedRuns } from './capped.js';
import { negativeBinomialRuns } from './negative-binomial.js';
import { poissonRuns } from './poisson.js';
import type { Runs } from './runs.js';

/** An event of the best of several runs of a base. */
export type SelectionEvent = CoreEvent<
  'core/selection' | 'core/negative-binomial-selection' | 'core/poisson-selection'
>;

/** The number of runs, or `null` if it is 1 for certain. */
export function runsOf(event: SelectionEvent): Runs | null {
  switch (event.kind) {
    case 'core/selection':
      return event.stopProbability === 1 || event.cap === 1 ? null : cappedRuns(event);
    case 'core/negative-binomial-selection':
      return event.stopProbability === 1 ? null : negativeBinomialRuns(event);
    case 'core/poisson-selection':
      return poissonRuns(event.mean);
  }
}
