import type { Registry } from '@lethe/core';

/** Selectors, and what else chooses. */
export const selectors: Registry = Object.freeze([]);
