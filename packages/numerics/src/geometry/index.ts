export { box, type BoxParameters } from './box.js';
export { type Domain, largestNorm } from './domain.js';
export { type Ball, intersectBall } from './intersect-ball.js';
export { l1Ball } from './l1-ball.js';
export { type L2Ball, l2Ball, type L2BallParameters } from './l2-ball.js';
export { simplex, type SimplexParameters } from './simplex.js';
export { requireDimension } from './vectors.js';
export { wholeSpace } from './whole-space.js';
export { allFinite, norm2, vectorNorm } from './vectors.js';
