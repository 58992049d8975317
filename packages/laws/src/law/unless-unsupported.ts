import { Unsupported } from '@lethe/core';

/** The result of `run`, or `undefined` for an `Unsupported` error. Other errors are rethrown. */
export function unlessUnsupported<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (error instanceof Unsupported) return undefined;
    throw error;
  }
}
