import { addUp, type Bounds, multiplyUp } from '@lethe/numerics';
import { type PairFactor, Unsupported } from '@lethe/core';
import { type Asked, usualWidth } from './asked.js';
import { attempt, littleWorkForWide, someWork } from './attempt.js';
import { byJumps } from './by-jumps.js';
import { both, type Composed } from './composed.js';
import { inverted } from './crossing.js';
import { gathered, isEnsemble } from './ensemble.js';
import type { Goal } from './growth.js';
import { intersection } from './intersection.js';
import { type Plan, planOf, tilingsOf } from './plan.js';
import { chernoffOf } from './product-profile.js';
import { read } from './reading.js';
import { recently } from './recent.js';
import { mostWork } from './spectrum.js';

/** Maximum number of grid refinements. */
const mostTries = 5;

/** Relative width above which an answer is also computed without splitting. */
const wideShare = 0.05;

/** Relative width above which large losses are split off anew, from where the answer is now known to be. */
const misledShare = 2e-3;

/** Relative width above which an answer by ensembles is also computed with each member alone. */
const chordShare = 2e-3;
/** The most factors for which that is done. */
const mostRepeated = 1000;

/** A prepared query about a product of privacy-loss distributions. */
export interface Question {
  /** Estimate of the answer, for comparing queries with the same goal: ε, or the logarithm of δ. */
  readonly guess: number;
  /** Bounds of about the requested width, if possible; without `patience` only one attempt. */
  answer(asked: Asked, patience?: boolean): Bounds;
  /** Whether a bound that takes little time shows that the answer is at most this. */
  isAtMost(value: number): boolean;
}

/** Certified bounds of ε at δ in (0, 1), or of δ at ε, for a product of privacy-loss distributions. */
export function questionOf(factors: readonly PairFactor[], goal: Goal): Question {
  const parts = partsOf(factors);
  return (
    evident(parts, goal) ?? {
      guess: guessOf(plannedFor(factors, goal), goal),
      answer: (asked, patience = true) =>
        capped(composedFor(factors, goal, asked, patience).bounds, parts, goal),
      isAtMost: (value) => isAtMost(plannedFor(factors, goal), goal, value),
    }
  );
}

/** By Chernoff's bound: whether ε at δ, or δ at ε, is at most `value`. */
function isAtMost(plan: Plan, goal: Goal, value: number): boolean {
  const tilings = tilingsOf(plan, 0.5 / (1 + plan.tilt));
  const bound = tilings && chernoffOf(plan, tilings);
  if (bound === undefined) return false;
  const [epsilon, delta] = 'delta' in goal ? [value, goal.delta] : [goal.epsilon, value];
  const log = Math.log(delta);
  return bound.logUpper(epsilon) <= log - Math.abs(log) * 2 ** -50;
}

/** How far ε may be from where it was expected, relative to that. */
const nearShare = 0.5;

/**
 * Certified bounds of ε at δ in (0, 1), read from what is composed to bound δ at `near`. An answer far from
 * there is sought anew.
 */
export function questionNear(
  factors: readonly PairFactor[],
  { delta, near }: { readonly delta: number; readonly near: number },
): Question {
  const parts = partsOf(factors);
  const sought = { delta };
  const known = evident(parts, sought);
  if (known !== undefined) return known;
  const goal = { epsilon: near };
  const plan = plannedFor(factors, goal);
  return {
    guess: guessOf(plan, goal),
    answer(asked, patience = true) {
      const { profile } = composedFor(factors, goal, asked, patience);
      const apart = Math.max(asked.width ?? usualWidth(plan), asked.enough ?? 0);
      const found = read(
        profile,
        sought,
        { epsilon: near, deviation: near },
        { apart, tolerance: Math.min(apart, 1e-4 * near) / 64, before: undefined },
      );
      return !patience || (Math.abs(found.upper - near) < nearShare * near && found.lower > 0)
        ? capped(found, parts, sought)
        : questionOf(factors, sought).answer(asked, patience);
    },
    isAtMost: (value) => isAtMost(plan, sought, value),
  };
}

/** Answers that need no composition. */
function evident(parts: readonly PairFactor[], goal: Goal): Question | undefined {
  if (parts.length === 0) return certain(0, 0);
  if (parts.some(({ distribution }) => distribution.infinite >= 1))
    return 'delta' in goal ? certain(0, Infinity) : certain(0, 1);
  // The total variation of a product is at most the sum of those of its factors.
  if (
    'delta' in goal &&
    parts.reduce(
      (sum, { distribution, count }) => addUp(sum, multiplyUp(count, distribution.hockeyStick(0).upper)),
      0,
    ) <= goal.delta
  )
    return certain(0, 0);
  // No sum of losses is above the sum of the largest.
  if (
    'epsilon' in goal &&
    parts.every(({ distribution }) => distribution.infinite === 0) &&
    parts.reduce(
      (sum, { distribution, count }) => addUp(sum, multiplyUp(count, distribution.support.most)),
      0,
    ) <= goal.epsilon
  )
    return certain(0, 0);
  const [only] = parts;
  if (parts.length > 1 || only.count > 1) return undefined;
  const { lower, upper } = ofOne(only, goal);
  return certain(lower, upper, 'delta' in goal ? upper : Math.log(upper));
}

