export * from './arbitraries/index.js';
export * from './audit/index.js';
export * from './claims/index.js';
export * from './divergence/index.js';
export * from './engines/index.js';
export * from './evidence/index.js';
export * from './law/index.js';
export * from './special/index.js';
