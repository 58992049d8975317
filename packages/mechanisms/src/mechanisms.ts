import type { Registry } from '@lethe/core';
import { clips } from './clips/index.js';
import { domains } from './domains/index.js';
import { noiseMechanisms } from './noise/index.js';
import { means } from './means/index.js';
import { prefixSums } from './prefix-sums/index.js';
import { regularisers } from './regularisers/index.js';
import { samplers } from './samplers/index.js';
import { selectors } from './selection/index.js';
import { localRandomisers } from './shuffle/index.js';
import { sketches } from './sketches/index.js';
import { solvers } from './solvers/index.js';

/** Every plugin of this package, to be given to a curator or concatenated with others. */
export const mechanisms: Registry = Object.freeze([
  ...noiseMechanisms,
  ...selectors,
  ...clips,
  ...means,
  ...localRandomisers,
  ...sketches,
  ...samplers,
  ...prefixSums,
  ...domains,
  ...regularisers,
  ...solvers,
]);
