import type { Registry } from '@lethe/core';
import { exponential } from './exponential.js';

export { exponential };

/** Selectors, and what else chooses. */
export const selectors: Registry = Object.freeze([exponential]);
