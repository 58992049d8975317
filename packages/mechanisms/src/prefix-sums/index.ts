import type { Registry } from '@lethe/core';
import { bandedColumnNormalised } from './banded-column-normalised.js';
import { bandedToeplitz } from './banded-toeplitz.js';
import { bufferedLinearToeplitz } from './buffered-linear-toeplitz.js';
import { binaryTree } from './binary-tree.js';
import { honakerFull } from './honaker-full.js';
import { honakerOnline } from './honaker-online.js';
import { independentIncrements } from './independent-increments.js';
import { independentPrefixes } from './independent-prefixes.js';
import { restartingOver } from './restarting.js';
import { squareRootToeplitz } from './square-root-toeplitz.js';

export { bandedColumnNormalised, bandedToeplitz, bufferedLinearToeplitz, squareRootToeplitz };
export { optimizeBandedToeplitz, type BandedToeplitzGoal } from './optimize-banded-toeplitz.js';
export { optimizeBufferedToeplitz, type BufferedToeplitzGoal } from './optimize-buffered-toeplitz.js';
export { binaryTree, honakerFull, honakerOnline, independentIncrements, independentPrefixes, restartingOver };
export {
  leastPossibleErrors,
  prefixSumErrors,
  variancesOf,
  type ErrorInterval,
  type PrefixSumErrors,
} from './errors.js';

const plain: Registry = Object.freeze([
  independentIncrements,
  independentPrefixes,
  binaryTree,
  honakerOnline,
  honakerFull,
  squareRootToeplitz,
  bandedToeplitz,
  bandedColumnNormalised,
  bufferedLinearToeplitz,
]);

/** Any prefix sum of this package, restarted every `period` steps. */
export const restarting = restartingOver(plain);

/** The prefix sums. */
export const prefixSums: Registry = Object.freeze([...plain, restarting]);
