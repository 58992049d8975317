import type { Registry } from '@lethe/core';

/** The private optimizers of this folder: none so far. */
export const sparseGradientsOptimizers: Registry = Object.freeze([]);
