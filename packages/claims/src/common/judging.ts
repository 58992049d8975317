import { InvalidParameter } from '@lethe/core';
import type { Finding, Violation } from '@lethe/laws';
import { firstOf } from './compare.js';

/** What an inequality between two numbers found: `undefined` where it holds within `slack`. */
export const above = (what: string, measured: number, allowed: number, slack = 1e-9 * Math.abs(allowed)): Violation | undefined =>
  (measured <= allowed + slack ? undefined : { what: `${what}: ${measured} is above ${allowed}`, measured, allowed });

/** What an equation found: `undefined` where both sides agree within a relative error. */
export const differs = (what: string, measured: number, expected: number, relative = 1e-9): Violation | undefined =>
  (Math.abs(measured - expected) <= relative * Math.abs(expected) ? undefined : { what: `${what}: ${measured} is not ${expected}`, measured, allowed: expected });

/** The first of several violations. */
export const first = (...violations: readonly (Violation | undefined)[]): Violation | undefined => firstOf(violations);

/** Adds what was measured to a finding that holds. */
export const noted = (finding: Finding, note: () => string): Finding => (finding.verdict === 'holds' ? { ...finding, note: note() } : finding);

/** What is wrong when a call is not refused for its input. */
export const refusal = (what: string, call: () => unknown): Violation | undefined => {
  try {
    call();
  } catch (error) {
    if (error instanceof InvalidParameter) return undefined;
    throw error;
  }
  return { what: `${what} is not refused`, measured: 1, allowed: 0 };
};
