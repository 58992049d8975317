export { lowerBounds } from './lower-bounds.js';
export { codeWords, type CodeShape } from './heavy-tails/code-words.js';
export {
  bernoulliBias,
  nonPrivateInstance,
  privateInstance,
  type BernoulliShape,
  type HeavyTailShape,
} from './heavy-tails/convex-instances.js';
export { convexLowerBound } from './heavy-tails/convex-lower-bound.js';
export {
  alignmentOfBernoulli,
  alignmentOfInformation,
  informationOfHeavyTails,
  type Alignment,
} from './heavy-tails/hidden-signs.js';
export { bernoulliMoment, lengthOfHeavyTail, probabilityOfHeavyTail } from './heavy-tails/records.js';
export {
  meanBernoulliBias,
  nonPrivateMeanInstance,
  privateMeanInstance,
  type MeanBernoulliShape,
  type MeanHeavyTailShape,
} from './heavy-tails/strongly-convex-instances.js';
export { stronglyConvexLowerBound } from './heavy-tails/strongly-convex-lower-bound.js';
export {
  approximateBlocks,
  type ApproximateBlocks,
  type ApproximateSetting,
} from './sparse-gradients/approximate-blocks.js';
export { approximateSparseMeanBound } from './sparse-gradients/approximate-lower-bound.js';
export { blockDiagonal, failureNeeded, type BlockRow, type BlockShape } from './sparse-gradients/blocks.js';
export {
  drawFingerprints,
  fingerprintingMeanSquare,
  type Fingerprints,
} from './sparse-gradients/fingerprints.js';
export {
  approximateMeanRate,
  pureBaseRate,
  pureMeanRate,
  type ApproximateMeanSetting,
  type MeanSetting,
} from './sparse-gradients/mean-rates.js';
export { greedyPacking, logPackingPromise } from './sparse-gradients/packing.js';
export { packingMeanBound } from './sparse-gradients/packing-lower-bound.js';
export { pureBlocks, type PureBlocks, type PureSetting } from './sparse-gradients/pure-blocks.js';
export { pureSparseMeanBound } from './sparse-gradients/pure-lower-bound.js';
export {
  closeAnswerWithin,
  drawSupport,
  exponentFor,
  separationOf,
  type FlatVectors,
  type Separation,
} from './sparse-gradients/supports.js';
export {
  rateTables,
  type Corners,
  type PowerLaw,
  type TableRow,
  type TableSetting,
} from './sparse-gradients/rate-tables.js';
