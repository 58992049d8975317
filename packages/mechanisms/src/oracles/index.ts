import type { Registry } from '@lethe/core';
import { clippedGaussian } from './clipped-gaussian.js';
import { coordinateMedianOfMeans } from './coordinate-median-of-means.js';
import { countSketchMean } from './count-sketch-mean.js';
import { gaussianL1Recovery } from './gaussian-l1-recovery.js';
import { laplaceLatticeMean, latticeMean, skellamLatticeMean } from './lattice-mean.js';
import { laplaceProjectionMechanism, projectionMechanism } from './projection-mechanism.js';
import { srhtMean } from './srht-mean.js';

export { biasReducedBounds, biasReducedEstimate, type BiasReducedEstimate, type BiasReducedMeans } from './bias-reduced.js';
export { countSketch, type CountSketchShape } from './count-sketch.js';
export { medianOfMeansGroups } from './coordinate-median-of-means.js';
export { l1RecoveryOrProjection, l1RecoveryPlan, type L1RecoveryPlan, type L1RecoverySetting } from './l1-recovery-plan.js';
export { projectionErrorWithin, projectionMeanSquaredError, type NoisyProjection } from './projection-error.js';
export { sensingNormWithin, sparseNormBound, type GaussianSensing } from './restricted-isometry.js';
export { latticeLimit, latticeSensitivity, roundToLatticeInto, type LatticeBall } from './lattice.js';
export type { LinearSketch } from './linear-sketch.js';
export { srht, walshHadamardInPlace } from './srht.js';
export { levelsFor, truncatedGeometric, type Moments, type TruncatedGeometric } from './truncated-geometric.js';
export { clippedGaussian, coordinateMedianOfMeans, countSketchMean, gaussianL1Recovery, laplaceLatticeMean, laplaceProjectionMechanism, latticeMean, projectionMechanism, skellamLatticeMean, srhtMean };

/** The mean oracles. */
export const meanOracles: Registry = Object.freeze([clippedGaussian, coordinateMedianOfMeans, projectionMechanism, laplaceProjectionMechanism, gaussianL1Recovery, countSketchMean, srhtMean, latticeMean, laplaceLatticeMean, skellamLatticeMean]);
