import { logAddExp, logBinomialBounds } from '@lethe/numerics';
import { type PairFactor } from '@lethe/core';
import { type DistributionPart, splitDistribution, type SplitDistribution } from './split-distribution.js';
import {
  bestTilt,
  type CoarseFactor,
  type Goal,
  logMoment,
  logPeak,
  tiltedMoments,
  tiltedShares,
} from './growth.js';
import { type Factor, type Plan, planOf } from './plan.js';
import type { ProductProfile } from './product-profile.js';
import { firstCells, measured } from './coarse-cells.js';

/**
 * A product in which one distribution is split into a bulk and large losses, the jumps. A profile is a sum of
 * positive parts over outcomes, so the profile of `(bulk + mass · jump)^T` is at most the sum over `k` of
 * `C(T, k) mass^k` times the profile of `bulk^(T−k) jump^k`, with equality if no outcome is in both parts.
 */
export interface Jumps {
  readonly cut: SplitDistribution;
  readonly count: number;
  readonly others: readonly Factor[];
}

/** The largest number of jumps with a term of its own; more are rare whenever a split helps. */
const mostJumps = 10;
/** Logarithm of the share of δ that the omitted terms may have. */
const leftOut = -13;
/** Losses from this multiple of ε on are told apart from other jumps where no tilt centres a term at ε. */
const farShare = 1.3;
/** For a term below this share of δ, an upper bound suffices. */
const negligible = 1e-6;
/** Excess kurtosis below which a tilted sum is close enough to normal to be composed as a whole. */
export const nearNormal = 2;
/** Thresholds to try, as shares of ε. */
const thresholds = [0.6, 0.45, 0.33, 0.25, 0.18, 0.13, 0.09, 0.06, 0.04];
/** The largest mass that may be in both parts; an atom at the threshold exceeds it. */
const mostOverlap = 2 ** -30;
/** The least number of coarse cells from 0 to ε, and for each unit of it: a tilted sum needs narrow ones. */
const [cellsToGoal, cellsPerUnit] = [100, 16];

/** Whether a few large losses dominate the tilted sum, so that no tilt centres it at the answer. */
export const fewLossesRule = ({ factors, tilt }: Plan): boolean => excessKurtosis(factors, tilt) > nearNormal;

function excessKurtosis(factors: readonly CoarseFactor[], tilt: number): number {
  let [variance, fourth] = [0, 0];
  for (const { cells, count } of factors) {
    const shares = tiltedShares(cells, tilt);
    const { mean } = tiltedMoments(cells, tilt);
    let second = 0;
    let power = 0;
    for (let i = 0; i < shares.length; i += 1) {
      if (!(shares[i] > 0)) continue;
      const square = (cells.loss[i] - mean) ** 2;
      second += shares[i] * square;
      power += shares[i] * square * square;
    }
    variance += count * second;
    fourth += count * (power - 3 * second * second);
  }
  return variance > 0 ? fourth / (variance * variance) : 0;
}

/**
 * The split at the largest threshold, for `δ` near `ε`, that leaves a bulk which is nearly normal where it
 * contributes, or which contributes nothing; `undefined` if there is none.
 *
 * @param mostExcess - The largest excess kurtosis of the tilted bulk. A sum of a few large losses has one
 * over their number, and is in lumps.
 */
export function jumpsFor(
  factors: readonly PairFactor[],
  epsilon: number,
  logDelta: number,
  mostExcess: number,
): Jumps | undefined {
  if (factors.some(({ distribution }) => distribution.infinite > 0 || distribution.massesInto === undefined))
    return undefined;
  const most = factors.reduce((best, factor) =>
    factor.distribution.support.most > best.distribution.support.most ? factor : best,
  );
  const others = factors.filter((factor) => factor !== most);
  const { distribution, count } = most;
  const many = Math.max(cellsToGoal, Math.min(16 * cellsToGoal, Math.ceil(cellsPerUnit * epsilon)));
  const edges = new Float64Array(2 * many + 2);
  edges[0] = -Infinity;
  for (let i = 0; i <= 2 * many; i += 1) edges[i + 1] = ((i - many) * epsilon) / many;
  const cells = measured(distribution, edges);
  for (const share of thresholds) {
    const below = firstCells(cells, many + Math.round(share * many) + 1);
    const at = below.right[below.right.length - 1];
    const bulk = [{ cells: below, count }];
    const tilt = bestTilt(bulk, { epsilon });
    const bound = count * logMoment(below, tilt) + logPeak(tilt) - tilt * epsilon;
    if (!(bound < logDelta - 7 || excessKurtosis(bulk, tilt) < mostExcess)) continue;
    const cut = splitDistribution(distribution, at);
    return cut === undefined || count * cut.mass > 4 || count * cut.overlap > mostOverlap
      ? undefined
      : { cut, count, others };
  }
  return undefined;
}

/** Bounds on `log δ` at any real ε. */
export type LogProfile = Pick<ProductProfile, 'logUpper' | 'logLower'>;

