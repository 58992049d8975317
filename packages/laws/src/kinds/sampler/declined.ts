import { LetheError } from '@lethe/core';
import type { Violation } from '../../law/finding.js';

/** What a call gave, or the typed error with which the plugin declined it. */
export type Attempt<T> = { readonly value: T; readonly declined?: undefined } | { readonly declined: LetheError };

/** A typed error is an answer: these parameters, or this size, are not supported. Any other error is the plugin's fault and passes through. */
export function attempt<T>(run: () => T): Attempt<T> {
  try {
    return { value: run() };
  } catch (error) {
    if (error instanceof LetheError) return { declined: error };
    throw error;
  }
}

/** A call that must be declined, by its words and what it does. */
export interface Refusal { readonly call: string; readonly run: () => unknown; readonly input?: unknown }

/** The first call that is answered, or fails with an error that is not typed. */
export function notRefused(calls: readonly Refusal[]): Violation | undefined {
  for (const { call, run, input } of calls) {
    try {
      const value = run();
      return { what: `${call} must be refused with a typed error; it gives ${String(value)}`, input: input ?? call };
    } catch (error) {
      if (!(error instanceof LetheError)) return { what: `${call} must be refused with a typed error of @lethe/core; it throws ${String(error)}`, input: input ?? call, cause: error };
    }
  }
  return undefined;
}
