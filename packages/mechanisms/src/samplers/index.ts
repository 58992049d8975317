import type { Registry } from '@lethe/core';
import { cyclicPoisson } from './cyclic-poisson.js';
import { fixedSize } from './fixed-size.js';
import { fixedSizeWithReplacement } from './fixed-size-with-replacement.js';
import { full } from './full.js';
import { minimumSeparation } from './minimum-separation.js';
import { partition } from './partition.js';
import { poisson } from './poisson.js';
import { randomAllocation } from './random-allocation.js';
import { repeatedPoisson } from './repeated-poisson.js';
import { shuffledEpochs } from './shuffled-epochs.js';
import { truncatedCyclicPoisson } from './truncated-cyclic-poisson.js';
import { truncatedPoisson } from './truncated-poisson.js';

export { nestedBatches, singleRecord, type NestedBatches } from './nested-batches.js';
export { partitionSizes } from './partition.js';
export {
  cyclicPoisson,
  fixedSize,
  fixedSizeWithReplacement,
  full,
  minimumSeparation,
  partition,
  poisson,
  randomAllocation,
  repeatedPoisson,
  shuffledEpochs,
  truncatedCyclicPoisson,
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
  cyclicPoisson,
  truncatedCyclicPoisson,
  minimumSeparation,
  repeatedPoisson,
]);
export { binsRenyi, type BinDivergences, type BinMeans } from './streams/bins-renyi.js';
export { assertPublicSlots, assertSlots } from './slots.js';
