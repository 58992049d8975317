export { composePairs, unitePairs } from './compose.js';
export { failingLaw } from './failing.js';
export * from './laws.js';
export { maximalLaw } from './maximal.js';
export { approximatePairs, failingPairs, gaussianPairs, noPairs, symmetricPairs, unprotectedPairs } from './symmetric.js';
