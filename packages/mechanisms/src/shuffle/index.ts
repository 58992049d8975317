import type { Registry } from '@lethe/core';

/** The local randomisers. */
export const localRandomisers: Registry = Object.freeze([]);