/** The factors that are there; what is kept is known by the whole list. */
const partsOf = (factors: readonly PairFactor[]): readonly PairFactor[] =>
  factors.filter(({ count }) => count > 0);

const plans = recently<Plan>();
const plannedFor = (factors: readonly PairFactor[], goal: Goal): Plan =>
  plans(factors, keyOf(goal), () => planOf(gathered(partsOf(factors)), goal));

const compositions = recently<Composed>();

/** Compositions for narrow answers may take much memory, and are not kept. */
function composedFor(factors: readonly PairFactor[], goal: Goal, asked: Asked, patience: boolean): Composed {
  const compute = (): Composed =>
    composedAnew(partsOf(factors), plannedFor(factors, goal), goal, asked, patience);
  const { width, enough } = asked;
  return enough === undefined
    ? compute()
    : compositions(factors, `${keyOf(goal)} ${width} ${enough} ${patience}`, compute);
}

const keyOf = (goal: Goal): string => ('delta' in goal ? `ε ${goal.delta}` : `δ ${goal.epsilon}`);

const guessOf = (plan: Plan, goal: Goal): number => ('delta' in goal ? plan.epsilon : plan.logDelta);

/**
 * Whether an answer by ensembles is wider than asked for: because of their chords, or of a few large losses.
 */
function isLoose(found: Bounds, plan: Plan, goal: Goal, { width, enough }: Asked): boolean {
  if (!hasEnsembles(plan)) return false;
  const epsilon = 'delta' in goal ? found.upper : goal.epsilon;
  const usual = width === undefined ? chordShare * epsilon : 0;
  return !(
    widthOf(found, goal, plan) <= Math.max(usual, 1.6 * natural(plan, width ?? usualWidth(plan)), enough ?? 0)
  );
}

const hasEnsembles = ({ factors }: Plan): boolean =>
  factors.some(({ distribution }) => isEnsemble(distribution));

const certain = (lower: number, upper: number, guess = -Infinity): Question => ({
  guess,
  answer: () => ({ lower, upper }),
  isAtMost: (value) => upper <= value,
});

/** Scales a width: relative to a small deviation, and relative to a large ε. */
const natural = (plan: Plan, width: number): number =>
  width * Math.min(1, plan.deviation || 1) * Math.max(1, plan.epsilon / 20);

/**
 * Composes with ensembles of distributions of one family, and without them if that is loose. Where no finer
 * grid was affordable, only a few large losses can be why the members alone would be narrower.
 */
function composedAnew(
  parts: readonly PairFactor[],
  plan: Plan,
  goal: Goal,
  asked: Asked,
  patience: boolean,
): Composed {
  const found = composed(parts, plan, goal, asked, patience);
  if (!patience || !isLoose(found.bounds, plan, goal, asked) || parts.length > mostRepeated) return found;
  const apart = planOf(parts, goal);
  const alone =
    found.isCoarse === true && hasEpsilon(apart, goal)
      ? byJumps(parts, apart, goal, asked, patience)
      : composed(parts, apart, goal, asked, patience);
  return alone === undefined ? found : both(found, alone);
}

const hasEpsilon = (plan: Plan, goal: Goal): boolean =>
  'delta' in goal ? plan.epsilon > 0 : goal.epsilon > 0;

/** Composes by the number of large losses if few of them dominate, else as a whole. */
function composed(
  parts: readonly PairFactor[],
  plan: Plan,
  goal: Goal,
  asked: Asked,
  patience: boolean,
): Composed {
  if (!hasEpsilon(plan, goal)) return compose(plan, goal, asked, patience);
  const found = hasEnsembles(plan) ? undefined : byJumps(parts, plan, goal, asked, patience);
  let most: number;
  if (found === undefined) most = 0;
  else if (asked.enough === undefined) most = 1.6 * natural(plan, asked.width ?? usualWidth(plan));
  else most = wideShare * ('delta' in goal ? found.bounds.upper : goal.epsilon);
  if (found !== undefined && (!patience || widthOf(found.bounds, goal, plan) <= most)) return found;
  const whole = compose(plan, goal, asked, patience);
  const best = found === undefined ? whole : both(found, whole);
  const isMisled =
    'delta' in goal &&
    patience &&
    asked.enough === undefined &&
    !hasEnsembles(plan) &&
    best.bounds.upper - best.bounds.lower > misledShare * best.bounds.upper;
  return isMisled && best.bounds.upper < Infinity
    ? both(best, composedAgain(parts, goal, asked, best))
    : best;
}

