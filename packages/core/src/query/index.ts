export * from './ask.js';
export type * from './query.js';
