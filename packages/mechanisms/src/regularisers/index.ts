import type { Registry } from '@lethe/core';
import { groupLasso } from './group-lasso.js';
import { indicator } from './indicator.js';
import { lasso } from './lasso.js';
import { ridge } from './ridge.js';

export { groupLasso, indicator, lasso, ridge };

/** The regularisers. */
export const regularisers: Registry = Object.freeze([ridge, lasso, groupLasso, indicator]);
