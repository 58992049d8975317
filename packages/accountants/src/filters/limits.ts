import { bisectDown, multiplyUp, subtractDown } from '@lethe/numerics';
import { InvalidParameter, parseOrThrow, type PrivacyEvent } from '@lethe/core';
import * as z from 'zod/mini';
import { gaussianEpsilonUpper } from '../gaussian/gaussian-curve.js';
import { epsilonOfOrder, type FromOrder, type RenyiCurve, renyiEpsilon } from '../renyi/renyi-conversion.js';

/** Schema of an (ε, δ) limit of a whole interaction. */
export const approximateLimitSchema = z.strictObject({
  epsilon: z.number().check(z.positive()),
  delta: z.number().check(z.positive(), z.lt(1)),
});
/** Parsed form of {@link approximateLimitSchema}. */
export type ApproximateLimit = z.output<typeof approximateLimitSchema>;

/** @throws {InvalidParameter} naming `what`. */
export const parsedLimit = (limit: unknown, what: string): ApproximateLimit =>
  parseOrThrow(approximateLimitSchema, limit, `the limit of ${what}`);

/**
 * `delta` minus the reserve for failing events, rounded down. @throws {InvalidParameter} when nothing is
 * left.
 */
export function withoutShare(delta: number, failures: number): number {
  if (typeof failures !== 'number' || !(failures >= 0 && failures < delta)) {
    throw new InvalidParameter(
      `${String(failures)} of δ = ${delta} is set aside for failures; ` +
        'it must be a number from 0 up to, but not including, δ',
      { failures, delta },
    );
  }
  return subtractDown(delta, failures);
}

/** Budget of one order by the closed-form conversion, as a first guess. */
function closedBudget(alpha: number, { epsilon, delta }: ApproximateLimit): number {
  return epsilon - Math.log1p(-1 / alpha) + (Math.log(delta) + Math.log(alpha)) / (alpha - 1);
}

/**
 * The largest Rényi divergence of order `alpha` that implies (ε, δ)-DP, to nine digits and rounded down; 0 if
 * none is found.
 * @see Canonne, Kamath, Steinke 2020, Proposition 12; Asoodeh et al. 2021, Theorem 3.
 */
export const renyiBudget = cached((limit: ApproximateLimit, alpha: number): number => {
  const { epsilon, delta } = limit;
  const closed = closedBudget(alpha, limit);
  const excess = (divergence: number): number =>
    (divergence === 0 ? 0 : epsilonOfOrder({ alpha, divergence }, delta, 'joint-range')) - epsilon;
  const near = closed > 0 && excess(closed * (1 - 1e-9)) < 0 ? closed * (1 - 1e-9) : 0;
  return roundedDown(largestWithin(excess, near, near === 0 ? epsilon : near * 1.1, 1e-10), excess);
});

/**
 * Budgets of several orders. With `some`, each budget alone implies (ε, δ). With `every`, the order at which
 * most Gaussian noise fits implies (ε, δ), and the other budgets are at least proportional to the order, like
 * the cost of Gaussian noise.
 *
 * @throws {InvalidParameter} when no order can imply the limit.
 */
export function renyiBudgets(
  limit: ApproximateLimit,
  orders: readonly number[],
  keeps: 'every' | 'some',
): readonly number[] {
  const alone = orders.map((order) => renyiBudget(limit, order));
  const slope = Math.max(...alone.map((budget, i) => budget / orders[i]));
  const inProportion = (order: number): number => Number((slope * order).toPrecision(digits));
  if (slope > 0)
    return keeps === 'some'
      ? alone
      : alone.map((budget, i) => (budget / orders[i] < slope ? inProportion(orders[i]) : budget));
  throw new InvalidParameter(
    `Rényi divergence of order ${orders.join(', ')} does not keep ε = ${limit.epsilon} at ` +
      `δ = ${limit.delta}, however little is spent; give larger orders`,
    { orders, limit },
  );
}

