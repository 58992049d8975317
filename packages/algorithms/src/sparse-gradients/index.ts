export { biasReducedSgd } from './bias-reduced-sgd.js';
export {
  estimateError,
  medianBound,
  regretBound,
  stationarityBound,
  type CappedSteps,
  type EstimateError,
} from './bias-reduced-utility.js';
export { boosted } from './boosted.js';
export {
  boostingBudget,
  boostingFailure,
  meanRuns,
  scoreMargin,
  type BoostingBudget,
  type Stopping as BoostingStopping,
} from './boosting-budget.js';
export {
  chargeOf,
  drawnLevels,
  lawOfStopping,
  likelyCalls,
  mostEnumeratedSlots,
  stoppingBounds,
  stoppingLimits,
  type StoppingBounds,
  type StoppingLimits,
  type StoppingSetting,
} from './law-of-stopping.js';
export { likelyLevels, type UndrawnLevels } from './level-counts.js';
export { sparseGradientsOptimizers } from './optimizers.js';
export { sparseGradients } from './paper.js';
export { outputPerturbation } from './output-perturbation.js';
export { sparseExponential } from './sparse-exponential.js';
export { largestEntry } from './largest-entry.js';
export {
  likelyRegret,
  sparseNet,
  sparseNetRisk,
  sparseNetSpacing,
  type Net,
  type NetSetting,
} from './lattice-net.js';
export {
  empiricalRisk,
  empiricalStrength,
  perturbationRisk,
  populationStrength,
  type PerturbationSetting,
  type PerturbationTarget,
} from './regularisation.js';
