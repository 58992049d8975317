import { InvalidParameter } from '@lethe/core';
import { clopperPearson } from '../special/index.js';

/** Which neighbour an event is to be likelier on. */
export type Direction = 'second over first' | 'first over second';

/** An event `score > threshold` (or below it, the other way round), and how often it came about. */
export interface Tally {
  readonly direction: Direction;
  readonly threshold: number;
  /** Runs on the neighbour on which the event is to be likelier, and on the other, that were in it. */
  readonly hits: number; readonly falseAlarms: number;
  /** Runs on each neighbour. */
  readonly runs: number;
}

/** Scores of the runs on both neighbours. */
export interface Scores { readonly first: Float64Array; readonly second: Float64Array }

/** A lower bound on ε, and the event that it comes from. */
export interface EpsilonBound extends Tally { readonly lower: number; readonly point: number }

/** Whether the claim survives. */
export interface Verdict extends Tally { readonly holds: boolean; /** Least δ at the claimed ε that the event is consistent with; negative where it says nothing. */ readonly delta: number }

/** Thresholds that are tried. */
const tries = 400;

/**
 * A lower bound on ε at δ, right with probability `confidence`: one event is chosen on the first half of the runs, and its probabilities
 * are bounded by Clopper and Pearson on the second, half of the error for each. Whatever the scores are, the bound is right.
 */
export function boundEpsilon(scores: Scores, { delta, confidence }: { readonly delta: number; readonly confidence: number }): EpsilonBound {
  const alpha = (1 - confidence) / 2;
  const at = ({ hits, falseAlarms, runs }: Tally): number => Math.log(Math.max(0, clopperPearson(hits, runs, alpha).lower - delta) / clopperPearson(falseAlarms, runs, alpha).upper);
  const tally = chosenEvent(scores, at), { hits, falseAlarms, runs } = tally;
  return { ...tally, lower: Math.max(0, at(tally)), point: Math.max(0, Math.log((hits / runs - delta) / (falseAlarms / runs)) || 0) };
}

/**
 * Tests `P(S) ≤ e^ε Q(S) + δ` for one event `S` chosen on the first half of the runs, on the second half. A claim that is true is rejected
 * with probability at most `falseAlarm`.
 */
export function judge(scores: Scores, { epsilon, delta, falseAlarm }: { readonly epsilon: number; readonly delta: number; readonly falseAlarm: number }): Verdict {
  const alpha = falseAlarm / 2, grown = Math.exp(epsilon);
  const at = ({ hits, falseAlarms, runs }: Tally): number => clopperPearson(hits, runs, alpha).lower - grown * clopperPearson(falseAlarms, runs, alpha).upper;
  const tally = chosenEvent(scores, at), excess = at(tally);
  return { ...tally, delta: excess, holds: !(excess > delta) };
}

/** The largest ε that so many runs on each neighbour could show, if no run were ever mistaken. */
export const reachOf = (runs: number, { delta, alpha }: { readonly delta: number; readonly alpha: number }): number => {
  const tested = runs - Math.floor(runs / 2);
  return Math.log(Math.max(0, clopperPearson(tested, tested, alpha / 2).lower - delta) / clopperPearson(0, tested, alpha / 2).upper);
};

/** Chooses the event by the first half of the runs and counts it on the second. */
function chosenEvent({ first, second }: Scores, objective: (tally: Tally) => number): Tally {
  const runs = Math.min(first.length, second.length), half = Math.floor(runs / 2);
  if (half < 1) throw new InvalidParameter(`an audit of ${runs} runs on each neighbour cannot choose and test; give at least 2`, { runs });
  let best: { readonly value: number; readonly event: Pick<Tally, 'direction' | 'threshold'> } | undefined;
  for (const direction of ['second over first', 'first over second'] as const) {
    const sorted = { first: first.slice(0, half).sort(), second: second.slice(0, half).sort() };
    for (const threshold of candidates(sorted)) {
      const value = objective(tallyOf(sorted, direction, threshold));
      if (best === undefined || value > best.value) best = { value, event: { direction, threshold } };
    }
  }
  return tallyOf({ first: first.slice(half, runs).sort(), second: second.slice(half, runs).sort() }, best!.event.direction, best!.event.threshold);
}

/** Scores at regular ranks of both samples. */
function candidates({ first, second }: Scores): readonly number[] {
  return [first, second].flatMap((scores) => Array.from({ length: Math.min(scores.length, tries) }, (_, i) => scores[Math.floor((i * scores.length) / Math.min(scores.length, tries))]));
}

function tallyOf({ first, second }: Scores, direction: Direction, threshold: number): Tally {
  const [on, off] = direction === 'second over first' ? [second, first] : [first, second];
  const count = (sorted: Float64Array): number => (direction === 'second over first' ? sorted.length - ranked(sorted, threshold, true) : ranked(sorted, threshold, false));
  return { direction, threshold, hits: count(on), falseAlarms: count(off), runs: on.length };
}

/** How many of ascending scores are below the threshold, or, `upTo` it, at most it. */
function ranked(sorted: Float64Array, threshold: number, upTo: boolean): number {
  let low = 0, high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < threshold || (upTo && sorted[middle] === threshold)) low = middle + 1; else high = middle;
  }
  return low;
}

/** What thresholds on the second half of the runs attain: false alarms and hits, as shares of the runs, from the fewest to all. */
export function tradeOff({ first, second }: Scores, points = 60): readonly { readonly falseAlarms: number; readonly hits: number }[] {
  const half = Math.floor(first.length / 2), sorted = { first: first.slice(half).sort(), second: second.slice(half).sort() };
  const all = [...sorted.first, ...sorted.second].toSorted((a, b) => b - a);
  return Array.from({ length: points + 1 }, (_, i) => {
    const { hits, falseAlarms, runs } = i === 0 ? { hits: 0, falseAlarms: 0, runs: 1 } : tallyOf(sorted, 'second over first', i === points ? -Infinity : all[Math.floor((i * all.length) / points)]);
    return i === points ? { falseAlarms: 1, hits: 1 } : { falseAlarms: falseAlarms / runs, hits: hits / runs };
  });
}
