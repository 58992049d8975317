export { lowerBounds } from './lower-bounds.js';
export { codeWords, type CodeShape } from './lowy/code-words.js';
export { coinBias, nonPrivateInstance, privateInstance, type CoinShape, type SpikeShape } from './lowy/convex-instances.js';
export { convexLowerBound } from './lowy/convex-lower-bound.js';
export { alignmentOfCoins, alignmentOfInformation, informationOfSpikes, type Alignment } from './lowy/hidden-signs.js';
export { coinMoment, lengthOfSpike, probabilityOfSpike } from './lowy/records.js';
export { meanCoinBias, nonPrivateMeanInstance, privateMeanInstance, type MeanCoinShape, type MeanSpikeShape } from './lowy/strongly-convex-instances.js';
export { stronglyConvexLowerBound } from './lowy/strongly-convex-lower-bound.js';
