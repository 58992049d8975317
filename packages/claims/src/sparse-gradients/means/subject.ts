import { approximateFilter } from '@lethe/accountants';
import type { CentralMean, Mechanism } from '@lethe/core';
import { linear } from '@lethe/losses';
import {
  basisPursuit,
  classicalGaussian,
  clippedMean,
  gaussian,
  gaussianL1Recovery,
  hullProjectionMechanism,
  l1Gap,
  l1ProjectionMechanism,
  l1RecoveryOrProjection,
  l1RecoveryPlan,
  l2Clip,
  laplace,
  laplaceProjectionMechanism,
  measurementsWithin,
  projectionErrorWithin,
  projectionMeanSquaredError,
  projectionMechanism,
  projectL1Ball,
  sensingNormWithin,
  sparseNormBound,
} from '@lethe/mechanisms';
import {
  approximateError,
  averagedDraws,
  filteredEpsilon,
  gaussianLargest,
  gaussianQuantiles,
  laplaceLargest,
  laplaceQuantiles,
  lemmaBound,
  printedGaussianBranch,
  printedGaussianVariance,
  printedLaplaceScale,
  printedRecoveryVariance,
  pureError,
  sparseNormRatio,
  textbookMultiplier,
} from './formulas.js';

/** A projected mean. */
export type ProjectedMean = CentralMean<typeof projectionMechanism.params>;
/** A mean from few measurements. */
export type RecoveredMean = CentralMean<typeof gaussianL1Recovery.params>;

/**
 * What rows 1 to 31, 99 to 103, 125, 127 and 128 of the claims are about: what ships, and printed formulas.
 */
export const meansSubject = Object.freeze({
  approximateError,
  approximateFilter,
  averagedDraws,
  basisPursuit,
  classicalGaussian: classicalGaussian as Mechanism<typeof classicalGaussian.params>,
  clippedMean: clippedMean as CentralMean<typeof clippedMean.params>,
  filteredEpsilon,
  gaussian: gaussian as Mechanism<typeof gaussian.params>,
  gaussianL1Recovery: gaussianL1Recovery as RecoveredMean,
  gaussianLargest,
  gaussianQuantiles,
  hullProjectionMechanism: hullProjectionMechanism as ProjectedMean,
  l1Gap,
  l1ProjectionMechanism: l1ProjectionMechanism as ProjectedMean,
  l1RecoveryOrProjection,
  l1RecoveryPlan,
  l2Clip: { clipInPlace: l2Clip.clipInPlace },
  laplace: laplace as Mechanism<typeof laplace.params>,
  laplaceLargest,
  laplaceProjectionMechanism: laplaceProjectionMechanism as ProjectedMean,
  laplaceQuantiles,
  lemmaBound,
  linear: { value: linear.value, gradientInto: linear.gradientInto },
  measurementsWithin,
  printedGaussianBranch,
  printedGaussianVariance,
  printedLaplaceScale,
  printedRecoveryVariance,
  projectionErrorWithin,
  projectionMeanSquaredError,
  projectionMechanism: projectionMechanism as ProjectedMean,
  projectL1Ball,
  pureError,
  sensingNormWithin,
  sparseNormBound,
  sparseNormRatio,
  textbookMultiplier,
});
/** Type of {@link meansSubject}. */
export type MeansSubject = typeof meansSubject;
