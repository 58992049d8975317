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
