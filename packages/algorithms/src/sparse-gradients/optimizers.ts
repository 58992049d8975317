import type { Registry } from '@lethe/core';

/** The private optimizers of this folder. */
export const sparseGradientsOptimizers: Registry = Object.freeze([]);
