export { type GroupParameters, proximalGroup } from './group.js';
export { proximalIndicator } from './indicator.js';
export { type L1Parameters, proximalL1 } from './l1.js';
export { type L2SquaredParameters, proximalL2Squared } from './l2-squared.js';
export type { Proximal } from './proximal.js';
