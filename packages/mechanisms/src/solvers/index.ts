import type { Registry } from '@lethe/core';
import { acceleratedGradient } from './accelerated-gradient.js';

export { acceleratedGradientIterations } from './accelerated-gradient.js';
export { acceleratedGradient };

/** The solvers. */
export const solvers: Registry = Object.freeze([acceleratedGradient]);
