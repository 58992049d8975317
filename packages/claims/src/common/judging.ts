import { InvalidParameter } from '@lethe/core';
import type { Finding, Violation } from '@lethe/laws';
import { firstOf } from './compare.js';

/** Violation of `measured ≤ allowed`; `undefined` if it holds within `slack`. */
export const above = (
  what: string,
  measured: number,
  allowed: number,
  slack = 1e-9 * Math.abs(allowed),
): Violation | undefined =>
  measured <= allowed + slack
    ? undefined
    : { what: `${what}: ${measured} is above ${allowed}`, measured, allowed };

/** Violation of an equation; `undefined` if both sides agree within a relative error. */
export const differs = (
  what: string,
  measured: number,
  expected: number,
  relative = 1e-9,
): Violation | undefined =>
  Math.abs(measured - expected) <= relative * Math.abs(expected)
    ? undefined
    : { what: `${what}: ${measured} is not ${expected}`, measured, allowed: expected };

/** The first of several violations. */
export const first = (...violations: readonly (Violation | undefined)[]): Violation | undefined =>
  firstOf(violations);

/** Adds a note to a finding that holds. */
export const noted = (finding: Finding, note: () => string): Finding =>
  finding.verdict === 'holds' ? { ...finding, note: note() } : finding;

/** Violation if a call does not throw `InvalidParameter`. */
export const refusal = (what: string, call: () => unknown): Violation | undefined => {
  try {
    call();
  } catch (error) {
    if (error instanceof InvalidParameter) return undefined;
    throw error;
  }
  return { what: `${what} is not refused`, measured: 1, allowed: 0 };
};
