import { InvalidParameter } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { clopperPearson } from '../special/index.js';

/** The neighbour on which an event is likelier. */
export type Direction = 'second over first' | 'first over second';

/** An event `score ≥ threshold` (`≤` in the other direction), and its counts. */
export interface Tally {
  readonly direction: Direction;
  readonly threshold: number;
  /** Runs in the event, on the neighbour where it should be likelier, and on the other. */
  readonly hits: number;
  readonly falseAlarms: number;
  /** Runs on each neighbour. */
  readonly runs: number;
}

/** Scores of the runs on both neighbours. */
export interface Scores {
  readonly first: Float64Array;
  readonly second: Float64Array;
}

/** A lower bound on ε, and its event. */
export interface EpsilonBound extends Tally {
  readonly lower: number;
  readonly point: number;
}

/** A point of a claimed profile: (ε, δ). */
export interface ClaimedPoint {
  readonly epsilon: number;
  readonly delta: number;
}

/** Whether the claim holds. */
export interface Verdict extends Tally {
  readonly holds: boolean;
  /** The claimed point with the largest violation. */
  readonly at: ClaimedPoint;
  /**
   * Lower bound on δ at that ε from the event; below 0 if it is vacuous. The claim is violated if it is
   * above the claimed δ.
   */
  readonly delta: number;
}

/** Number of thresholds tried. */
const tries = 400;

/**
 * A lower bound on ε at δ, valid with probability `confidence`: one event is chosen on the first quarter of
 * the runs, and its probabilities are bounded by Clopper and Pearson on the rest, half of the error for each.
 * The bound is valid for any scores.
 */
export function boundEpsilon(
  scores: Scores,
  { delta, confidence }: { readonly delta: number; readonly confidence: number },
): EpsilonBound {
  const alpha = (1 - confidence) / 2;
  const at = ({ hits, falseAlarms, runs }: Tally): number =>
    Math.log(
      Math.max(0, clopperPearson(hits, runs, alpha).lower - delta) /
        clopperPearson(falseAlarms, runs, alpha).upper,
    );
  const tally = chosenEvent(scores, at);
  const { hits, falseAlarms, runs } = tally;
  return {
    ...tally,
    lower: Math.max(0, at(tally)),
    point: Math.max(0, Math.log((hits / runs - delta) / (falseAlarms / runs)) || 0),
  };
}

/**
 * Tests `P(S) ≤ e^ε Q(S) + δ` at all claimed points for one event `S` chosen on the first quarter of the
 * runs, on the rest. The probability of rejecting true claims is at most `falseAlarm`: all tests use the same
 * two simultaneous bounds.
 */
export function judge(
  scores: Scores,
  { claims, falseAlarm }: { readonly claims: readonly ClaimedPoint[]; readonly falseAlarm: number },
): Verdict {
  const alpha = falseAlarm / 2;
  const worstOf = ({ hits, falseAlarms, runs }: Tally): Pick<Verdict, 'at' | 'delta'> => {
    const least = clopperPearson(hits, runs, alpha).lower;
    const most = clopperPearson(falseAlarms, runs, alpha).upper;
    return claims
      .map((at) => ({ at, delta: least - Math.exp(at.epsilon) * most }))
      .reduce((worst, one) => (one.delta - one.at.delta > worst.delta - worst.at.delta ? one : worst));
  };
  const tally = chosenEvent(scores, (foreseen) => {
    const { at, delta } = worstOf(foreseen);
    return delta - at.delta;
  });
  const { at, delta } = worstOf(tally);
  return { ...tally, at, delta, holds: !(delta > at.delta) };
}

/**
 * The largest ε that so many runs on each neighbour can show, with an event that never occurs on one of them.
 */
export const reachOf = (
  runs: number,
  { delta, alpha }: { readonly delta: number; readonly alpha: number },
): number => {
  const tested = runs - chosenOn(runs);
  return Math.log(
    Math.max(0, clopperPearson(tested, tested, alpha / 2).lower - delta) /
      clopperPearson(0, tested, alpha / 2).upper,
  );
};

const mostRuns = 2 ** 40;

/**
 * The least number of runs on each neighbour that can show an ε, with such an event; `Infinity` beyond 2⁴⁰.
 */
export function runsToReach(
  epsilon: number,
  target: { readonly delta: number; readonly alpha: number },
): number {
  const shows = (runs: number): boolean => reachOf(runs, target) >= epsilon;
  let enough = 4;
  while (!shows(enough)) {
    enough *= 2;
    if (enough > mostRuns) return Infinity;
  }
  let tooFew = enough / 2;
  while (enough - tooFew > 1) {
    const middle = Math.floor((tooFew + enough) / 2);
    if (shows(middle)) enough = middle;
    else tooFew = middle;
  }
  return enough;
}

