export { maskedWords, unmaskedSum, type SumMasks } from './masks.js';
export {
  noiseExcess,
  noiseForLevel,
  noiseShare,
  sumParameters,
  wholeRadius,
  wordWidth,
  type SumParameters,
} from './parameters.js';
export {
  survivorRules,
  type SetRefusal,
  type SharedSecret,
  type SumShare,
  type SurvivorRules,
} from './survivors.js';
export { addWords, liftedWords, noWords, wordsOf, type Width, type Words } from './words.js';
