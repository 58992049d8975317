import { Unsupported } from '@lethe/numerics';

/** The value, or `undefined` where it is `Unsupported`, which `refused` is told; other errors pass. */
export function attempt<T>(compute: () => T, refused?: (error: Unsupported) => void): T | undefined {
  try {
    return compute();
  } catch (error) {
    if (!(error instanceof Unsupported)) throw error;
    refused?.(error);
    return undefined;
  }
}
