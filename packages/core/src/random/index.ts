export { keyedHash128, keyedHasher, type KeyedHasher } from './keyed-hash.js';
export { permutation, poissonSample, sampleWithoutReplacement } from './sampling.js';
export { randomFromKey, secureRandom, seededRandom, type RandomSource } from './source.js';
