import { addUp, expUp, logUp, minimizeUnimodal } from '@lethe/numerics';
import { jointDelta, jointEpsilon } from './renyi-joint-range.js';

/** Rényi divergence by order, rounded up. */
export type RenyiCurve = (alpha: number) => number;

/** A value attained at a Rényi order. */
export interface AtOrder {
  readonly value: number;
  readonly order: number;
}

/**
 * Allowance for the rounding error of a sum of elementary functions, relative to the magnitudes of its terms.
 */
const grain = 2 ** -51;

/** `log(1 − 1/α)`. */
const logShortfall = (alpha: number): number =>
  alpha < 2 ? Math.log((alpha - 1) / alpha) : Math.log1p(-1 / alpha);

/**
 * How one divergence is converted: optimally, by the joint range of divergences, or by the simpler closed
 * form.
 */
export type FromOrder = 'joint-range' | 'closed-form';

/**
 * The least ε over all orders `α`, rounded up: of the optimal conversion of `D_α`, or in closed form of
 * `D_α + log(1 − 1/α) − (log δ + log α)/(α − 1)`.
 *
 * If the curve is the divergence itself, the expression times `α − 1` is convex in `α` (because the logarithm
 * of the moment is), so the expression has no other local minima. Every order gives a valid ε, so a poor
 * minimisation costs only tightness.
 *
 * @param stated - Orders that are tried in addition to those of the search: where the curve may jump upwards.
 * @see Canonne, Kamath, Steinke 2020, Proposition 12; Asoodeh et al. 2021, Theorem 3.
 */
export function renyiEpsilon(
  curve: RenyiCurve,
  delta: number,
  from: FromOrder = 'joint-range',
  stated: readonly number[] = [],
): AtOrder {
  if (delta === 0) return { value: Infinity, order: Infinity };
  return leastOverOrders((alpha) => epsilonOfOrder({ alpha, divergence: curve(alpha) }, delta, from), stated);
}

/** ε at δ that follows from the divergence of one order alone, rounded up. */
export function epsilonOfOrder(
  { alpha, divergence }: { readonly alpha: number; readonly divergence: number },
  delta: number,
  from: FromOrder,
): number {
  if (divergence === Infinity) return Infinity;
  const logDelta = Math.log(delta);
  const shortfall = logShortfall(alpha);
  const price = (logDelta + Math.log(alpha)) / (alpha - 1);
  const size = divergence - shortfall + (Math.log(alpha) - logDelta) / (alpha - 1);
  const closed = Math.max(0, addUp(divergence + shortfall - price, grain * size));
  return from === 'closed-form'
    ? closed
    : Math.min(closed, jointEpsilon({ alpha, divergence }, delta, closed));
}

/**
 * The least δ over all orders, rounded up: of the optimal conversion of `D_α`, or in closed form of
 * `e^{(α−1)(D_α − ε)} (1 − 1/α)^{α−1} / α`.
 */
export function renyiDelta(
  curve: RenyiCurve,
  epsilon: number,
  from: FromOrder = 'joint-range',
  stated: readonly number[] = [],
): AtOrder {
  const { value, order } = leastOverOrders((alpha) => {
    const divergence = curve(alpha);
    if (divergence === Infinity) return Infinity;
    const closed = logDeltaOfOrder({ alpha, divergence }, epsilon);
    if (from === 'closed-form' || Math.abs(closed) >= Number.MAX_VALUE) return closed;
    const joint = Math.min(
      closed,
      logUp(Math.max(Number.MIN_VALUE, jointDelta({ alpha, divergence }, epsilon, expUp(closed)))),
    );
    // Where the closed form exceeds 1, the optimal conversion is almost flat at 1; the closed form then
    // guides the search.
    return { bound: joint, guide: joint + guideWeight * Math.max(0, closed) };
  }, stated);
  return { value: Math.min(1, expUp(value)), order };
}

/** δ at ε that follows from the divergence of one order alone, in closed form, rounded up. */
export function deltaOfOrder(
  { alpha, divergence }: { readonly alpha: number; readonly divergence: number },
  epsilon: number,
): number {
  return divergence === Infinity ? 1 : Math.min(1, expUp(logDeltaOfOrder({ alpha, divergence }, epsilon)));
}

