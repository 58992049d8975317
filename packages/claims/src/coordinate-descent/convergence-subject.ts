import {
  blockwiseRoundBound,
  convexBound,
  convexSchedule,
  exactQuadraticMoments,
  lazyAverage,
  printedStronglyConvexBound,
  rates,
  roundBound,
  safeStronglyConvexBound,
  separableRisk,
  sharpRoundBound,
  sharpStronglyConvexBound,
  sketchedDescent,
  stronglyConvexBound,
  stronglyConvexSchedule,
  weightedNorm,
} from '@lethe/algorithms';
import { componentSmoothness } from '@lethe/curator';
import {
  blockSketch,
  fullSketch,
  independentCoordinates,
  singleCoordinate,
  sketchConstants,
  tauNice,
} from '@lethe/mechanisms';
import {
  bestConvexProbabilities,
  descentBound,
  distanceBound,
  gapBound,
  printedDistanceBound,
  printedRoundLength,
  roundLength,
} from './lemmas.js';

/** Functions of rows 32 to 55, as shipped, and the lemmas as formulas. A mutant replaces one of them. */
export const convergenceSubject = Object.freeze({
  bestConvexProbabilities,
  blockSketch,
  blockwiseRoundBound,
  componentSmoothness,
  convexBound,
  convexSchedule,
  descentBound,
  distanceBound,
  exactQuadraticMoments,
  fullSketch,
  gapBound,
  independentCoordinates,
  lazyAverage,
  printedDistanceBound,
  printedRoundLength,
  printedStronglyConvexBound,
  rates,
  roundBound,
  roundLength,
  safeStronglyConvexBound,
  separableRisk,
  sharpRoundBound,
  sharpStronglyConvexBound,
  singleCoordinate,
  sketchConstants,
  sketchedDescent,
  stronglyConvexBound,
  stronglyConvexSchedule,
  tauNice,
  weightedNorm,
});

/** See {@link convergenceSubject}. */
export type ConvergenceSubject = typeof convergenceSubject;
