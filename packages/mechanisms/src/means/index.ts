import type { Registry } from '@lethe/core';
import { certifiedMean } from './certified-mean.js';
import { clippedMean } from './clipped-mean.js';
import { coordinateMedianOfMeans } from './coordinate-median-of-means.js';
import { countSketchMean } from './count-sketch-mean.js';
import { gaussianL1Recovery } from './gaussian-l1-recovery.js';
import { hullProjectionMechanism } from './hull-projection.js';
import { l1ProjectionMechanism } from './l1-projection.js';
import { laplaceLatticeMean, latticeMean, skellamLatticeMean } from './lattice-mean.js';
import { laplaceProjectionMechanism, projectionMechanism } from './projection-mechanism.js';
import { shuffledMean } from './shuffled-mean.js';
import { srhtMean } from './srht-mean.js';

export {
  biasReducedBounds,
  biasReducedEstimate,
  type BiasReducedEstimate,
  type BiasReducedMeans,
} from './bias-reduced.js';
export { countSketch, type CountSketchShape } from './count-sketch.js';
export { medianOfMeansGroups } from './coordinate-median-of-means.js';
export {
  l1RecoveryOrProjection,
  l1RecoveryPlan,
  type L1RecoveryPlan,
  type L1RecoverySetting,
} from './l1-recovery-plan.js';
export {
  projectionErrorWithin,
  projectionMeanSquaredError,
  type NoisyProjection,
} from './projection-error.js';
export {
  measurementsWithin,
  sensingNormWithin,
  sparseNormBound,
  type GaussianSensing,
} from './restricted-isometry.js';
export { latticeLimit, latticeSensitivity, roundToLatticeInto, type LatticeBall } from './lattice.js';
export type { LinearSketch } from './linear-sketch.js';
export { srht, walshHadamardInPlace } from './srht.js';
export {
  levelsFor,
  truncatedGeometric,
  type Moments,
  type TruncatedGeometric,
} from './truncated-geometric.js';
export {
  certifiedMean,
  clippedMean,
  coordinateMedianOfMeans,
  countSketchMean,
  gaussianL1Recovery,
  hullProjectionMechanism,
  l1ProjectionMechanism,
  laplaceLatticeMean,
  laplaceProjectionMechanism,
  latticeMean,
  projectionMechanism,
  shuffledMean,
  skellamLatticeMean,
  srhtMean,
};

/** The private means. */
export const means: Registry = Object.freeze([
  clippedMean,
  certifiedMean,
  shuffledMean,
  coordinateMedianOfMeans,
  projectionMechanism,
  laplaceProjectionMechanism,
  l1ProjectionMechanism,
  hullProjectionMechanism,
  gaussianL1Recovery,
  countSketchMean,
  srhtMean,
  latticeMean,
  laplaceLatticeMean,
  skellamLatticeMean,
]);
export { assertDimension, assertLength, assertNoiseVariance } from './checks.js';
