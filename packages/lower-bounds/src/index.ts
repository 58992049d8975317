export { lowerBounds } from './lower-bounds.js';
export { convexLowerBound } from './lowy/convex-lower-bound.js';
export { coinBias, nonPrivateInstance, privateInstance, probabilityOfSpike, type SpikeShape } from './lowy/convex-instances.js';
