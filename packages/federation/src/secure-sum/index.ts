export { storedSignedRounds, sumExtension, sumPeer, sumsOf, type SumExtensionOptions } from './over-links.js';
export {
  noiseExcess,
  noiseForLevel,
  noiseShare,
  sumParameters,
  wholeRadius,
  wordWidth,
  type SumParameters,
} from './parameters.js';
export { secureSum, unmask, type Collected, type SecureSum, type SumPeer } from './server.js';
export {
  signedRounds,
  sumSilo,
  type Box,
  type Revealed,
  type SignedKey,
  type SignedRounds,
  type SumName,
  type SumSilo,
  type SumSiloOptions,
} from './silo.js';
export { liftedWords, wordsOf, type Width, type Words } from './words.js';
