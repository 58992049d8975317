import { LetheError, type RandomSource } from '@lethe/core';
import fc, { type Arbitrary } from 'fast-check';
import { fails, holds, type Finding, type Violation } from './finding.js';
import { isRefusal } from './is-refusal.js';
import type { Progress } from './progress.js';

/** An error that carries a violation through fast-check. */
class Found extends Error {
  readonly violation: Violation;
  constructor(violation: Violation) {
    super(violation.what);
    this.violation = violation;
  }
}

/** Where an error that is not one of Lethe was thrown, such as `, at plugin.js:12:5`; empty if unknown. */
function placeOf(error: Error): string {
  if (error instanceof LetheError) return '';
  const [, place] = /^ +at .*?([^/\\( ]+:\d+:\d+)\)?$/mu.exec(error.stack ?? '') ?? [];
  return place === undefined ? '' : `, at ${place}`;
}

/** The violation for an error that a check threw. */
export const thrown = (error: unknown): Violation => ({
  what: `it throws ${
    error instanceof Error ? `${error.name}: ${error.message}${placeOf(error)}` : String(error)
  }`,
  cause: error,
  ...(isRefusal(error) ? { isRefusal: true } : {}),
});

/** Number of inputs, first inputs, the random source of the others, and who is told how far it is. */
export interface SearchOptions<T> {
  readonly runs: number;
  readonly examples: readonly T[];
  readonly random: RandomSource;
  readonly progress?: Progress | undefined;
}

/**
 * Searches for an input with a violation and shrinks it; the finding contains the values for a replay.
 */
export function searchForViolation<T>(
  inputs: Arbitrary<T>,
  check: (input: T) => Violation | undefined,
  { runs, examples, random, progress }: SearchOptions<T>,
): Finding {
  const seed = random.fork('inputs').bits32() | 0;
  let tried = 0;
  let first: number | undefined;
  const property = fc.property(inputs, (input) => {
    tried++;
    const violation = violationOf(check, input);
    if (violation === undefined) {
      // Inputs that are tried to shrink another one are not of the number.
      if (first === undefined) progress?.(tried, runs);
      return;
    }
    first ??= tried;
    throw new Found(violation);
  });
  const details = fc.check(property, {
    seed,
    numRuns: runs,
    examples: examples.map((example): [T] => [example]),
  });
  if (!details.failed) return holds(details.numRuns);
  // fast-check does not shrink given examples: inputs of the
  // search show the same in a smaller one, if they can, and if anybody asks for the smallest.
  const wantsSmallest = fc.readConfigureGlobal().endOnFailure !== true;
  if (wantsSmallest && examples.length > 0 && details.numShrinks === 0) {
    const smaller = searchForViolation(inputs, check, { runs, examples: [], random });
    if (smaller.verdict === 'fails') return fails(first ?? 1, smaller.violation);
  }
  if (details.errorInstance instanceof Found && details.counterexample !== null) {
    const { violation } = details.errorInstance;
    return fails(first ?? 1, {
      input: details.counterexample[0],
      ...violation,
      fastCheck: { seed, path: details.counterexamplePath ?? '' },
    });
  }
  return fails(Math.max(1, details.numRuns), {
    what: `the search for inputs failed: ${fc.defaultReportMessage(details) ?? 'no reason was given'}`,
    cause: details.errorInstance,
  });
}

function violationOf<T>(check: (input: T) => Violation | undefined, input: T): Violation | undefined {
  try {
    return check(input);
  } catch (error) {
    return thrown(error);
  }
}
