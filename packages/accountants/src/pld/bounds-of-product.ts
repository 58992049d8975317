import { addUp, type Bounds, multiplyUp } from '@lethe/numerics';
import { type PairFactor, Unsupported } from '@lethe/core';
import { type Asked, usualWidth } from './asked.js';
import { attempt, hardlyAny, someWork } from './attempt.js';
import { byJumps } from './by-jumps.js';
import { inverted } from './crossing.js';
import type { Goal } from './growth.js';
import { type Plan, planOf } from './plan.js';
import { read } from './reading.js';
import { mostWork } from './spectrum.js';

/** Times a grid is made finer, at most. */
const mostTries = 5;

/** Answers this wide, as shares of them, are looked for as a whole too. */
const wideShare = 0.05;

/** A question about a product of laws, prepared. */
export interface Question {
  /** What the answer is about, to compare questions with the same goal: ε, or the logarithm of δ. */
  readonly guess: number;
  /** Bounds that are about as far apart as is asked, if they can be; without `patience` it tries once. */
  answer(asked: Asked, patience?: boolean): Bounds;
}

/** ε at δ in (0, 1), or δ at ε, of a product of laws: the truth is within the bounds. */
export function questionOf(factors: readonly PairFactor[], goal: Goal): Question {
  const parts = factors.filter(({ count }) => count > 0);
  if (parts.length === 0) return certain(0, 0);
  if (parts.some(({ distribution }) => distribution.infinite >= 1)) return 'delta' in goal ? certain(0, Infinity) : certain(0, 1);
  // No two distributions are farther apart than the sum of what their parts are.
  if ('delta' in goal && parts.reduce((sum, { distribution, count }) => addUp(sum, multiplyUp(count, distribution.hockeyStick(0).upper)), 0) <= goal.delta) return certain(0, 0);
  const [only] = parts;
  if (parts.length === 1 && only!.count === 1) {
    const { lower, upper } = ofOne(only!, goal);
    return certain(lower, upper, 'delta' in goal ? upper : Math.log(upper));
  }
  const plan = planOf(parts, goal);
  return { guess: 'delta' in goal ? plan.epsilon : plan.logDelta, answer: (asked, patience = true) => capped(composed(parts, plan, goal, asked, patience), parts, goal) };
}

const certain = (lower: number, upper: number, guess = -Infinity): Question => ({ guess, answer: () => ({ lower, upper }) });

/** The least of the widths that matter here: nothing needs to be finer than its deviation, nor than a share of a large ε. */
const natural = (plan: Plan, width: number): number => width * Math.min(1, plan.deviation || 1) * Math.max(1, plan.epsilon / 20);

/** By the number of large losses where few of these rule the answer, else as a whole. */
function composed(parts: readonly PairFactor[], plan: Plan, goal: Goal, asked: Asked, patience: boolean): Bounds {
  if (!('delta' in goal ? plan.epsilon > 0 : goal.epsilon > 0)) return compose(plan, goal, asked, patience);
  const found = byJumps(parts, plan, goal, asked, patience);
  const most = found === undefined ? 0 : asked.enough === undefined ? 1.6 * natural(plan, asked.width ?? usualWidth(plan)) : wideShare * ('delta' in goal ? found.upper : goal.epsilon);
  if (found !== undefined && (!patience || widthOf(found, goal, plan) <= most)) return found;
  const whole = compose(plan, goal, asked, patience);
  return found === undefined ? whole : { lower: Math.max(found.lower, whole.lower), upper: Math.min(found.upper, whole.upper) };
}

function compose(plan: Plan, goal: Goal, { width, enough }: Asked, patience: boolean): Bounds {
  const wanted = Math.max(natural(plan, width ?? usualWidth(plan)), enough ?? 0);
  let best: Bounds | undefined;
  let last = 0;
  const budget = { left: enough === undefined ? mostWork : enough < 1e-3 ? someWork : hardlyAny };
  let before = Infinity;
  for (let aim = wanted, tries = 0; tries < (patience ? mostTries : 1) || best === undefined && tries < 2 * mostTries; tries += 1) {
    const profile = attempt(plan, aim, budget);
    if (profile === undefined) {
      if (best !== undefined && (aim *= 8) > 0.5 * last) break;
      if (best !== undefined) continue;
      aim *= 16;
      continue;
    }
    last = aim;
    const found = read(profile, goal, plan, { apart: aim, tolerance: Math.max(aim, wanted) / 64, before: best });
    best = best === undefined ? found : { lower: Math.max(best.lower, found.lower), upper: Math.min(best.upper, found.upper) };
    const mine = widthOf(found, goal, plan);
    // What does not shrink with the blocks is rounding, which grows as they do.
    if (!(mine < 0.7 * before)) break;
    before = mine;
    const got = widthOf(best, goal, plan);
    if (!(got > 1.6 * wanted) || got === Infinity) break;
    aim *= Math.max(0.01, Math.min(0.3, (0.5 * wanted) / got));
  }
  if (best !== undefined) return best;
  throw new Unsupported('the losses of these releases differ too widely in size to be composed on one grid; account by Rényi divergences', { factors: plan.factors.length });
}

/** How far apart bounds are, in ε. */
const widthOf = ({ lower, upper }: Bounds, goal: Goal, { tilt }: Plan): number => ('delta' in goal ? upper - lower : Math.log(upper / lower) / tilt);

/** No finite loss is above the sum of the largest. */
function capped({ lower, upper }: Bounds, parts: readonly PairFactor[], goal: Goal): Bounds {
  if (!('delta' in goal)) return { lower, upper };
  const infinite = -Math.expm1(parts.reduce((sum, { distribution, count }) => sum + count * Math.log1p(-distribution.infinite), 0)) * (1 + 2 ** -40);
  const most = parts.reduce((sum, { distribution, count }) => sum + count * distribution.support.most, 0) * (1 + 2 ** -50);
  const largest = infinite <= goal.delta ? Math.max(0, most) : Infinity;
  // Beyond the largest loss a profile is constant: what is too much there is too much everywhere.
  return { lower: lower > most ? Infinity : Math.min(lower, largest), upper: Math.min(upper, largest) };
}

/** Of a single law, by its profile itself. */
function ofOne({ distribution }: PairFactor, goal: Goal): Bounds {
  if (!('delta' in goal)) return distribution.hockeyStick(goal.epsilon);
  const log = (of: (bounds: Bounds) => number) => (epsilon: number): number => Math.log(of(distribution.hockeyStick(epsilon)));
  const found = inverted(log(({ lower }) => lower), log(({ upper }) => upper), Math.log(goal.delta), { near: 1, step: 1, apart: 1e-9, tolerance: 0 });
  return distribution.infinite > goal.delta ? { lower: found.lower > distribution.support.most ? Infinity : found.lower, upper: Infinity } : { lower: found.lower, upper: Math.max(found.lower, Math.min(found.upper, distribution.support.most)) };
}

