import type { Registry } from '@lethe/core';
import { fixedSize } from './fixed-size.js';
import { fixedSizeWithReplacement } from './fixed-size-with-replacement.js';
import { full } from './full.js';
import { partition } from './partition.js';
import { poisson } from './poisson.js';
import { randomAllocation } from './random-allocation.js';
import { shuffledEpochs } from './shuffled-epochs.js';
import { truncatedPoisson } from './truncated-poisson.js';

export { nestedBatches, singleRecord, type NestedBatches } from './nested-batches.js';
export { partitionSizes } from './partition.js';
export {
  fixedSize,
  fixedSizeWithReplacement,
  full,
  partition,
  poisson,
  randomAllocation,
  shuffledEpochs,
  truncatedPoisson,
};

/** The samplers. */
export const samplers: Registry = Object.freeze([
  full,
  partition,
  poisson,
  truncatedPoisson,
  fixedSize,
  fixedSizeWithReplacement,
  shuffledEpochs,
  randomAllocation,
]);
export { assertPublicSlots, assertSlots } from './slots.js';