/** Chooses the event on the first quarter of the runs and counts it on the rest. */
function chosenEvent({ first, second }: Scores, objective: (tally: Tally) => number): Tally {
  const runs = Math.min(first.length, second.length);
  const cut = chosenOn(runs);
  if (cut < 1)
    throw new InvalidParameter(
      `an audit of ${runs} runs on each neighbour cannot choose and test; give at least 4`,
      {
        runs,
      },
    );
  const sorted = { first: first.slice(0, cut).toSorted(), second: second.slice(0, cut).toSorted() };
  let best: { readonly value: number; readonly event: Pick<Tally, 'direction' | 'threshold'> } | undefined;
  for (const direction of ['second over first', 'first over second'] as const) {
    for (const foreseen of foreseenEvents(sorted, direction, runs - cut)) {
      const value = objective(foreseen);
      if (best === undefined || value > best.value) best = { value, event: foreseen };
    }
  }
  return tallyOf(
    { first: first.slice(cut, runs).toSorted(), second: second.slice(cut, runs).toSorted() },
    defined(best).event.direction,
    defined(best).event.threshold,
  );
}

/**
 * Predicted counts of threshold events in `runs` other runs. Rare false alarms are predicted from the runs in
 * the event, weighted by their ratios, as far as the observed false alarms allow: ratios may be
 * wrong.
 */
function foreseenEvents(scores: Scores, direction: Direction, runs: number): readonly Tally[] {
  const isUp = direction === 'second over first';
  const on = isUp ? scores.second : scores.first;
  const size = on.length;
  const count = Math.min(size, tries);
  const thresholds = Array.from({ length: count }, (_, i) => on[Math.floor((i * size) / count)]);
  // From the rarest event on, so that weights accumulate along the thresholds.
  const ordered = isUp ? thresholds.toReversed() : thresholds;
  const hitsInOrder = isUp ? on.toReversed() : on;
  let taken = 0;
  let weight = 0;
  return ordered.map((threshold): Tally => {
    for (
      ;
      taken < size && (isUp ? hitsInOrder[taken] >= threshold : hitsInOrder[taken] <= threshold);
      taken++
    )
      weight += Math.exp(isUp ? -hitsInOrder[taken] : hitsInOrder[taken]);
    const seen = tallyOf(scores, direction, threshold);
    const { lower, upper } = clopperPearson(seen.falseAlarms, size, 0.1);
    return {
      direction,
      threshold,
      runs,
      hits: Math.floor((seen.hits / size) * runs),
      falseAlarms: Math.ceil(Math.min(Math.max(weight / size, lower), upper) * runs),
    };
  });
}

/** Number of runs on each neighbour for choosing the event. */
const chosenOn = (runs: number): number => Math.floor(runs / 4);

function tallyOf({ first, second }: Scores, direction: Direction, threshold: number): Tally {
  const [on, off] = direction === 'second over first' ? [second, first] : [first, second];
  const count = (sorted: Float64Array): number =>
    direction === 'second over first'
      ? sorted.length - ranked(sorted, threshold, false)
      : ranked(sorted, threshold, true);
  return { direction, threshold, hits: count(on), falseAlarms: count(off), runs: on.length };
}

/** Number of ascending scores below the threshold, or, with `upTo`, at most the threshold. */
function ranked(sorted: Float64Array, threshold: number, upTo: boolean): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < threshold || (upTo && sorted[middle] === threshold)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * ROC curve on the test runs: false alarms and hits, as fractions of the runs, from the fewest
 * to all.
 */
export function tradeOff(
  { first, second }: Scores,
  points = 60,
): readonly { readonly falseAlarms: number; readonly hits: number }[] {
  const cut = chosenOn(first.length);
  const sorted = { first: first.slice(cut).toSorted(), second: second.slice(cut).toSorted() };
  const all = [...sorted.first, ...sorted.second].toSorted((a, b) => b - a);
  return Array.from({ length: points + 1 }, (_, i) => {
    const { hits, falseAlarms, runs } =
      i === 0
        ? { hits: 0, falseAlarms: 0, runs: 1 }
        : tallyOf(
            sorted,
            'second over first',
            i === points ? -Infinity : all[Math.floor((i * all.length) / points)],
          );
    return i === points
      ? { falseAlarms: 1, hits: 1 }
      : { falseAlarms: falseAlarms / runs, hits: hits / runs };
  });
}