/** The largest ρ whose zero-concentrated privacy implies (ε, δ)-DP, to nine digits and rounded down. */
export const zcdpBudget = cached((limit: ApproximateLimit): number => {
  const { epsilon, delta } = limit;
  const excess =
    (from: FromOrder) =>
    (rho: number): number =>
      (rho === 0 ? 0 : renyiEpsilon((alpha) => multiplyUp(rho, alpha), delta, from).value) - epsilon;
  // Starts from the fast closed form and refines with the tighter conversion.
  const near = largestWithin(excess('closed-form'), 0, 1, 1e-3);
  return roundedDown(largestWithin(excess('joint-range'), near, near * 1.1, 1e-10), excess('joint-range'));
});

/** The largest μ whose Gaussian privacy implies (ε, δ)-DP, to nine digits and rounded down. */
export const gaussianBudget = cached(({ epsilon, delta }: ApproximateLimit): number => {
  const excess = (mu: number): number => (mu === 0 ? 0 : gaussianEpsilonUpper(mu, delta)) - epsilon;
  return roundedDown(largestWithin(excess, 0, 1, 1e-12), excess);
});

/** The order at which the largest number of Gaussian releases fits the limit. */
export const bestOrder = cached((limit: ApproximateLimit): number => {
  const rho = zcdpBudget(limit);
  const { order } = renyiEpsilon((alpha) => multiplyUp(rho, alpha), limit.delta);
  return Math.min(2 ** 40, Math.max(1 + 2 ** -20, Number(order.toPrecision(4))));
});

/**
 * The order at which the largest number of runs of a release fits the limit, by the closed-form conversion.
 *
 * @param curve - Rényi divergence by order. If it is infinite or no order has a budget, the result is
 * `bestOrder`.
 */
export function orderFor(curve: RenyiCurve, limit: ApproximateLimit): number {
  let best = { order: 0, runs: 0 };
  for (let t = -4; t <= 14; t += 1 / 16) {
    const order = Number((1 + Math.exp(t)).toPrecision(4));
    const runs = closedBudget(order, limit) / curve(order);
    if (runs > best.runs && runs < Infinity) best = { order, runs };
  }
  return best.runs > 0 ? best.order : bestOrder(limit);
}

const digits = 9;

/**
 * Rounds `value` down to few digits, so that the spec in a ledger is the same on every machine and is checked
 * to fit.
 */
function roundedDown(value: number, excess: (value: number) => number): number {
  for (let shrink = 0, few = value; shrink < 1e-6; shrink = 2 * shrink + 10 ** -digits) {
    few = Number((value * (1 - shrink)).toPrecision(digits));
    if (few <= value && excess(few) <= 0) return few;
  }
  return value;
}

/** Caches the results of searches, since filters are created for every run and every revival. */
function cached(
  compute: (limit: ApproximateLimit, order: number) => number,
): (limit: ApproximateLimit, order?: number) => number {
  const known = new Map<string, number>();
  return ({ epsilon, delta }, order = 0) => {
    const key = `${epsilon} ${delta} ${order}`;
    const found = known.get(key) ?? compute({ epsilon, delta }, order);
    if (known.size >= cacheSize) known.clear();
    known.set(key, found);
    return found;
  };
}
const cacheSize = 256;

/** Root of an increasing `excess`, rounded down, to a relative tolerance. `low` must be below the root. */
function largestWithin(
  excess: (rho: number) => number,
  low: number,
  guess: number,
  tolerance: number,
): number {
  let [from, to] = [low, guess];
  while (excess(to) < 0) [from, to] = [to, 2 * to];
  // From 0 a relative tolerance is undefined, so first find a positive lower end.
  for (let least = to / 4; from === 0 && least > 0; least /= 16)
    if (excess(least) < 0) from = least;
    else to = least;
  return from === 0 ? 0 : bisectDown(excess, from, to, { tolerance: tolerance * from });
}

/** (ε, δ)-DP, as an event. */
export const approximateLimit = ({ epsilon, delta }: ApproximateLimit): PrivacyEvent & ApproximateLimit => ({
  kind: 'core/approximate',
  v: 1,
  epsilon,
  delta,
});
