import { cappedRuns } from './capped.js';
import { negativeBinomialRuns } from './negative-binomial.js';
import { poissonRuns } from './poisson.js';
import type { Runs } from './runs.js';
import { runsOnce, type SelectionEvent } from './selection-event.js';

/** The number of runs, or `null` if it is 1 for certain. */
export function runsOf(event: SelectionEvent): Runs | null {
  if (runsOnce(event)) return null;
  switch (event.kind) {
    case 'core/selection':
      return cappedRuns(event);
    case 'core/negative-binomial-selection':
      return negativeBinomialRuns(event);
    case 'core/poisson-selection':
      return poissonRuns(event.mean);
  }
}
