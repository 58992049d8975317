export { descentContraction, descentDistanceBound, type DescentRun } from './descent-distance.js';
export { clippedAcSa } from './clipped-ac-sa.js';
export { composedAcSa } from './composed-ac-sa.js';
export { heavyTailedGradientDescent } from './heavy-tailed-gradient-descent.js';
export { acSa, type AcSaOptions } from './ac-sa.js';
export {
  acSaExcessRisk,
  acSaPathwiseBound,
  momentumAt,
  productAt,
  proximityAt,
  type AcSaError,
  type AcSaPath,
} from './ac-sa.js';
export { declaredMoments, type DeclaredMoments } from './facts.js';
export {
  convexSgdSchedule,
  type ConvexSgdFacts,
  type ConvexSgdSchedule,
} from './schedules/convex-sgd-schedule.js';
export { noisyAcSa, noisyClippedAcSa } from './noisy-clipped-ac-sa.js';
export { noisyClippedProximalSgd, noisyProximalSgd } from './noisy-clipped-proximal-sgd.js';
export { noisyClippedSgd, noisySgd } from './noisy-clipped-sgd.js';
export {
  type MeanErrorAt,
  type OnePassFacts,
  type OnePassOverrides,
  type OnePassSchedule,
  paperEpsilon,
  type ScheduleChoice,
  type ScheduleName,
} from './schedules/least-bound.js';
export type { MeanError, Moments } from '../common/given-mean.js';
export {
  proximalPlExcessRisk,
  proximalPlSchedule,
  type ProximalPlFacts,
  type ProximalPlRun,
} from './schedules/proximal-pl-schedule.js';
export { proximalSgd, type ProximalSgdOptions } from './proximal-sgd.js';
export {
  smoothConvexSchedule,
  type SmoothConvexFacts,
  type SmoothConvexSchedule,
} from './schedules/smooth-convex-schedule.js';
export {
  smoothStronglyConvexSchedule,
  type SmoothStronglyConvexFacts,
} from './schedules/smooth-strongly-convex-schedule.js';
export {
  stichBound,
  stochasticStepSizes,
  type StepSizeRule,
  type WeightedSteps,
} from './schedules/stochastic-step-sizes.js';
export {
  averagedExcessRisk,
  recursionBound,
  stronglyConvexExcessRisk,
  type StronglyConvexRun,
} from './schedules/strongly-convex-risk.js';
export { weightedSgd, type WeightedSgdOptions } from './weighted-sgd.js';
export { averagedMoment } from './moments/averaged-moment.js';
export { localizedExcessRisk, type LocalizedRun } from './localized/excess-risk.js';
export {
  localizedPhases,
  type LocalizedFacts,
  type LocalizedOverrides,
  type LocalizedPhase,
  type LocalizedSchedule,
} from './localized/phases.js';
export {
  heavyTailsRates,
  type HeavyTailsRate,
  type HeavyTailsSetting,
  type HeavyTailsSystem,
} from './rates.js';
export { regularisedSubgradient, type RegularisedSubgradientOptions } from './regularised-subgradient.js';
export { stronglyConvexBlocks } from './localized/strongly-convex-blocks.js';
export { subgradientDistanceBound, type SubgradientRun } from './schedules/subgradient-distance.js';
export { localizedStronglyConvex } from './localized/strongly-convex.js';
export { localizedSubgradient } from './localized/subgradient.js';
export { noisyClippedSubgradient } from './noisy-clipped-subgradient.js';
export { uniformMomentsOf, type UniformMoments } from './moments/uniform-moments.js';
export { heavyTailsOptimizers } from './optimizers.js';
export { heavyTails } from './paper.js';
