import type { ClaimCheck } from '@lethe/laws';
import { composedRounds } from './composed.js';
import {
  blocksConclusion,
  convexLowerConclusion,
  localizedConclusion,
  proximalConclusion,
  smoothConvexConclusion,
  stronglyConvexConclusion,
  stronglyConvexLowerConclusion,
  subsampledConclusion,
} from './conclusions.js';
import { formOfRounds } from './forms.js';
import {
  listingOfAcSa,
  listingOfBlocks,
  listingOfDescent,
  listingOfLocalized,
  listingOfProximalSgd,
  listingOfSgd,
  listingOfSubgradient,
} from './listings.js';
import { plannedBound } from './planned-bound.js';
import { plannedConstants } from './planned-constants.js';
import { plannedEvent, plannedNoise } from './plan-equals-run.js';
import type { RunsSubject } from './subject.js';

const checks: readonly ((subject: RunsSubject) => ClaimCheck)[] = [
  plannedNoise,
  plannedEvent,
  plannedConstants,
  plannedBound,
  listingOfAcSa,
  listingOfSgd,
  listingOfProximalSgd,
  listingOfSubgradient,
  listingOfLocalized,
  listingOfBlocks,
  listingOfDescent,
  smoothConvexConclusion,
  stronglyConvexConclusion,
  proximalConclusion,
  localizedConclusion,
  blocksConclusion,
  subsampledConclusion,
  convexLowerConclusion,
  stronglyConvexLowerConclusion,
  composedRounds,
  formOfRounds,
];

/** Checks of rows C74 to C94, in row order. */
export const runsChecks = (subject: RunsSubject): readonly ClaimCheck[] =>
  checks.map((check) => check(subject));
