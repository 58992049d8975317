import type { Registry } from '@lethe/core';
import { randomisedResponse } from './randomised-response.js';
import { shuffledMedianOfMeans } from './shuffled-median-of-means.js';
import { shuffledScalarSum } from './shuffled-scalar-sum.js';
import { shuffledVectorSum } from './shuffled-vector-sum.js';

export { runShuffle, shuffleMessages, type ShuffleResult, type ShuffleRun } from './run-shuffle.js';
export { randomisedResponse, shuffledMedianOfMeans, shuffledScalarSum, shuffledVectorSum };

/** The local randomisers. */
export const localRandomisers: Registry = Object.freeze([
  randomisedResponse,
  shuffledScalarSum,
  shuffledVectorSum,
  shuffledMedianOfMeans,
]);
