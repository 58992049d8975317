import { addUp, multiplyUp, subtractUp } from '@lethe/numerics';
import { type Participation } from '@lethe/core';
import { largestParticipation } from './participation.js';

/** Above this number, participations are chosen by a Lagrange multiplier, not one by one. */
const countedOneByOne = 64;

/**
 * The largest sum of weights over the steps of one slot, rounded up: `max Σ_{t ∈ π} weights[t]` over
 * sets `π` of at most `times` steps, `gap` or more apart. Weights are finite and not negative, one for each
 * step.
 *
 * Exact up to rounding, in `O(T)` where weights do not increase or participations are not limited by their
 * number, in `O(T · times)` for up to 64 participations, in `O(T)` times some 60 for more: the largest sum is
 * concave in the number of participations (every constraint concerns consecutive steps, so that the linear
 * programme has whole solutions), so that a price on each finds it.
 *
 * @throws {InvalidParameter} unless `times` and `gap` are positive integers.
 */
export function heaviestPatternUp(weights: Float64Array, participation: Participation): number {
  const { gap } = participation;
  const times = largestParticipation({ steps: weights.length, dimension: 1 }, participation);
  if (weights.every((weight, t) => t === 0 || weight <= weights[t - 1])) {
    let sum = 0;
    for (let count = 0; count < times; count++) sum = addUp(sum, weights[count * gap]);
    return sum;
  }
  if (times * gap >= weights.length) return unlimitedUp(weights, gap, 0);
  return times <= countedOneByOne ? sumsByCountUp(weights, times, gap)[times] : pricedUp(weights, times, gap);
}

/** The largest sums of at most 0, 1, … `times` weights that are `gap` or more apart, rounded up. */
function sumsByCountUp(weights: Float64Array, times: number, gap: number): Float64Array {
  const sums = new Float64Array(times + 1);
  let fewer = new Float64Array(weights.length + 1);
  let best = new Float64Array(weights.length + 1);
  for (let count = 1; count <= times; count++) {
    for (let t = 0; t < weights.length; t++)
      best[t + 1] = Math.max(best[t], addUp(weights[t], fewer[Math.max(0, t + 1 - gap)]));
    sums[count] = best[weights.length];
    [fewer, best] = [best, fewer];
  }
  return sums;
}

/** The largest sum of any number of `weights − price`. */
function unlimitedUp(weights: Float64Array, gap: number, price: number): number {
  const best = new Float64Array(weights.length + 1);
  for (let t = 0; t < weights.length; t++)
    best[t + 1] = Math.max(best[t], addUp(subtractUp(weights[t], price), best[Math.max(0, t + 1 - gap)]));
  return best[weights.length];
}

/** Every price gives an upper bound, convex in the price; the best price gives the sum itself. */
function pricedUp(weights: Float64Array, times: number, gap: number): number {
  const boundAt = (price: number): number =>
    addUp(multiplyUp(times, price), unlimitedUp(weights, gap, price));
  let low = 0;
  let high = weights.reduce((most, weight) => Math.max(most, weight), 0);
  let least = Math.min(boundAt(low), boundAt(high));
  for (let round = 0; round < 40; round++) {
    const [a, b] = [low + (high - low) / 3, high - (high - low) / 3];
    const [atA, atB] = [boundAt(a), boundAt(b)];
    least = Math.min(least, atA, atB);
    if (atA <= atB) high = b;
    else low = a;
  }
  return least;
}
