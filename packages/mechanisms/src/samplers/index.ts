import type { Registry } from '@lethe/core';
import { full } from './full.js';
import { partition } from './partition.js';
import { poisson } from './poisson.js';

export { partitionSizes } from './partition.js';
export { full, partition, poisson };

/** The samplers. */
export const samplers: Registry = Object.freeze([full, partition, poisson]);
