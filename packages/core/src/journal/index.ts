export * from './codec.js';
export * from './log.js';
export * from './store.js';
