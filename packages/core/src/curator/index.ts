export type * from './curator.js';
