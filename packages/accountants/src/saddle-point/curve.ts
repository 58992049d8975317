import {
  addDown,
  addUp,
  type Bounds,
  expDown,
  expUp,
  findRoot,
  multiplyUp,
  subtractDown,
  subtractUp,
} from '@lethe/numerics';
import { type DominatingPair } from '@lethe/core';
import { byJumps } from '../pld/by-jumps.js';
import { atomsAmong } from '../pld/coarse-cells.js';
import type { Goal } from '../pld/growth.js';
import { intersection } from '../pld/intersection.js';
import { planOf } from '../pld/plan.js';
import { contour } from './contour.js';
import { convergedTilt, draftPair, type EnclosedPair, enclosePair, type Saddle } from './enclosed-pair.js';
import { saddleOfDelta, saddleOfEpsilon } from './saddle.js';
import { onContours } from './terms.js';
import { type Factor, totalMoments } from './tilt.js';

/** Bounds, and the tilt they were computed with. */
export interface Tilted extends Bounds {
  readonly lambda: number;
}

type Drafts = ReturnType<typeof draftPair>;

/**
 * Bounds on the pair's δ at ε. @param enough - Given when wide bounds suffice; only one tilt is tried then.
 */
export function deltaBounds(pair: DominatingPair, epsilon: number, enough?: number): Tilted {
  const drafts = draftPair(pair.factors);
  const free = epsilon >= mostLoss(pair);
  return answer(
    drafts,
    (factors, near) => saddleOfEpsilon(factors, epsilon, near),
    ({ upper, lower, infinite }, lambda, alone) => {
      const around = alone ? epsilon : undefined;
      // If no neighbours attain the pair, the lower bound only shows how tight the upper one is; it is
      // computed once.
      const least =
        alone || pair.attained ? expDown(Math.min(0, contour(lower, lambda, 'lower', around)(epsilon))) : 0;
      const most = free
        ? anyInfinite(pair)
        : addUp(infinite.upper, expUp(Math.min(0, contour(upper, lambda, 'upper', around)(epsilon))));
      return {
        lower: Math.min(1, Math.max(0, addDown(infinite.lower, least))),
        upper: Math.min(1, most),
        lambda,
      };
    },
    ({ lower, upper }) => enough !== undefined || upper - lower <= narrow * upper,
    () => epsilon,
    (whole) =>
      splitBounds(
        pair,
        { epsilon },
        whole,
        ({ lower, upper }) =>
          Math.log(upper / lower) <= whole.lambda * (enough ?? narrowEpsilon * epsilon) || upper <= 1e-300,
      ),
  );
}

/**
 * Bounds on the least ε at or above 0 at which the pair's δ is at most `delta`, below 1. @param enough - As
 * in {@link deltaBounds}.
 */
export function epsilonBounds(pair: DominatingPair, delta: number, enough?: number): Tilted {
  const drafts = draftPair(pair.factors);
  const most = anyInfinite(pair) <= delta ? Math.max(0, mostLoss(pair)) : Infinity;
  // A δ too small for doubles: the lower bound is computed at the least δ that they resolve.
  const resolved = Math.max(delta, leastDelta);
  return answer(
    drafts,
    (factors, near) => saddleOfDelta(factors, Math.log(resolved), near),
    (enclosed, lambda, alone) => {
      const lowerOf = () => {
        if (enclosed.infinite.lower > delta) return Infinity;
        if (alone || pair.attained) return Math.min(most, lowerEpsilon(enclosed, lambda, resolved));
        return 0;
      };
      return {
        lower: lowerOf(),
        upper: Math.min(most, upperEpsilon(enclosed, lambda, delta)),
        lambda,
      };
    },
    ({ lower, upper, lambda }) =>
      enough !== undefined ||
      upper === lower ||
      upper === Infinity ||
      (lambda * (upper - lower) <= narrow && upper - lower <= 2 * narrow * upper + 1e-3),
    ({ upper }) => upper,
    (whole) =>
      splitBounds(
        pair,
        { delta: resolved },
        whole,
        ({ lower, upper }) =>
          upper === lower || upper === Infinity || upper - lower <= (enough ?? narrowEpsilon * upper),
      ),
  );
}

/**
 * Bounds by an expansion in the number of large losses, where a few of them decide and no tilt leads to the
 * answer; those given elsewhere.
 */
function splitBounds(
  { factors }: DominatingPair,
  goal: Goal,
  whole: Bounds,
  isNarrow: (found: Bounds) => boolean,
): Bounds {
  const parts = factors.filter(({ count }) => count > 0);
  const times = parts.reduce((sum, { count }) => sum + count, 0);
  if (isNarrow(whole) || parts.length > fewDistributions || times < leastSplit) return whole;
  const plan = planOf(parts, goal);
  // The integrand of atoms does not fall, however many nodes there are.
  if (plan.factors.some(({ cells }) => atomsAmong(cells).includes(true))) return whole;
  let found = whole;
  for (const composing of onContours) {
    if (isNarrow(found)) return found;
    // The plan may expect ε far below.
    const start = 'delta' in goal && plan.epsilon < found.lower ? found.lower : undefined;
    const split = byJumps(parts, plan, goal, {}, false, composing, start);
    if (split === undefined) return found;
    const next = intersection(found, split.bounds);
    if (!(next.upper - next.lower < 0.9 * (found.upper - found.lower))) return next;
    found = next;
  }
  return found;
}

