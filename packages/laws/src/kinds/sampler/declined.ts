import { LetheError } from '@lethe/core';
import type { Violation } from '../../law/finding.js';

/** The result of a call, or the typed error of its refusal. */
export type Attempt<T> =
  | { readonly value: T; readonly declined?: undefined }
  | { readonly declined: LetheError };

/**
 * A typed error is a valid answer: these parameters, or this
 * size, are not supported. Other errors are rethrown.
 */
export function attempt<T>(run: () => T): Attempt<T> {
  try {
    return { value: run() };
  } catch (error) {
    if (error instanceof LetheError) return { declined: error };
    throw error;
  }
}

/** A call that must be refused, with a description. */
export interface Refusal {
  readonly call: string;
  readonly run: () => unknown;
  readonly input?: unknown;
}

/** A violation for the first call that returns, or throws an untyped error. */
export function notRefused(calls: readonly Refusal[]): Violation | undefined {
  for (const { call, run, input } of calls) {
    try {
      const value = run();
      return {
        what: `${call} must be refused with a typed error; it gives ${String(value)}`,
        input: input ?? call,
      };
    } catch (error) {
      if (!(error instanceof LetheError))
        return {
          what: `${call} must be refused with a typed error of @lethe/core; it throws ${String(error)}`,
          input: input ?? call,
          cause: error,
        };
    }
  }
  return undefined;
}
