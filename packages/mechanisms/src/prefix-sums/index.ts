import type { Registry } from '@lethe/core';
import { independentIncrements } from './independent-increments.js';
import { independentPrefixes } from './independent-prefixes.js';

export { independentIncrements, independentPrefixes };

/** The prefix sums. */
export const prefixSums: Registry = Object.freeze([independentIncrements, independentPrefixes]);
