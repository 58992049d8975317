import type { Law } from '../../law/law.js';
import { amplification, disjoint } from './amplification.js';
import { partition, partitionAmplification, partitionRandomness } from './partition.js';
import { partitionFrequencies, partitionNormalisers, exactPartition } from './partition-distribution.js';
import { exactMarginals, expectedSize, marginals } from './marginals.js';
import { everySlot } from './every-slot.js';
import { randomness, positions, size } from './positions.js';
import { partitionRemoval, removal } from './removal.js';
import {
  streamBatches,
  streamCost,
  streamSizes,
  streamIndependence,
  streamMoment,
  streamRatio,
  streamRefusals,
} from './streams.js';

/** Laws of every sampler. */
export const samplerLaws: readonly Law<'sampler'>[] = [
  positions,
  size,
  randomness,
  amplification,
  removal,
  disjoint,
  exactMarginals,
  marginals,
  everySlot,
  expectedSize,
  partition,
  partitionRandomness,
  partitionAmplification,
  partitionRemoval,
  exactPartition,
  partitionFrequencies,
  partitionNormalisers,
  streamBatches,
  streamRefusals,
  streamSizes,
  streamIndependence,
  streamCost,
  streamMoment,
  streamRatio,
];
