export { keyedHash128, keyedHasher, type KeyedHasher } from './keyed-hash.js';
export { longSums, type LongSums } from './long-hash.js';
export { longHasher, type LongHasher } from './long-hasher.js';
export { permutation, sampleWithoutReplacement } from './permutation.js';
export { publicCoins } from './public-coins.js';
export { poissonSample } from './poisson-sample.js';
export { randomFromKey, secureRandom, seededRandom, type RandomSource } from './source.js';
