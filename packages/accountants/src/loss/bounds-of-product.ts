import { addUp, type Bounds, multiplyUp, type PairFactor, Unsupported } from '@lethe/core';
import { inverted } from './crossing.js';
import { isPart } from './cut-law.js';
import type { Goal } from './growth.js';
import { type Composing, fewLossesRule, jumpsFor, type LogProfile, profileOfJumps } from './jumps.js';
import { type Plan, planOf, type Tilings, tilingsOf } from './plan.js';
import { atomsAmong } from './rough-cells.js';
import { chernoffOf, type ProductProfile, profileOf } from './product-profile.js';
import { type Cost, longest, mostWork, transformWork } from './spectrum.js';

/** Points of all laws together, at most: what is as fine as that is answered wider than was asked. */
const mostPoints = 1 << 18;
/** Work that is done without looking for less, of laws and of parts of laws. */
const littleWork = 2e6;
const littleOfPart = 5e5;
/** Work for an answer that need not be narrow, and for one that may be wide. */
const someWork = 2e7;
const hardlyAny = 2e6;
/** Times a grid is made finer, at most. */
const mostTries = 5;

/** Looks for where to split by the number of large losses, at most; how near ε is known at first, and when it has settled, as shares of it. */
const mostRounds = 5;
const roughShare = 0.03;
const settled = 0.1;
/** How finely, as a share of ε, an answer is composed that may be wide. */
const fineShare = 1e-4;
/** Answers this wide, as shares of them, are looked for as a whole too. */
const wideShare = 0.05;
/** Expected number of large losses below which the rest is quicker to compose without them. */
const rare = 0.05;

/** How narrow an answer shall be. */
export interface Asked {
  /** Width in ε; that which takes little time where it is left out. */
  readonly width?: number | undefined;
  /** Nothing narrower than this is needed, and no more than a part of the work is to be done for it. */
  readonly enough?: number | undefined;
}

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
  if (parts.some(({ law }) => law.infinite >= 1)) return 'delta' in goal ? certain(0, Infinity) : certain(0, 1);
  // No two distributions are farther apart than the sum of what their parts are.
  if ('delta' in goal && parts.reduce((sum, { law, count }) => addUp(sum, multiplyUp(count, law.hockeyStick(0).upper)), 0) <= goal.delta) return certain(0, 0);
  const [only] = parts;
  if (parts.length === 1 && only!.count === 1) {
    const { lower, upper } = ofOne(only!, goal);
    return certain(lower, upper, 'delta' in goal ? upper : Math.log(upper));
  }
  const plan = planOf(parts, goal);
  return { guess: 'delta' in goal ? plan.epsilon : plan.logDelta, answer: (asked, patience = true) => capped(composed(parts, plan, goal, asked, patience), parts, goal) };
}

const certain = (lower: number, upper: number, guess = -Infinity): Question => ({ guess, answer: () => ({ lower, upper }) });

/** As narrow as takes little time. Where atoms are beside a density, the characteristic function does not vanish, and costs more. */
function usualWidth({ factors }: Plan): number {
  const rough = factors.some(({ cells }) => { const atoms = atomsAmong(cells); return atoms.includes(true) && cells.some(({ p }, i) => p > 0.001 && !atoms[i]!); });
  return 1e-4 * Math.min(6, Math.max(rough ? 5 : 1, factors.length / 4));
}

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

