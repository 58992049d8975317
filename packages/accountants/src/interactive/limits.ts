import { addDown, bisectDown, divideDown, InvalidParameter, log1pUp, logDown, multiplyUp, parseOrThrow, type PrivacyEvent, subtractDown } from '@lethe/core';
import { z } from 'zod';
import { type FromOrder, renyiEpsilon } from '../renyi-conversion.js';

/** An (ε, δ) that a whole interaction must keep. */
export const approximateLimitSchema = z.strictObject({ epsilon: z.number().positive(), delta: z.number().positive().lt(1) });
/** Parsed form of {@link approximateLimitSchema}. */
export type ApproximateLimit = z.output<typeof approximateLimitSchema>;

/** @throws {InvalidParameter} naming `what`. */
export const parsedLimit = (limit: unknown, what: string): ApproximateLimit => parseOrThrow(approximateLimitSchema, limit, `the limit of ${what}`);

/** `delta` without what is set aside for events that fail; rounded down. @throws {InvalidParameter} when nothing is left. */
export function withoutShare(delta: number, failures: number): number {
  if (typeof failures !== 'number' || !(failures >= 0 && failures < delta)) {
    throw new InvalidParameter(`${String(failures)} of δ = ${delta} is set aside for failures; it must be a number from 0 up to, but not including, δ`, { failures, delta });
  }
  return subtractDown(delta, failures);
}

/**
 * The largest Rényi divergence of order `alpha` that implies (ε, δ)-DP, rounded down; negative when none does.
 * @see Canonne, Kamath, Steinke 2020, Proposition 12.
 */
export function renyiBudget(alpha: number, { epsilon, delta }: ApproximateLimit): number {
  const shortfall = log1pUp(-divideDown(1, alpha));
  const price = divideDown(addDown(logDown(delta), logDown(alpha)), alpha - 1);
  return addDown(subtractDown(epsilon, shortfall), price);
}

/** The order at which most runs of Gaussian noise, and of whatever else costs in proportion to the order, fit the limit. */
export function bestOrder(limit: ApproximateLimit): number {
  let [best, most] = [2, -Infinity];
  for (let t = -6; t <= 28; t += 1 / 32) {
    const alpha = Number((1 + Math.exp(t)).toPrecision(6));
    const slope = alpha > 1 ? renyiBudget(alpha, limit) / alpha : -Infinity;
    if (slope > most) [best, most] = [alpha, slope];
  }
  return best;
}

const knownBudgets = new Map<string, number>();
const mostBudgets = 64;

/** The largest ρ whose zero-concentrated privacy implies (ε, δ)-DP, rounded down. It is remembered: filters are saved and revived. */
export function zcdpBudget({ epsilon, delta }: ApproximateLimit): number {
  const key = `${epsilon} ${delta}`;
  const known = knownBudgets.get(key);
  if (known !== undefined) return known;
  const excess = (from: FromOrder) => (rho: number): number => (rho === 0 ? 0 : renyiEpsilon((alpha) => multiplyUp(rho, alpha), delta, from).value) - epsilon;
  // The closed form is quick, and a little less is left to the better conversion.
  const near = largestWithin(excess('closed-form'), 0, 1, 1e-3);
  const found = largestWithin(excess('joint-range'), near, near * 1.1, 1e-10);
  if (knownBudgets.size >= mostBudgets) knownBudgets.clear();
  knownBudgets.set(key, found);
  return found;
}

/** Where `excess` passes 0, from below, to a relative tolerance. `low` is below. */
function largestWithin(excess: (rho: number) => number, low: number, guess: number, tolerance: number): number {
  let [from, to] = [low, guess];
  while (excess(to) < 0) [from, to] = [to, 2 * to];
  // Zero has no size to be relative to.
  for (let least = to / 4; from === 0; least /= 16) if (excess(least) < 0) from = least; else to = least;
  return bisectDown(excess, from, to, { tolerance: tolerance * from });
}

/** (ε, δ)-DP, as an event. */
export const approximateLimit = ({ epsilon, delta }: ApproximateLimit): PrivacyEvent & ApproximateLimit => ({ kind: 'core/approximate', v: 1, epsilon, delta });