/** Composes for where ε is now known to be; the plan may have expected it elsewhere. */
function composedAgain(
  parts: readonly PairFactor[],
  goal: { readonly delta: number },
  asked: Asked,
  { bounds: { upper: epsilon } }: Composed,
): Composed {
  const plan = planOf(parts, { epsilon });
  const split = byJumps(parts, plan, goal, asked, true, undefined, epsilon);
  if (split !== undefined) return split;
  const { profile } = compose(plan, { epsilon }, asked, true);
  const apart = asked.width ?? usualWidth(plan);
  return { profile, bounds: read(profile, goal, plan, { apart, tolerance: apart / 64, before: undefined }) };
}

function compose(plan: Plan, goal: Goal, { width, enough }: Asked, patience: boolean): Composed {
  const wanted = Math.max(natural(plan, width ?? usualWidth(plan)), enough ?? 0);
  let best: Composed | undefined;
  let last = 0;
  const leftOf = () => {
    if (enough === undefined) return hasEnsembles(plan) ? 2 * mostWork : mostWork;
    return enough < 1e-3 ? someWork : littleWorkForWide;
  };
  const budget = { left: leftOf() };
  let before = Infinity;
  // The width of ensembles is that of their chords, which no grid mends.
  const most = patience && !hasEnsembles(plan) ? mostTries : 1;
  for (
    let aim = wanted, tries = 0;
    tries < most || (best === undefined && tries < 2 * mostTries);
    tries += 1
  ) {
    const profile = attempt(plan, aim, budget);
    if (profile === undefined) {
      if (best !== undefined && (aim *= 8) > 0.5 * last) break;
      if (best !== undefined) continue;
      // An ensemble has one grid, which is as fine as is affordable.
      aim *= hasEnsembles(plan) ? 4 : 16;
      continue;
    }
    last = aim;
    const found = read(profile, goal, plan, {
      apart: aim,
      tolerance: Math.max(aim, wanted) / 64,
      before: best?.bounds,
    });
    const mine = widthOf(found, goal, plan);
    best = {
      bounds: best === undefined ? found : intersection(best.bounds, found),
      profile: best === undefined || mine < before ? profile : best.profile,
      isCoarse: aim > wanted,
    };
    // A width that does not shrink with the blocks is rounding error, which grows with finer blocks.
    if (!(mine < 0.7 * before)) break;
    before = mine;
    const got = widthOf(best.bounds, goal, plan);
    if (!(got > 1.6 * wanted) || got === Infinity) break;
    aim *= Math.max(0.01, Math.min(0.3, (0.5 * wanted) / got));
  }
  if (best !== undefined) return best;
  throw new Unsupported(
    'the losses of these releases differ too widely in size to be composed on one grid; ' +
      'account by Rényi divergences',
    { factors: plan.factors.length },
  );
}

/** Width of bounds, in ε. */
const widthOf = ({ lower, upper }: Bounds, goal: Goal, { tilt }: Plan): number =>
  'delta' in goal ? upper - lower : Math.log(upper / lower) / tilt;

/** Caps ε at the sum of the largest finite losses. */
function capped({ lower, upper }: Bounds, parts: readonly PairFactor[], goal: Goal): Bounds {
  if (!('delta' in goal)) return { lower, upper };
  const infinite =
    -Math.expm1(
      parts.reduce((sum, { distribution, count }) => sum + count * Math.log1p(-distribution.infinite), 0),
    ) *
    (1 + 2 ** -40);
  const most =
    parts.reduce((sum, { distribution, count }) => sum + count * distribution.support.most, 0) *
    (1 + 2 ** -50);
  const largest = infinite <= goal.delta ? Math.max(0, most) : Infinity;
  // Above the largest loss the profile is constant, so a lower bound above it is infinite.
  return { lower: lower > most ? Infinity : Math.min(lower, largest), upper: Math.min(upper, largest) };
}

/** Bounds for a single distribution, from its profile. */
function ofOne({ distribution }: PairFactor, goal: Goal): Bounds {
  if (!('delta' in goal)) return distribution.hockeyStick(goal.epsilon);
  const log =
    (of: (bounds: Bounds) => number) =>
    (epsilon: number): number =>
      Math.log(of(distribution.hockeyStick(epsilon)));
  const found = inverted(
    log(({ lower }) => lower),
    log(({ upper }) => upper),
    Math.log(goal.delta),
    { near: 1, step: 1, apart: 1e-9, tolerance: 0 },
  );
  return distribution.infinite > goal.delta
    ? { lower: found.lower > distribution.support.most ? Infinity : found.lower, upper: Infinity }
    : { lower: found.lower, upper: Math.max(found.lower, Math.min(found.upper, distribution.support.most)) };
}
