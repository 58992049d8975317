export * from './silo.js';
export * from './remote-silo.js';
export * from './plan.js';
export * from './identity.js';
