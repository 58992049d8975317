export { atomicLossDistribution, type Atom } from './atomic.js';
export { mixtureOfLossDistributions, splicedLossDistribution } from './combined.js';
export { discreteGaussianLossDistribution } from './discrete-gaussian.js';
export { discreteLaplaceLossDistribution } from './discrete-laplace.js';
export {
  approximateLossDistribution,
  pureLossDistribution,
  randomizedResponseLossDistribution,
  replacedResponseLossDistribution,
  unprotectedLossDistribution,
} from './finite.js';
export { gaussianLossDistribution } from './gaussian.js';
export { boundedRangeLossDistribution, laplaceLossDistribution } from './laplace.js';
export {
  type GaussianMixture,
  gaussianMixtureLossDistribution,
  gaussianMixturesLossDistribution,
} from './mixture.js';
export { presentInPoisson } from './present.js';
export { replacedInPoisson } from './replaced.js';
