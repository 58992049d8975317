import type { Composed } from './composed.js';
import type { PairFactor } from '@lethe/core';
import { type Asked, usualWidth } from './asked.js';
import { attempt, someWork } from './attempt.js';
import type { Goal } from './growth.js';
import { intersection } from './intersection.js';
import { type Composing, fewLossesRule, jumpsFor, nearNormal, profileOfJumps } from './jumps.js';
import { type Plan, tilingsOf } from './plan.js';
import { chernoffOf } from './product-profile.js';
import { read } from './reading.js';
import { mostWork } from './spectrum.js';

/** The most rounds; relative width of ε in the first round; relative change or width at convergence. */
const mostRounds = 5;
const roughShare = 0.03;
const convergedShare = 0.1;
/** Largest relative width of ε that is aimed at, where the usual width is more: ε may be tiny. */
const leastShare = 2e-4;
/** Relative width of the composition for answers that may be wide; from the other on a rough one does. */
const fineShare = 1e-4;
const wideShare = 1e-3;
/** Relative width of the composition where ε is known and the answer may be wide. */
const fairShare = 0.003;
/** Expected number of large losses below which splitting them off is faster. */
const rare = 0.05;

/** Composes terms on grids, within a budget of work. */
function onGrids(work: number): Composing {
  const budget = { left: work };
  return {
    mostExcess: nearNormal,
    compose(term, least) {
      for (let aim = least; aim < 1e4 * least; aim *= 8) {
        const profile = attempt(term, aim, budget);
        if (profile !== undefined) return profile;
      }
      return undefined;
    },
    bound(term) {
      const tilings = tilingsOf(term, 0.5 / (1 + term.tilt));
      return tilings && chernoffOf(term, tilings);
    },
  };
}

/**
 * Bounds by splitting off large losses: first a coarse search for ε, then a fine composition near it.
 *
 * @param composing - How each term is composed; by default on grids.
 * @param start - Where ε is first sought; by default where the plan expects it.
 */
export function byJumps(
  parts: readonly PairFactor[],
  plan: Plan,
  goal: Goal,
  { width, enough }: Asked,
  patience: boolean,
  composing: Composing = onGrids(enough === undefined ? mostWork : someWork),
  start?: number,
): Composed | undefined {
  const few = fewLossesRule(plan);
  const usual = width ?? usualWidth(plan);
  const wantedAt = (epsilon: number): number =>
    Math.max(width ?? Math.min(usual, leastShare * epsilon), enough ?? 0);
  let epsilon = 'delta' in goal ? (start ?? startOf(parts, plan, goal.delta, few)) : goal.epsilon;
  let { logDelta } = plan;
  let found: Composed | undefined;
  let fine = false;
  let aim = Math.max(wantedAt(epsilon), firstShare(goal, epsilon, enough) * epsilon);
  for (let round = 0; round < mostRounds; round += 1) {
    const jumps = jumpsFor(parts, epsilon, logDelta, composing.mostExcess);
    // Splitting helps only for rare large losses, or if no tilt leads to the answer.
    if (jumps === undefined || (jumps.count * jumps.cut.mass > rare && !few)) return found;
    const profile = profileOfJumps(jumps, epsilon, logDelta, aim, composing);
    if (profile === undefined) return found;
    const now = read(
      profile,
      goal,
      { epsilon, deviation: epsilon },
      { apart: aim, tolerance: aim / 64, before: undefined },
    );
    found = { bounds: found === undefined ? now : intersection(found.bounds, now), profile };
    if ('delta' in goal) {
      if (!(now.upper < Infinity && now.upper > 0)) break;
      const got = found.bounds.upper - found.bounds.lower;
      const isNarrow = enough !== undefined && got < convergedShare * now.upper;
      const near = isNarrow || Math.abs(now.upper - epsilon) < convergedShare * epsilon;
      const wanted = wantedAt(now.upper);
      if (!(got > (enough === undefined ? 1.6 : 5) * wanted) || (near && !patience)) break;
      // After this only the lower end is loose, which a finer grid does not improve.
      if (fine && enough !== undefined) break;
      fine = near;
      if (near)
        aim = Math.max(
          enough === undefined ? wanted / 8 : fineShare * epsilon,
          Math.min(0.5 * aim, aim * ((0.5 * wanted) / got)),
        );
      epsilon = now.upper;
    } else {
      // The threshold depends on δ.
      const alike = enough !== undefined && enough >= wideShare * epsilon ? 0.5 : 0.9;
      const before = logDelta;
      const { lower, upper } = found.bounds;
      logDelta = Math.log(upper);
      if (!(logDelta < before - 1 || logDelta > before + 1) || lower > upper * alike) break;
    }
  }
  return found;
}

/** Relative width of ε in the first round: rough while ε is searched, or if a rough answer is enough. */
function firstShare(goal: Goal, epsilon: number, enough: number | undefined): number {
  if ('delta' in goal) return roughShare;
  if (enough === undefined) return 0;
  return enough < wideShare * epsilon ? fineShare : fairShare;
}

/** First estimate of ε: by the union bound if one large loss dominates. */
function startOf(parts: readonly PairFactor[], plan: Plan, delta: number, few: boolean): number {
  const union = unionOf(parts, delta);
  if (few) return Math.min(union, plan.epsilon || union);
  const jumps = union < plan.epsilon ? jumpsFor(parts, union, plan.logDelta, nearNormal) : undefined;
  return jumps !== undefined && jumps.count * jumps.cut.mass < rare ? union : plan.epsilon;
}

/** Union bound: the ε at which the profiles of the parts sum to δ; accurate if one large loss dominates. */
function unionOf(parts: readonly PairFactor[], delta: number): number {
  const sum = (epsilon: number): number =>
    parts.reduce((all, { distribution, count }) => all + count * distribution.hockeyStick(epsilon).upper, 0);
  let [low, high] = [0, 1];
  while (high < 1e6 && sum(high) > delta) [low, high] = [high, 4 * high];
  while (high - low > 1e-3 * high) {
    const middle = (low + high) / 2;
    if (sum(middle) > delta) low = middle;
    else high = middle;
  }
  return high;
}
