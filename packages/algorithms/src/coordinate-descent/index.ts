export {
  convexBound,
  blockwiseRoundBound,
  printedStronglyConvexBound,
  roundBound,
  safeStronglyConvexBound,
  sharpRoundBound,
  sharpStronglyConvexBound,
  stronglyConvexBound,
  weightedNorm,
} from './bounds.js';
export {
  lemmaD8Holds,
  renyiConversion,
  renyiSlope,
  theoremGaussianMu,
  theoremNoiseMultiplier,
  theoremNoiseScale,
  theoremUnitNoise,
  type TheoremBudget,
} from './schedule.js';
export { sketchedDescent, type SketchedDescent } from './descent.js';
export { dpCd } from './dp-cd.js';
export { dpSkgd } from './dp-skgd.js';
export { exactQuadraticMoments, type QuadraticMoments, type QuadraticRun } from './exact-moments.js';
export { lazyAverage, type LazyAverage, type LazyAverageState } from './descent.js';
export { noisyGradientDescent } from './noisy-gradient-descent.js';
export { rates, type Rate, type RateSetting, type System } from './rates.js';
export { convexSchedule, stronglyConvexSchedule, type Schedule, type ScheduleRule } from './schedule.js';
export { separableRisk, type SeparableRun } from './separable-risk.js';
export { skgd } from './skgd.js';
export { coordinateDescentOptimizers } from './optimizers.js';
export { coordinateDescent } from './paper.js';
