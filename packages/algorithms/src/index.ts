export { dpSgd } from './abadi/dp-sgd.js';
export { oneRecordSgd } from './bassily/one-record-sgd.js';
export { acSa, type AcSaOptions, type AcSaState } from './lowy/ac-sa.js';
export { acSaExcessRisk, acSaPathwiseBound, momentumAt, productAt, proximityAt, type AcSaError, type AcSaPath } from './lowy/ac-sa-schedule.js';
export { declaredMoments, type DeclaredMoments } from './lowy/gradient-moments.js';
export { convexSgdSchedule, type ConvexSgdFacts } from './lowy/convex-sgd-schedule.js';
export { noisyAcSa, noisyClippedAcSa, noisyClippedAcSaWith } from './lowy/noisy-clipped-ac-sa.js';
export { noisyClippedProximalSgd, noisyClippedProximalSgdWith, noisyProximalSgd } from './lowy/noisy-clipped-proximal-sgd.js';
export { noisyClippedSgd, noisyClippedSgdWith, noisySgd } from './lowy/noisy-clipped-sgd.js';
export type { OnePassFacts, OnePassOverrides, OnePassSchedule } from './lowy/one-pass-facts.js';
export { type ChosenMean, type MeanBatch, type MeanError, type MeanErrorAt, type MeanSetting, paperEpsilon, type PrivateMean, type ScheduleName } from './lowy/private-mean.js';
export { privateMeans } from './lowy/private-means.js';
export { proximalPlExcessRisk, proximalPlSchedule, type ProximalPlFacts, type ProximalPlRun } from './lowy/proximal-pl-schedule.js';
export { proximalSgd, type ProximalSgdOptions, type ProximalSgdState } from './lowy/proximal-sgd.js';
export { smoothConvexSchedule, type SmoothConvexFacts, type SmoothConvexSchedule } from './lowy/smooth-convex-schedule.js';
export { smoothStronglyConvexSchedule, type SmoothStronglyConvexFacts } from './lowy/smooth-strongly-convex-schedule.js';
export { stichBound, stochasticStepSizes, type StepSizeRule, type WeightedSteps } from './lowy/stochastic-step-sizes.js';
export { averagedExcessRisk, recursionBound, stronglyConvexExcessRisk, type StronglyConvexRun } from './lowy/strongly-convex-risk.js';
export { weightedSgd, type WeightedSgdOptions, type WeightedSgdState } from './lowy/weighted-sgd.js';
export { averagedMoment } from './lowy/averaged-moment.js';
export { localizedExcessRisk, type LocalizedRun } from './lowy/localized-excess-risk.js';
export { localizedPhases, type LocalizedFacts, type LocalizedOverrides, type LocalizedPhase, type LocalizedSchedule } from './lowy/localized-phases.js';
export { lowyRates, type LowyRate, type LowySetting, type LowySystem } from './lowy/rates.js';
export { regularisedSubgradient, type RegularisedSubgradientOptions, type SubgradientState } from './lowy/regularised-subgradient.js';
export { stronglyConvexBlocks } from './lowy/strongly-convex-blocks.js';
export { subgradientDistanceBound, type SubgradientRun } from './lowy/subgradient-distance.js';
export {
  convexBound, blockwiseRoundBound, printedStronglyConvexBound, roundBound, safeStronglyConvexBound, sharpRoundBound, sharpStronglyConvexBound, stronglyConvexBound,
} from './maranjyan/bounds.js';
export {
  lemmaD8Holds, renyiConversion, renyiSlope, theoremGaussianMu, theoremNoiseMultiplier, theoremNoiseScale, theoremUnitNoise, type TheoremBudget,
} from './maranjyan/calibration.js';
export { sketchedDescent, type DescentState, type SketchedDescent } from './maranjyan/descent.js';
export { dpCd } from './maranjyan/dp-cd.js';
export { dpSkgd, dpSkgdWith } from './maranjyan/dp-skgd.js';
export { exactQuadraticMoments, type QuadraticMoments, type QuadraticRun } from './maranjyan/exact-moments.js';
export { lazyAverage, type LazyAverage, type LazyAverageState } from './maranjyan/lazy-average.js';
export { noisyGradientDescent } from './maranjyan/noisy-gradient-descent.js';
export { rates, weightedNorm, type Rate, type RateSetting, type System } from './maranjyan/rates.js';
export { convexSchedule, stronglyConvexSchedule, type Schedule, type ScheduleRule } from './maranjyan/schedule.js';
export { separableRisk, type SeparableRun } from './maranjyan/separable-risk.js';
export { skgd } from './maranjyan/skgd.js';
export { optimizers } from './optimizers.js';
export { dpSvrg } from './wang/dp-svrg.js';