/** Looks for ε roughly at first, and composes finely where it was found. */
function byJumps(parts: readonly PairFactor[], plan: Plan, goal: Goal, { width, enough }: Asked, patience: boolean): Bounds | undefined {
  const few = fewLossesRule(plan);
  const wanted = Math.max(width ?? usualWidth(plan), enough ?? 0);
  const budget = { left: enough === undefined ? mostWork : someWork };
  const composing: Composing = {
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
  let epsilon = 'delta' in goal ? startOf(parts, plan, goal.delta, few) : goal.epsilon;
  let { logDelta } = plan;
  let found: Bounds | undefined;
  let fine = false;
  let aim = 'delta' in goal || enough !== undefined ? Math.max(wanted, roughShare * epsilon) : wanted;
  for (let round = 0; round < mostRounds; round += 1) {
    const jumps = jumpsFor(parts, epsilon, logDelta);
    // A cut is for losses that few releases have, or that no tilt leads to.
    if (jumps === undefined || (jumps.count * jumps.cut.mass > rare && !few)) return found;
    const profile = profileOfJumps(jumps, epsilon, logDelta, aim, composing);
    if (profile === undefined) return found;
    const now = read(profile, goal, { epsilon, deviation: epsilon }, { apart: aim, tolerance: aim / 64, before: undefined });
    found = found === undefined ? now : { lower: Math.max(found.lower, now.lower), upper: Math.min(found.upper, now.upper) };
    if ('delta' in goal) {
      if (!(now.upper < Infinity && now.upper > 0)) break;
      const near = Math.abs(now.upper - epsilon) < settled * epsilon;
      const got = found.upper - found.lower;
      if (!(got > (enough === undefined ? 1.6 : 5) * wanted) || (near && !patience)) break;
      // Beyond this it is the lower end that stays behind, which no finer grid brings up.
      if (fine && enough !== undefined) break;
      fine = near;
      if (near) aim = Math.max(enough === undefined ? wanted / 8 : fineShare * epsilon, Math.min(0.5 * aim, aim * ((0.5 * wanted) / got)));
      epsilon = now.upper;
    } else {
      // Where to cut depends on δ.
      const before = logDelta;
      logDelta = Math.log(found.upper);
      if (!(logDelta < before - 1 || logDelta > before + 1) || found.lower > found.upper * 0.9) break;
    }
  }
  return found;
}

/** Where ε is looked for first: where one large loss rules, about there. */
function startOf(parts: readonly PairFactor[], plan: Plan, delta: number, few: boolean): number {
  const union = unionOf(parts, delta);
  if (few) return Math.min(union, plan.epsilon || union);
  const jumps = union < plan.epsilon ? jumpsFor(parts, union, plan.logDelta) : undefined;
  return jumps !== undefined && jumps.count * jumps.cut.mass < rare ? union : plan.epsilon;
}

/** The ε at which the parts' own profiles add up to δ: about that of all, where one large loss rules. */
function unionOf(parts: readonly PairFactor[], delta: number): number {
  const sum = (epsilon: number): number => parts.reduce((all, { law, count }) => all + count * law.hockeyStick(epsilon).upper, 0);
  let [low, high] = [0, 1];
  while (high < 1e6 && sum(high) > delta) [low, high] = [high, 4 * high];
  while (high - low > 1e-3 * high) {
    const middle = (low + high) / 2;
    if (sum(middle) > delta) low = middle;
    else high = middle;
  }
  return high;
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

/** A profile that makes the interval about `width` wide, on whichever grid takes less; `undefined` if that is more than is left. */
function attempt(plan: Plan, width: number, budget: { left: number }): ProductProfile | undefined {
  const fine = tilingsOf(plan, width);
  if (fine === undefined || pointsOf(fine) > mostPoints) return undefined;
  let coarse: Tilings | undefined;
  const found = profileOf(plan, fine, ({ work, period }) => {
    if (work > (plan.factors.some(({ law }) => isPart(law)) ? littleOfPart : littleWork)) coarse = coarser(plan, width, fine.step, { work, period });
    return coarse === undefined && affords(budget, work);
  });
  return coarse === undefined || pointsOf(coarse) > mostPoints ? found : profileOf(plan, coarse, ({ work }) => affords(budget, work));
}

function affords(budget: { left: number }, work: number): boolean {
  if (!(work <= budget.left)) return false;
  budget.left -= work;
  return true;
}

/** Blocks as wide as may be, where a transform of these takes far less than a finer grid does. */
function coarser(plan: Plan, width: number, step: number, { work, period }: Cost): Tilings | undefined {
  const range = period * step * 1.02;
  return tilingsOf(plan, width, (widest) => {
    // A transform has room for a power of two, and a grid as fine as that costs no more.
    const points = 2 ** Math.min(Math.log2(longest), Math.ceil(Math.log2(range / widest)));
    return range / points > 1.5 * step && 2 * transformWork(points, plan.factors.length) < work ? range / points : undefined;
  });
}

const pointsOf = ({ tilings }: Tilings): number => tilings.reduce((sum, { nodes }) => sum + nodes.length, 0);

/** No finite loss is above the sum of the largest. */
function capped({ lower, upper }: Bounds, parts: readonly PairFactor[], goal: Goal): Bounds {
  if (!('delta' in goal)) return { lower, upper };
  const infinite = -Math.expm1(parts.reduce((sum, { law, count }) => sum + count * Math.log1p(-law.infinite), 0)) * (1 + 2 ** -40);
  const most = parts.reduce((sum, { law, count }) => sum + count * law.support.most, 0) * (1 + 2 ** -50);
  const largest = infinite <= goal.delta ? Math.max(0, most) : Infinity;
  // Beyond the largest loss a profile is constant: what is too much there is too much everywhere.
  return { lower: lower > most ? Infinity : Math.min(lower, largest), upper: Math.min(upper, largest) };
}

interface Reading { readonly apart: number; readonly tolerance: number; readonly before: Bounds | undefined }

/** @param reading - How far the ends are likely apart, how exactly they are wanted, and what is known already. */
function read(profile: LogProfile, goal: Goal, plan: Pick<Plan, 'deviation' | 'epsilon'>, { apart, tolerance, before }: Reading): Bounds {
  if (!('delta' in goal)) {
    const { epsilon } = goal;
    return { lower: Math.exp(profile.logLower(epsilon)) * (1 - 2 ** -50), upper: Math.min(1, Math.exp(profile.logUpper(epsilon)) * (1 + 2 ** -50) + Number.MIN_VALUE) };
  }
  const known = before !== undefined && before.upper < Infinity && before.lower > 0;
  const step = known ? (before.upper - before.lower) / 4 : Math.max(plan.deviation / 32, plan.epsilon / 4096);
  return inverted(profile.logLower, profile.logUpper, Math.log(goal.delta), { near: known ? before.upper : plan.epsilon, step: Math.max(step, 1e-12), apart, tolerance });
}

/** Of a single law, by its profile itself. */
function ofOne({ law }: PairFactor, goal: Goal): Bounds {
  if (!('delta' in goal)) return law.hockeyStick(goal.epsilon);
  const log = (of: (bounds: Bounds) => number) => (epsilon: number): number => Math.log(of(law.hockeyStick(epsilon)));
  const found = inverted(log(({ lower }) => lower), log(({ upper }) => upper), Math.log(goal.delta), { near: 1, step: 1, apart: 1e-9, tolerance: 0 });
  return law.infinite > goal.delta ? { lower: found.lower > law.support.most ? Infinity : found.lower, upper: Infinity } : { lower: found.lower, upper: Math.max(found.lower, Math.min(found.upper, law.support.most)) };
}

