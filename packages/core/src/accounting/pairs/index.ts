export { maximalLaw } from './maximal.js';
export { composePairs, unitePairs } from './compose.js';
