export * from './standard/index.js';
export * from './heavy-tails/index.js';
export * from './coordinate-descent/index.js';
export { optimizers } from './optimizers.js';
