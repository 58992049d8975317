import type { Registry } from '@lethe/core';
import { gaussian } from './gaussian.js';
import { laplace } from './laplace.js';

export { gaussianDeltaUp } from './gaussian-delta.js';
export { gaussian, laplace };

/** The noise mechanisms. */
export const noiseMechanisms: Registry = Object.freeze([gaussian, laplace]);
