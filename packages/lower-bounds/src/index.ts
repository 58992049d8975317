export { lowerBounds } from './lower-bounds.js';
export { codeWords, type CodeShape } from './heavy-tails/code-words.js';
export {
  coinBias, nonPrivateInstance, privateInstance, type CoinShape, type SpikeShape,
} from './heavy-tails/convex-instances.js';
export { convexLowerBound } from './heavy-tails/convex-lower-bound.js';
export {
  alignmentOfCoins, alignmentOfInformation, informationOfSpikes, type Alignment,
} from './heavy-tails/hidden-signs.js';
export { coinMoment, lengthOfSpike, probabilityOfSpike } from './heavy-tails/records.js';
export {
  meanCoinBias, nonPrivateMeanInstance, privateMeanInstance, type MeanCoinShape, type MeanSpikeShape,
} from './heavy-tails/strongly-convex-instances.js';
export { stronglyConvexLowerBound } from './heavy-tails/strongly-convex-lower-bound.js';
