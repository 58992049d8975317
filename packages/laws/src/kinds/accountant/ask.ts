import type { Accountant, AccountingContext, Adjacency, Interval, PrivacyEvent } from '@lethe/core';
import { unlessUnsupported } from '../../law/unless-unsupported.js';

/** A query to an accountant, as plain data. */
export interface Question {
  readonly event: PrivacyEvent;
  readonly adjacency: Adjacency;
  readonly at: { readonly delta: number } | { readonly epsilon: number };
}

/** ε(δ), or `undefined` where the accountant refuses the event; any other error passes. */
export const epsilonOf = (
  accountant: Accountant,
  event: PrivacyEvent,
  query: AccountingContext & { readonly delta: number },
): Interval | undefined => unlessUnsupported(() => accountant.epsilon(event, query));

/** δ(ε), or `undefined` where the accountant refuses the event. */
export const deltaOf = (
  accountant: Accountant,
  event: PrivacyEvent,
  query: AccountingContext & { readonly epsilon: number },
): Interval | undefined => unlessUnsupported(() => accountant.delta(event, query));

/** The answer to a query of either form. */
export const answerTo = (accountant: Accountant, { event, adjacency, at }: Question): Interval | undefined =>
  'delta' in at
    ? epsilonOf(accountant, event, { adjacency, ...at })
    : deltaOf(accountant, event, { adjacency, ...at });

/** Tolerances between two computations of one cost, relative and absolute. */
const relative = 1e-6;
const absolute = 1e-9;

/**
 * Tolerance between answers to one query: the sum of the widths of the narrow intervals. An answer with lower
 * bound 0 must be the same each time.
 */
export const widthOf = (...answers: readonly (Interval | undefined)[]): number =>
  answers.reduce((sum, answer) => {
    if (answer === undefined || answer.lower === 0 || answer.upper === Infinity) return sum;
    const width = answer.upper - answer.lower;
    return width <= 0.05 * answer.upper + 1e-3 ? sum + width : sum;
  }, 0);
/** `a ≥ b`, up to rounding and the tolerance `granted`. False when either is NaN. */
export const atLeast = (a: number, b: number, granted = 0): boolean =>
  a >= b || a >= b - relative * Math.abs(b) - absolute - granted;
/** `a = b`, up to rounding and the tolerance `granted`. */
export const near = (a: number, b: number, granted = 0): boolean =>
  atLeast(a, b, granted) && atLeast(b, a, granted);

/**
 * Number of inputs of a law. Accountants that compose privacy losses take milliseconds per query: they get an
 * eighth of the inputs, beside the examples, which every accountant gets.
 */
export const runsFor = ({ wants }: Accountant, runs: number): number =>
  wants.includes('pair') ? Math.ceil(runs / 8) : runs;
/** Loss of power from the smaller number of inputs. */
export const sparing = 'with an eighth of the power for accountants that compose privacy losses';
