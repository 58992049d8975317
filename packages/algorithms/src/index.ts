export * from './standard/index.js';
export * from './papers.js';
export type { Paper } from './paper.js';
export { optimizers, papers } from './optimizers.js';
