export * from './log.js';
export * from './store.js';
