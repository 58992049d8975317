export { assumptionsOf } from './assumptions.js';
export { approximateParts, type ApproximatePart, type ApproximateParts } from './parts.js';
export { withoutFailures, type WithoutFailures } from './failures.js';
export * from './pairs/loss-distributions.js';
export { statedOrders } from './stated-orders.js';
export { characterisationsOf, createResolver, resolveEvent } from './resolve.js';