/** With fewer releases than this, large losses are not split off. */
const leastSplit = 30;
/** The least δ at which lower bounds of ε are computed. */
export const leastDelta = 1e-300;
/** Relative width of ε above which large losses are split off. */
const narrowEpsilon = 1e-3;
/** Relative width of δ above which more tilts are tried. */
const narrow = 0.01;
/** Tilts per octave, and the ones tried, relative to the saddle point. */
const spacing = 8;
const sides = [-2, -1, 0, 1, 2];
/** With more distributions than this, only one tilt is tried. */
const fewDistributions = 8;

/**
 * The bounds at the saddle point. With few or rare losses the saddle point is a poor choice; several tilts
 * are then tried, around the one that belongs to ε, so that ε(δ) and δ(ε) stay inverse to each other.
 */
function answer(
  drafts: Drafts,
  saddle: Saddle,
  bound: (enclosed: EnclosedPair, lambda: number, alone: boolean) => Tilted,
  good: (found: Tilted) => boolean,
  epsilonOf: (found: Tilted) => number,
  splitIfWide: (whole: Tilted) => Bounds,
): Tilted {
  if (drafts.length === 0) return { lower: 0, upper: 0, lambda: 0 };
  const lambda = convergedTilt(drafts, saddle);
  const enclosed = enclosePair(drafts, lambda);
  const whole = bound(enclosed, lambda, true);
  const first = { lambda, ...splitIfWide(whole) };
  if (good(first) || drafts.length > fewDistributions) return first;
  // Where the tilted mean changes abruptly, coarser atoms led to a tilt on the wrong side of that.
  const tried = [first, bound(enclosed, saddle(enclosed.lower, lambda), true)];
  const known = new Map<number, Tilted>();
  const at = (index: number): Tilted => {
    const tilt = 2 ** (index / spacing);
    const found = known.get(index) ?? bound(enclosePair(drafts, tilt), tilt, false);
    known.set(index, found);
    return found;
  };
  let best = tried.reduce(lesser);
  let centre = NaN;
  for (let round = 0; round < 3; round++) {
    const epsilon = epsilonOf(best);
    const next = Math.round(
      spacing * Math.log2(convergedTilt(drafts, (factors, near) => saddleOfEpsilon(factors, epsilon, near))),
    );
    if (next === centre) break;
    centre = next;
    best = sides.map((side) => at(centre + side)).reduce(lesser);
  }
  const all = [...tried, ...known.values()];
  return {
    lower: Math.max(...all.map(({ lower }) => lower)),
    upper: Math.min(...all.map(({ upper }) => upper)),
    lambda: best.lambda,
  };
}

const lesser = (one: Tilted, other: Tilted): Tilted => (other.upper < one.upper ? other : one);

function upperEpsilon({ upper, infinite }: EnclosedPair, lambda: number, delta: number): number {
  const spare = subtractDown(delta, infinite.upper);
  if (!(spare > 0)) return Infinity;
  const logDelta = contour(upper, lambda, 'upper');
  const { mean, scale } = saddlePointOf(upper, lambda);
  const target = logOf(spare, -1);
  return rootOf((epsilon) => logDelta(epsilon) - target, mean, scale)[1];
}

function lowerEpsilon({ lower, infinite }: EnclosedPair, lambda: number, delta: number): number {
  const logDelta = contour(lower, lambda, 'lower');
  const { mean, scale } = saddlePointOf(lower, lambda);
  const target = logOf(subtractUp(delta, infinite.lower), 1);
  return rootOf((epsilon) => logDelta(epsilon) - target, mean, scale)[0];
}

function saddlePointOf(
  factors: readonly Factor[],
  lambda: number,
): { readonly mean: number; readonly scale: number } {
  const { mean, variance } = totalMoments(factors, lambda);
  return { mean, scale: Math.sqrt(variance) };
}

const logOf = (value: number, direction: 1 | -1): number =>
  Math.log(value) + direction * 1e-15 * (1 + Math.abs(Math.log(value)));

/**
 * Two values of ε at or above 0: one at which `excess` is positive, or 0, and one at which it is not. The
 * bounds are loose far from the saddle point, so the search starts there.
 */
function rootOf(
  excess: (epsilon: number) => number,
  start: number,
  scale: number,
): readonly [number, number] {
  let middle = Math.max(0, start);
  const forward = excess(middle) > 0;
  let step = scale > 0 ? scale / 16 : Math.max(2 ** -40, middle / 1024);
  for (let i = 0; i < 300; i++, step *= 1.5) {
    const next = forward ? middle + step : Math.max(0, middle - step);
    if (excess(next) > 0 !== forward) {
      const [low, high] = forward ? [middle, next] : [next, middle];
      const { lower, upper } = findRoot(
        (epsilon) => {
          const value = excess(epsilon);
          return value > 0
            ? Math.min(1000, Math.max(2 ** -60, value))
            : Math.min(-(2 ** -60), Math.max(-1000, value));
        },
        low,
        high,
      );
      return [lower, upper];
    }
    if (next === 0) return [0, 0];
    middle = next;
  }
  return forward ? [middle, Infinity] : [0, middle];
}

/** The largest finite loss of the composition, rounded up. */
const mostLoss = ({ factors }: DominatingPair): number =>
  factors.reduce(
    (sum, { distribution, count }) =>
      count === 0 ? sum : addUp(sum, multiplyUp(count, distribution.support.most)),
    0,
  );

/** The probability that any loss is infinite, rounded up. */
const anyInfinite = ({ factors }: DominatingPair): number =>
  Math.min(
    1,
    -Math.expm1(
      factors.reduce(
        (sum, { distribution, count }) =>
          distribution.infinite > 0 ? sum + count * Math.log1p(-Math.min(1, distribution.infinite)) : sum,
        0,
      ),
    ) *
      (1 + 1e-14),
  );
