export { leastShape } from './negative-binomial-terms.js';
export { worstRenyiTail } from './renyi-tail.js';
export { runsOf } from './runs-of.js';
export type { Runs } from './runs.js';
export type { SelectionEvent } from './selection-event.js';
export { someFails } from './some-fails.js';
export { witnessOfSelection } from './witness.js';
