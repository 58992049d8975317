export { allocatedLossDistributions, allocatedWitnesses } from './allocation.js';
export { allocationRenyi } from './allocation-renyi.js';
export { clonesLossDistribution } from './clones.js';
export { withGrain } from './discrete-distribution.js';
export {
  coveringNulls,
  innerLossDistribution,
  lossDistributionOfCurve,
  nothingLearnt,
  sendsMessages,
  soleLossDistribution,
} from './inner-distribution.js';
export { lazyLossDistribution } from './lazy-distribution.js';
export { severalWitnesses } from './several-allocation.js';
export { amplifiedPure, subsetRenyi } from './subset.js';
export { type Case, tiltedMixture } from './tilted-mixture.js';
export { truncation, type Truncation } from './truncation.js';
export { drawnLossDistribution, drawnPure, occurrencesOf } from './with-replacement.js';
