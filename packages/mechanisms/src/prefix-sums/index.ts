import type { Registry } from '@lethe/core';
import { bandedColumnNormalised } from './banded-column-normalised.js';
import { bandedToeplitz } from './banded-toeplitz.js';
import { bufferedLinearToeplitz } from './buffered-linear-toeplitz.js';
import { independentIncrements } from './independent-increments.js';
import { independentPrefixes } from './independent-prefixes.js';
import { squareRootToeplitz } from './square-root-toeplitz.js';

export { bandedColumnNormalised, bandedToeplitz, bufferedLinearToeplitz, squareRootToeplitz };
export { optimiseBufferedToeplitz, type BufferedToeplitzGoal } from './optimise-buffered-toeplitz.js';
export { independentIncrements, independentPrefixes };

/** The prefix sums. */
export const prefixSums: Registry = Object.freeze([independentIncrements, independentPrefixes, squareRootToeplitz, bandedToeplitz, bandedColumnNormalised, bufferedLinearToeplitz]);
