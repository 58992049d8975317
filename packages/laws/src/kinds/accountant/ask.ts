import type { Accountant, AccountingContext, Adjacency, Interval, PrivacyEvent } from '@lethe/core';
import { unlessUnsupported } from '../../law/unless-unsupported.js';

/** One question to an accountant, as plain data. */
export interface Question { readonly event: PrivacyEvent; readonly adjacency: Adjacency; readonly at: { readonly delta: number } | { readonly epsilon: number } }

/** ε(δ), or `undefined` where the accountant refuses the event; any other error passes. */
export const epsilonOf = (accountant: Accountant, event: PrivacyEvent, query: AccountingContext & { readonly delta: number }): Interval | undefined =>
  unlessUnsupported(() => accountant.epsilon(event, query));

/** δ(ε), or `undefined` where the accountant refuses the event. */
export const deltaOf = (accountant: Accountant, event: PrivacyEvent, query: AccountingContext & { readonly epsilon: number }): Interval | undefined =>
  unlessUnsupported(() => accountant.delta(event, query));

/** The answer to a question of either form. */
export const answerTo = (accountant: Accountant, { event, adjacency, at }: Question): Interval | undefined =>
  ('delta' in at ? epsilonOf(accountant, event, { adjacency, ...at }) : deltaOf(accountant, event, { adjacency, ...at }));

/** Rounding that two computations of one cost may differ by, relative and absolute. */
const relative = 1e-6;
const absolute = 1e-9;

/**
 * How far answers to one question may be apart by their own account: the widths of those that are narrow. An answer that says
 * nothing from below must be the same each time.
 */
export const widthOf = (...answers: readonly (Interval | undefined)[]): number => answers.reduce((sum, answer) => {
  if (answer === undefined || answer.lower === 0 || answer.upper === Infinity) return sum;
  const width = answer.upper - answer.lower;
  return width <= 0.05 * answer.upper + 1e-3 ? sum + width : sum;
}, 0);
/** `a` is not below `b`, but for rounding and what is granted. False when either is NaN. */
export const atLeast = (a: number, b: number, granted = 0): boolean => a >= b || a >= b - relative * Math.abs(b) - absolute - granted;
/** `a` and `b` are one number, but for rounding and what is granted. */
export const near = (a: number, b: number, granted = 0): boolean => atLeast(a, b, granted) && atLeast(b, a, granted);

/**
 * Inputs that a law tries. Those that add up losses take milliseconds to answer: they are asked about an eighth as many, beside the examples
 * that everybody is asked.
 */
export const runsFor = ({ wants }: Accountant, runs: number): number => (wants.includes('pair') ? Math.ceil(runs / 8) : runs);
/** What that costs in power. */
export const sparing = 'with an eighth of the chance for accountants that add up losses';
