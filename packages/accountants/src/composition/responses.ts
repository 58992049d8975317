import {
  addUp,
  type Bounds,
  expDown,
  expUp,
  multiplyDown,
  multiplyUp,
  subtractDown,
  subtractUp,
} from '@lethe/numerics';
import { answersOf, logResponseMass } from './response-masses.js';

/** Maximum number of terms; sums with more terms are not computed. */
const mostTerms = 500_000;

/**
 * Bounds of `δ(ε)` of `count` binary randomised responses that are each `each`-DP; `undefined` if the sum has
 * too many terms.
 *
 * With `i` rarer answers the loss is `(count − 2i)·each`, and δ is the sum of `P(i) (1 − e^(ε − loss))` over
 * losses above ε. The terms are positive and log-concave, so `O(√count)` terms and a geometric tail bound
 * suffice.
 * @see Kairouz, Oh, Viswanath 2015, Theorem 3.3 gives the corner points; between them the profile is linear
 * in `e^ε`, as is this sum.
 */
export function responsesDelta(count: number, each: number, epsilon: number): Bounds | undefined {
  if (each === 0 || epsilon >= multiplyUp(count, each)) return { lower: 0, upper: 0 };
  if (!Number.isSafeInteger(count)) return undefined;
  if (each > 700)
    return { lower: 0, upper: Math.min(1, -Math.expm1(epsilon - count * each) * (1 + 2 ** -50)) };
  const upper = tail(count, each, (i) => subtractUp(multiplyUp(count - 2 * i, each), epsilon), true);
  if (upper === undefined) return undefined;
  return {
    upper: Math.min(1, upper),
    // Searches for an upper end never ask for it.
    get lower() {
      return tail(count, each, (i) => subtractDown(multiplyDown(count - 2 * i, each), epsilon), false) ?? 0;
    },
  };
}

/** Sum over all `i` with positive `excess(i)`, the loss minus ε; rounded to one side. */
function tail(count: number, each: number, excess: (i: number) => number, up: boolean): number | undefined {
  let last = count;
  if (excess(count) <= 0) {
    last = Math.max(0, Math.min(count, Math.ceil(excess(0) / (2 * each))));
    while (last >= 0 && excess(last) <= 0) last--;
    while (last < count && excess(last + 1) > 0) last++;
  }
  if (last < 0) return 0;
  const { rare } = answersOf(each);
  const odds = Math.exp(each);
  const start = Math.min(last, Math.floor((count + 1) * rare));
  const nearest = excess(last);
  const factor = (i: number): number => -Math.expm1(-(nearest + 2 * each * (last - i)));
  let sum = factor(start);
  let terms = 1;
  for (const step of [-1, 1]) {
    let mass = 1;
    let previous = sum === 0 ? Number.MIN_VALUE : factor(start);
    for (let i = start; ;) {
      mass *= step < 0 ? (i / (count - i + 1)) * odds : (count - i) / ((i + 1) * odds);
      i += step;
      if (i < 0 || i > last || mass === 0) break;
      const term = mass * factor(i);
      const ratio = term / previous;
      sum += term;
      if (++terms > mostTerms) return undefined;
      if (ratio < 1 && term * ratio < 2 ** -60 * sum * (1 - ratio)) {
        if (up) sum += (term * ratio) / (1 - ratio);
        break;
      }
      previous = term;
    }
  }
  const { log, error } = logResponseMass(count, each, start);
  const relative = (terms + 16) * 2 ** -50;
  // Allows for terms that underflowed.
  if (up) sum += terms * 2 ** -1072;
  return up
    ? multiplyUp(expUp(addUp(log, error)), sum * (1 + relative))
    : multiplyDown(expDown(log - error), sum * Math.max(0, 1 - relative));
}
