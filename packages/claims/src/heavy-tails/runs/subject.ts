import { gdp } from '@lethe/accountants';
import {
  clippedAcSa,
  composedAcSa,
  heavyTailedGradientDescent,
  heavyTailsRates,
  localizedStronglyConvex,
  localizedSubgradient,
  noisyClippedAcSa,
  noisyClippedProximalSgd,
  noisyClippedSgd,
  noisyClippedSubgradient,
} from '@lethe/algorithms';
import { convexLowerBound, stronglyConvexLowerBound } from '@lethe/lower-bounds';
import { clippedMean } from '@lethe/mechanisms';

/**
 * Functions of rows C74 to C94: the optimizers as they plan and run, and the lower bounds. `clippedMean` is
 * the mean that runs are planned with; the curator has the one that ships. A mutant replaces one of them.
 */
export const runsSubject = Object.freeze({
  clippedAcSa,
  clippedMean,
  composedAcSa,
  convexLowerBound,
  gdp,
  heavyTailedGradientDescent,
  heavyTailsRates,
  localizedStronglyConvex,
  localizedSubgradient,
  noisyClippedAcSa,
  noisyClippedProximalSgd,
  noisyClippedSgd,
  noisyClippedSubgradient,
  stronglyConvexLowerBound,
});

/** See {@link runsSubject}. */
export type RunsSubject = typeof runsSubject;