function logDeltaOfOrder(
  { alpha, divergence }: { readonly alpha: number; readonly divergence: number },
  epsilon: number,
): number {
  const beta = alpha - 1;
  const shortfall = beta * logShortfall(alpha);
  const log = beta * (divergence - epsilon) + shortfall - Math.log(alpha);
  const size = beta * (divergence + epsilon) - shortfall + Math.log(alpha);
  if (size === Infinity) return log < 0 ? -Number.MAX_VALUE : Infinity;
  return addUp(log, grain * size);
}

/** Weight of the closed form in the function that guides the search. */
const guideWeight = 1e-4;

const leastOffset = -36;
const mostOffset = 200;
/** Added to the argument of the minimiser, whose tolerance is relative, to keep it away from 0. */
const shift = 64;

/** Offsets tried first; the minimum lies among them for all but extreme privacy losses. */
const coarseOffsets: readonly number[] = Array.from({ length: 12 }, (_, i) => i - 4);

/**
 * Minimises over `α = 1 + e^t` a function that is infinite only towards large orders, following its `guide`
 * if it has one. A curve that is the least of several bounds can have several local minima, so the search
 * refines each one that the coarseOffsets offsets show.
 */
function leastOverOrders(
  f: (alpha: number) => number | { readonly bound: number; readonly guide: number },
  stated: readonly number[],
): AtOrder {
  let best: AtOrder = { value: Infinity, order: Infinity };
  const at = (t: number): number => evaluate(1 + Math.exp(t));
  const evaluate = (order: number): number => {
    const found = f(order);
    const { bound, guide } = typeof found === 'number' ? { bound: found, guide: found } : found;
    if (bound < best.value) best = { value: bound, order };
    return guide;
  };
  for (const order of stated) evaluate(order);
  const values = coarseOffsets.map(at);
  const last = coarseOffsets.length - 1;
  const valleys = coarseOffsets.flatMap((t, i) =>
    i > 0 && i < last && values[i] < Infinity && values[i] <= values[i - 1] && values[i] < values[i + 1]
      ? [[t - 1, t + 1] as const]
      : [],
  );
  const beyond = Math.min(...values) === Math.min(values[0], values[last]);
  const ends = [
    ...(valleys.length === 0 || beyond ? [bracket(at)] : []),
    ...(values[last] < Infinity && (beyond || best.value < smallResult) ? [farther(at)] : []),
  ];
  for (const [lower, upper] of [...valleys, ...ends]) {
    minimizeUnimodal((x) => at(x - shift), lower + shift, upper + shift, {
      tolerance: 1e-9,
      maximumProbes: 80,
    });
  }
  return best;
}

/** For results below this, the best order may be far above the coarseOffsets ones. */
const smallResult = 0.02;

/**
 * An interval about the best of evenly spaced offsets towards large orders. For tiny privacy losses the best
 * order can be in the millions, beyond other local minima.
 */
function farther(at: (t: number) => number): readonly [number, number] {
  let best = { t: coarseOffsets[coarseOffsets.length - 1], value: Infinity };
  for (let t = best.t, worse = 0; t <= mostOffset && worse < 4; t += 1.5) {
    const value = at(t);
    worse = value < best.value ? 0 : worse + 1;
    if (value < best.value) best = { t, value };
  }
  return [best.t - 1.5, best.t + 1.5];
}

/** An interval that contains the minimum, found by increasing steps downhill. */
function bracket(at: (t: number) => number): readonly [number, number] {
  const start = 2;
  const rising = at(start + 1) >= at(start);
  const direction = rising ? -1 : 1;
  let behind = rising ? start + 1 : start;
  let current = rising ? start : start + 1;
  let value = at(current);
  for (let step = 1; ; step *= 1.6) {
    const ahead = Math.min(mostOffset, Math.max(leastOffset, current + direction * step));
    const next = at(ahead);
    // A plateau of infinite values is not a minimum.
    if (ahead === current || next > value || (next === value && next < Infinity))
      return rising ? [ahead, behind] : [behind, ahead];
    behind = current;
    current = ahead;
    value = next;
  }
}
