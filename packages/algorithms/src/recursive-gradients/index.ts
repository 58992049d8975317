export { acceleratedDpSgd } from './accelerated-dp-sgd.js';
export { acceleratedDpSrgd } from './accelerated-dp-srgd.js';
export { certifiedClip, differenceBound, literalClip, type DifferenceSetting } from './certified-clip.js';
export { likelyNorm, noiseOfSums, type NoiseOfSums, type StreamOfSums } from '../common/noise-of-sums.js';
export { recursiveDpSgd } from './recursive-dp-sgd.js';
export { recursiveGradientsOptimizers } from './optimizers.js';
export { recursiveGradients } from './paper.js';
export { closingClip, neededClips, type RealizableRun } from './realizable-closure.js';
export {
  expectedRisk,
  likelyRisk,
  likelySamplingError,
  potentialDrop,
  riskAfter,
  type AcceleratedRun,
  type LikelyErrors,
  type RiskOptions,
  type ZScale,
} from './risk-bounds.js';
export {
  certifiedClipAt,
  closingClipAt,
  failureOf,
  likelyErrorsAt,
  noisePerClip,
  privacyConstant,
  riskOf,
  scheduleOf,
  type RiskSetting,
  type Schedule as AcceleratedSchedule,
  type ScheduleChoice as AcceleratedScheduleChoice,
  type ScheduleFacts as AcceleratedFacts,
  type ScheduleOverrides as AcceleratedOverrides,
  type ScheduleRisk as AcceleratedRisk,
} from './schedules.js';
export { coupling, stepWeight, weightSum } from './weights.js';
