export { allocatedLaws } from './allocation.js';
export { allocationRenyi } from './allocation-renyi.js';
export { clonesLaw } from './clones.js';
export { withGrain } from './finite-law.js';
export { coveringNulls, innerLaw, lawOfCurve, nothingLearnt, refuseMessages, soleLaw } from './inner-law.js';
export { amplifiedPure, subsetRenyi } from './subset.js';
export { type Case, tiltedMixture } from './tilted-mixture.js';
export { truncation, type Truncation } from './truncation.js';
export { drawnAtAll, drawnLaw, drawnPure } from './with-replacement.js';
