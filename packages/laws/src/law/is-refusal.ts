import { IncompatiblePlugins, InvalidParameter, Unsupported } from '@lethe/core';

/**
 * Whether an error refuses parameters or a combination of plugins. Budgets that are exceeded, malformed data
 * and changed bytes are no refusals of them.
 */
export const isRefusal = (error: unknown): boolean =>
  error instanceof InvalidParameter || error instanceof Unsupported || error instanceof IncompatiblePlugins;
