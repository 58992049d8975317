import { addUp, logUp } from '@lethe/numerics';
import { worstPureTail } from './pure-tail.js';
import { allRuns, logSlope, logSlopeError, meanRepetitions, type Repetitions } from './repetitions.js';
import type { Runs } from './runs.js';

/** Runs that end after each with one probability, and at a cap. */
export const cappedRuns = (capped: Repetitions): Runs => ({
  logSlope: (s, x) => logSlope(capped, s, x),
  slopeError: logSlopeError,
  all: (x, s) => allRuns(capped, x, s),
  allError: logSlopeError,
  logMean: addUp(logUp(meanRepetitions(capped)), 2 ** -46),
  worstRatio: (epsilon) => worstPureTail(capped, epsilon),
});
