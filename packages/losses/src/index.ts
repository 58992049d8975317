export * from './data/index.js';
export * from './constants/index.js';
export * from './moments/index.js';
export { absolute } from './absolute.js';
export { averageRisk } from './average-risk.js';
export { boundsWithin, type KnownBounds } from './bounds-within.js';
export { empiricalGradientMoment, type EmpiricalMoment, type Iterates } from './empirical-moment.js';
export {
  gradientMomentFact,
  logisticGradientMoment,
  squaredGradientMoment,
  type FeatureDistribution,
  type LogisticMoment,
  type SquaredMoment,
} from './gradient-moments.js';
export { hinge } from './hinge.js';
export { huber } from './huber.js';
export type { DenseRows, GivenRows, LabelledRows } from './labelled-rows.js';
export { linear } from './linear.js';
export { logistic } from './logistic.js';
export { losses } from './losses.js';
export { matrixFactorisation } from './matrix-factorisation.js';
export { multiOutputSquared } from './multi-output-squared.js';
export {
  nonPrivateOptimum,
  type NonPrivateOptimum,
  type OptimumOptions,
} from './optimum/non-private-optimum.js';
export { poissonRegression } from './poisson-regression.js';
export { sineLink, sineLinkGrowth, sineLinkSmoothness } from './sine-link.js';
export { softmax } from './softmax.js';
export { squared } from './squared.js';
export { squaredDistance } from './squared-distance.js';
export { twoLayerPerceptron } from './two-layer-perceptron.js';
