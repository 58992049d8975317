import fc from 'fast-check';
import { afterAll, beforeAll } from 'vitest';

/**
 * For tests that ask whether something wrong is found, in a file or a suite: a search ends at its first
 * violation, and does not shrink it.
 */
export function endAtFirstViolation(): void {
  const before = fc.readConfigureGlobal();
  beforeAll(() => {
    fc.configureGlobal({ ...before, endOnFailure: true });
  });
  afterAll(() => {
    fc.configureGlobal(before);
  });
}
