import type { ClaimCheck } from '@lethe/laws';
import { plannedEvent, plannedNoise } from './plan-equals-run.js';
import type { RunsSubject } from './subject.js';

const checks: readonly ((subject: RunsSubject) => ClaimCheck)[] = [plannedNoise, plannedEvent];

/** Checks of rows C74 to C93, in row order. */
export const runsChecks = (subject: RunsSubject): readonly ClaimCheck[] =>
  checks.map((check) => check(subject));
