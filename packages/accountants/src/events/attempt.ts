import { Unsupported } from '@lethe/numerics';

/**
 * `compute()`, or `undefined` when it throws `Unsupported`, after a call of `refused`. Other errors
 * propagate.
 */
export function attempt<T>(compute: () => T, refused?: (error: Unsupported) => void): T | undefined {
  try {
    return compute();
  } catch (error) {
    if (!(error instanceof Unsupported)) throw error;
    refused?.(error);
    return undefined;
  }
}
