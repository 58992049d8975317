/** One line for each paper that ships: its folder exports a {@link Paper}, and all else that is public. */
export * from './coordinate-descent/index.js';
export * from './heavy-tails/index.js';
export * from './sparse-gradients/index.js';
export * from './recursive-gradients/index.js';
export * from './federated/index.js';
