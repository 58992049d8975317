export { assumptionsOf } from './assumptions.js';
export { withoutFailures, type WithoutFailures } from './failures.js';
export { characterisationsOf, createResolver, resolveEvent } from './resolve.js';
