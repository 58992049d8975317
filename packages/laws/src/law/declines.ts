import { InvalidParameter } from '@lethe/core';
import type { Violation } from './finding.js';

/** A violation unless the call throws `InvalidParameter`. */
export function declines(run: () => unknown, what: string, input: unknown): Violation | undefined {
  const rule = `${what} must be refused with InvalidParameter`;
  try {
    run();
  } catch (error) {
    return error instanceof InvalidParameter
      ? undefined
      : { what: `${rule}; it throws ${String(error)}`, input, cause: error };
  }
  return { what: `${rule}; it is accepted`, input };
}
