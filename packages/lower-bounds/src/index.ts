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