/** How the profile of a term is computed. */
export interface Composing {
  /** The largest excess kurtosis of a bulk. */
  readonly mostExcess: number;
  /** Finely enough for bounds on ε about `width` apart; `undefined` if that is too much work. */
  compose(plan: Plan, width: number): LogProfile | undefined;
  /** By a fast upper bound, good enough for small terms. */
  bound(plan: Plan): LogProfile | undefined;
}

/** The sum over the number of jumps, with bounds about `width` apart in ε near the goal. */
export function profileOfJumps(
  jumps: Jumps,
  epsilon: number,
  logDelta: number,
  width: number,
  { compose, bound }: Composing,
): LogProfile | undefined {
  const found = termsOf(jumps, { epsilon }, logDelta);
  if (found === undefined) return undefined;
  const { rest, terms } = found;
  const most = Math.max(...terms.map(({ logMost }) => logMost));
  const profiles: { readonly weight: LogBounds; readonly profile: LogProfile }[] = [];
  // The largest term first; the remaining work is for the others, which matter less.
  for (const { weight, plan, logMost } of terms.toSorted((a, b) => b.logMost - a.logMost)) {
    const share = logMost - most;
    const enough = Math.max(width, Math.min(width * Math.exp(share / -1.5), 0.5 / (1 + plan.tilt)));
    const profile = share < Math.log(Math.max(negligible, width / 4)) ? bound(plan) : compose(plan, enough);
    if (profile === undefined) return undefined;
    profiles.push({ weight, profile });
  }
  return {
    logUpper: (at) =>
      moved(
        profiles.reduce(
          (sum, { weight, profile }) => logAddExp(sum, profile.logUpper(at) + weight.upper),
          rest,
        ),
        1,
      ),
    logLower: (at) =>
      moved(
        profiles.reduce(
          (sum, { weight, profile }) => logAddExp(sum, profile.logLower(at) + weight.lower),
          -Infinity,
        ),
        -1,
      ),
  };
}

interface LogBounds {
  readonly lower: number;
  readonly upper: number;
}

/**
 * A term of the sum over the number of jumps. `logMost` is approximately the logarithm of an upper bound on
 * it.
 */
interface Term {
  readonly weight: LogBounds;
  readonly plan: Plan;
  readonly logMost: number;
}

/** The terms that matter, and the logarithm of an upper bound on the others. */
function termsOf(
  jumps: Jumps,
  goal: { readonly epsilon: number },
  logDelta: number,
): { readonly terms: readonly Term[]; readonly rest: number } | undefined {
  const { cut, count } = jumps;
  const terms: Term[] = [];
  /** Jumps below and above a second threshold; `undefined` before they are needed, or if there are none. */
  let second: SplitDistribution | undefined;
  for (let number = 0; number <= count; number += 1) {
    const weight = weightOf(cut, count, number);
    // All terms from here on: at most the expected number of ways to choose this many jumps among all losses.
    if (number > 1 && weight.upper < logDelta + leftOut) return { terms, rest: weight.upper };
    if (number > mostJumps) return undefined;
    const term = termOf(jumps, number, [cut.jump], [number], weight, goal);
    // Of a density that falls slower than any exponential, a tilt takes the far end where it should take ε.
    const isApart = number > 0 && term.plan.deviation > goal.epsilon;
    if (isApart) second ??= splitDistribution(cut.jump, farShare * goal.epsilon);
    if (!isApart || second === undefined) terms.push(term);
    else
      for (let far = 0; far <= number; far += 1) {
        const share = weightOf(second, number, far);
        terms.push(
          termOf(
            jumps,
            number,
            [second.bulk, second.jump],
            [number - far, far],
            { lower: weight.lower + share.lower, upper: weight.upper + share.upper },
            goal,
          ),
        );
      }
  }
  return { terms, rest: -Infinity };
}

/** The term of some jumps, of one or more classes. */
function termOf(
  { cut, count, others }: Jumps,
  number: number,
  classes: readonly DistributionPart[],
  counts: readonly number[],
  weight: LogBounds,
  goal: Goal,
): Term {
  const parts = [
    { distribution: cut.bulk, count: count - number },
    ...classes.map((distribution, i) => ({ distribution, count: counts[i] })),
    ...others,
  ];
  const plan = planOf(
    parts.filter((part) => part.count > 0),
    goal,
  );
  return { weight, plan, logMost: Math.min(0, plan.logDelta + 4) + weight.upper };
}

/** A logarithm moved in the safe direction by the rounding error of a sum of logarithms. */
const moved = (log: number, sign: 1 | -1): number => Math.min(0, log + sign * (Math.abs(log) + 8) * 2 ** -48);

/** `log C(count, jumps) + jumps · log mass`; the upper bound includes the mass that is in both parts. */
function weightOf({ mass, overlap }: SplitDistribution, count: number, jumps: number): LogBounds {
  const { lower, upper } = logBinomialBounds(count, jumps);
  const log = jumps * Math.log(mass);
  const slack = 2 ** -50 * Math.abs(log);
  return { lower: lower + log - slack, upper: upper + log + slack + 1.01 * count * overlap };
}
