import type { Registry } from '@lethe/core';

/** The sketches. */
export const sketches: Registry = Object.freeze([]);
