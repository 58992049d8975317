export * from './drive.js';
export type * from './options.js';
export type * from './curator.js';
