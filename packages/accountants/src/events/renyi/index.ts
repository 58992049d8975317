export { boundedRangeRenyi } from './bounded-range.js';
export { laplaceRenyi } from './laplace.js';
export { presenceRenyi, replacementRenyi } from './poisson-gaussian.js';
export { exchangeRenyi, pureRenyi } from './two-point.js';
