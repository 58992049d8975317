import { LetheError, type Adjacency, type ErrorCode, type PrivacyEvent } from '@lethe/core';
import { resolveEvent } from '@lethe/accountants';
import { shown } from '../../law/report.js';
import { type Finding, type Violation, fails, holds } from '../../law/finding.js';

/** Result of a call: its value or its error. */
export type Outcome<T> =
  | { readonly value: T }
  | { readonly refused: ErrorCode | 'untyped'; readonly message: string; readonly error: unknown };

/** Runs a call and catches its error. */
export function outcomeOf<T>(call: () => T): Outcome<T> {
  try {
    return { value: call() };
  } catch (error) {
    return {
      refused: error instanceof LetheError ? error.code : 'untyped',
      message: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
      error,
    };
  }
}

/** A violation unless the call throws one of these errors. */
export function unlessRefused(
  what: string,
  call: () => unknown,
  codes: readonly ErrorCode[],
  input?: unknown,
): Violation | undefined {
  const outcome = outcomeOf(call);
  if ('value' in outcome)
    return {
      what: `${what} is answered: ${shown(outcome.value, 120)}; it must be refused (${codes.join(' or ')})`,
      input,
    };
  if (codes.includes(outcome.refused as ErrorCode)) return undefined;
  return {
    what: `${what} must be refused by ${codes.join(' or ')}; it throws ${outcome.message}`,
    input,
    cause: outcome.error,
  };
}

/** The first violation among the checks, with the number of checks made. */
export function firstOf(checks: Iterable<Violation | undefined>): Finding {
  let tried = 0;
  for (const violation of checks) {
    tried++;
    if (violation !== undefined) return fails(tried, violation);
  }
  return holds(tried);
}

/** Error codes for refused queries. */
export const refusals: readonly ErrorCode[] = [
  'invalid-parameter',
  'unsupported',
  'incompatible-plugins',
  'corrupt',
  'budget-exceeded',
];

/** μ² of an event of Gaussian releases: additive under composition, so it counts releases. */
export const muSquared = (event: PrivacyEvent, adjacency: Adjacency): number =>
  resolveEvent(event, 'gdp', { adjacency }).mu ** 2;

/** Whether a and b are equal bit for bit. */
export const sameBits = (a: ArrayLike<number>, b: ArrayLike<number>): boolean =>
  a.length === b.length && Array.from(a).every((x, i) => Object.is(x, b[i]));
