import { Unsupported } from '@lethe/core';

/** What `run` gives, or `undefined` for a documented refusal, which leaves nothing to judge. Whatever else is thrown goes on. */
export function unlessUnsupported<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (error instanceof Unsupported) return undefined;
    throw error;
  }
}
