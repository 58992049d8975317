import type { Registry } from '@lethe/core';
import { clippedGaussian } from './clipped-gaussian.js';

export { clippedGaussian };

/** The mean oracles. */
export const meanOracles: Registry = Object.freeze([clippedGaussian]);
