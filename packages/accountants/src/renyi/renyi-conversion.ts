import { addUp, expUp, logUp, minimizeUnimodal } from '@lethe/numerics';
import { jointDelta, jointEpsilon } from './renyi-joint-range.js';

/** Rényi divergence by order, rounded up. */
export type RenyiCurve = (alpha: number) => number;

/** A value attained at a Rényi order. */
export interface AtOrder { readonly value: number; readonly order: number }

/** Error granted to a sum of elementary functions, relative to the sizes of its terms. */
const grain = 2 ** -51;

/** `log(1 − 1/α)`. */
const logShortfall = (alpha: number): number => (alpha < 2 ? Math.log((alpha - 1) / alpha) : Math.log1p(-1 / alpha));

/** What is made of one divergence: all that follows from it, or the simpler bound in closed form. */
export type FromOrder = 'joint-range' | 'closed-form';

/**
 * Least ε over all orders `α` of what follows from `D_α`, and in closed form of `D_α + log(1 − 1/α) − (log δ + log α)/(α − 1)`, rounded up.
 *
 * For the divergence itself, times `α − 1` the expression is convex in `α` (the moment's logarithm is), so it has no local minima;
 * and every order gives a valid ε, so that nothing but tightness rests on how well it is minimised.
 *
 * @param stated - Orders that are looked at whatever the search finds: where the curve may jump upwards.
 * @see Canonne, Kamath, Steinke 2020, Proposition 12; Asoodeh et al. 2021, Theorem 3.
 */
export function renyiEpsilon(curve: RenyiCurve, delta: number, from: FromOrder = 'joint-range', stated: readonly number[] = []): AtOrder {
  if (delta === 0) return { value: Infinity, order: Infinity };
  return leastOverOrders((alpha) => epsilonOfOrder({ alpha, divergence: curve(alpha) }, delta, from), stated);
}

/** ε at δ that follows from the divergence of one order alone, rounded up. */
export function epsilonOfOrder({ alpha, divergence }: { readonly alpha: number; readonly divergence: number }, delta: number, from: FromOrder): number {
  if (divergence === Infinity) return Infinity;
  const logDelta = Math.log(delta), shortfall = logShortfall(alpha);
  const price = (logDelta + Math.log(alpha)) / (alpha - 1);
  const size = divergence - shortfall + (Math.log(alpha) - logDelta) / (alpha - 1);
  const closed = Math.max(0, addUp(divergence + shortfall - price, grain * size));
  return from === 'closed-form' ? closed : Math.min(closed, jointEpsilon({ alpha, divergence }, delta, closed));
}

/** Least δ over all orders; in closed form of `e^{(α−1)(D_α − ε)} (1 − 1/α)^{α−1} / α`, rounded up. */
export function renyiDelta(curve: RenyiCurve, epsilon: number, from: FromOrder = 'joint-range', stated: readonly number[] = []): AtOrder {
  const { value, order } = leastOverOrders((alpha) => {
    const divergence = curve(alpha);
    if (divergence === Infinity) return Infinity;
    const beta = alpha - 1;
    const shortfall = beta * logShortfall(alpha);
    const log = beta * (divergence - epsilon) + shortfall - Math.log(alpha);
    const size = beta * (divergence + epsilon) - shortfall + Math.log(alpha);
    if (size === Infinity) return log < 0 ? -Number.MAX_VALUE : Infinity;
    const closed = addUp(log, grain * size);
    if (from === 'closed-form') return closed;
    const joint = Math.min(closed, logUp(Math.max(Number.MIN_VALUE, jointDelta({ alpha, divergence }, epsilon, expUp(closed)))));
    // Where the closed form exceeds 1 the other is next to 1 and shows no way down.
    return { bound: joint, guide: joint + uphill * Math.max(0, closed) };
  }, stated);
  return { value: Math.min(1, expUp(value)), order };
}

/** How far the closed form guides the search. */
const uphill = 1e-4;

const leastOffset = -36;
const mostOffset = 200;
/** Keeps the argument of the minimiser, whose tolerance is relative, away from 0. */
const shift = 64;

/** Offsets looked at first: the minimum lies among them for all but extreme costs. */
const coarse: readonly number[] = Array.from({ length: 12 }, (_, i) => i - 4);

/**
 * Minimises over `α = 1 + e^t`, by a guide where there is one, a function that is infinite at most towards large orders. A curve that is the least of several
 * bounds may leave it more than one minimum, so it goes down into each valley that the coarse offsets show.
 */
function leastOverOrders(f: (alpha: number) => number | { readonly bound: number; readonly guide: number }, stated: readonly number[]): AtOrder {
  let best: AtOrder = { value: Infinity, order: Infinity };
  const at = (t: number): number => look(1 + Math.exp(t));
  const look = (order: number): number => {
    const found = f(order), { bound, guide } = typeof found === 'number' ? { bound: found, guide: found } : found;
    if (bound < best.value) best = { value: bound, order };
    return guide;
  };
  for (const order of stated) look(order);
  const values = coarse.map(at), last = coarse.length - 1;
  const valleys = coarse.flatMap((t, i) => (i > 0 && i < last && values[i]! < Infinity && values[i]! <= values[i - 1]! && values[i]! < values[i + 1]! ? [[t - 1, t + 1] as const] : []));
  const beyond = Math.min(...values) === Math.min(values[0]!, values[last]!);
  const ends = [...(valleys.length === 0 || beyond ? [bracket(at)] : []), ...(values[last]! < Infinity && (beyond || best.value < small) ? [farther(at)] : [])];
  for (const [lower, upper] of [...valleys, ...ends]) {
    minimizeUnimodal((x) => at(x - shift), lower + shift, upper + shift, { tolerance: 1e-9, maximumProbes: 80 });
  }
  return best;
}

/** Costs below it may be told by far larger orders than the coarse ones. */
const small = 0.02;

/** Where the least of even steps towards large orders is: tiny costs are told by orders of millions, beyond valleys of their own. */
function farther(at: (t: number) => number): readonly [number, number] {
  let best = { t: coarse.at(-1)!, value: Infinity };
  for (let t = best.t, worse = 0; t <= mostOffset && worse < 4; t += 1.5) {
    const value = at(t);
    worse = value < best.value ? 0 : worse + 1;
    if (value < best.value) best = { t, value };
  }
  return [best.t - 1.5, best.t + 1.5];
}

/** An interval that holds the minimum, found by growing steps downhill. */
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
    // Infinity is uphill of everything, so a plateau of it is not a minimum.
    if (ahead === current || next > value || (next === value && next < Infinity)) return rising ? [ahead, behind] : [behind, ahead];
    behind = current;
    current = ahead;
    value = next;
  }
}
