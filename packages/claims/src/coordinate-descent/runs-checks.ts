import type { ClaimCheck } from '@lethe/laws';
import { convexConclusion, privateRuns, ratesOfPlans, stronglyConvexConclusion } from './conclusions.js';
import {
  listingOfCoordinateDescent,
  listingOfGradientDescent,
  listingOfSketchedDescent,
  listingOfSkgd,
} from './listings.js';
import { plannedBound } from './planned-bound.js';
import { plannedConstants } from './planned-constants.js';
import { plannedEvent, plannedNoise } from './plan-equals-run.js';
import type { RunsSubject } from './runs-subject.js';

const checks: readonly ((subject: RunsSubject) => ClaimCheck)[] = [
  plannedNoise,
  plannedEvent,
  plannedConstants,
  plannedBound,
  listingOfSketchedDescent,
  listingOfCoordinateDescent,
  listingOfGradientDescent,
  listingOfSkgd,
  privateRuns,
  convexConclusion,
  stronglyConvexConclusion,
  ratesOfPlans,
];

/** Checks of rows 56 to 67, in row order. */
export const runsChecks = (subject: RunsSubject): readonly ClaimCheck[] =>
  checks.map((check) => check(subject));
