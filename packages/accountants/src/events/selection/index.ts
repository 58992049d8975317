export { leastShape } from './negative-binomial.js';
export { worstRenyiTail } from './renyi-tail.js';
export { runsOf, type SelectionEvent } from './runs-of.js';
export type { Runs } from './runs.js';
export { witnessOfSelection } from './witness.js';
