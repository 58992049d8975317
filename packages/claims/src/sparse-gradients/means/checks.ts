import type { ClaimCheck } from '@lethe/laws';
import { errorChecks } from './errors.js';
import { filterChecks } from './filter.js';
import { measurementChecks } from './measurements.js';
import { noiseChecks } from './noise.js';
import { projectionChecks } from './projection.js';
import { recordChecks } from './records.js';
import { recoveryChecks } from './recovery.js';
import type { MeansSubject } from './subject.js';

/** Rows 1 to 31, 99 to 103, 125, 127 and 128 of the claims: means of sparse records. */
export const meansChecks = (subject: MeansSubject): readonly ClaimCheck[] => [
  ...recordChecks(subject),
  ...noiseChecks(subject),
  ...projectionChecks(subject),
  ...errorChecks(subject),
  ...measurementChecks(subject),
  ...recoveryChecks(subject),
  ...filterChecks(subject),
];
