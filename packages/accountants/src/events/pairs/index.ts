export { composePairs, unitePairs } from './compose.js';
export { failingLossDistribution } from './failing.js';
export * from './loss-distributions.js';
export { maximalLossDistribution } from './maximal.js';
export { pairsOfMixtures } from './of-mixtures.js';
export {
  approximatePairs,
  failingPairs,
  gaussianPairs,
  noPairs,
  symmetricPairs,
  unprotectedPairs,
} from './symmetric.js';
