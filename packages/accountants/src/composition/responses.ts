import {
  addUp, type Bounds, expDown, expUp, multiplyDown, multiplyUp, subtractDown, subtractUp,
} from '@lethe/numerics';
import { answersOf, logResponseMass } from './response-masses.js';

/** Terms that are summed; beyond, nothing is known. */
const mostTerms = 500_000;

/**
 * Bounds of `δ(ε)` of `count` binary randomised responses of `each`-DP; `undefined` when it takes too many terms.
 *
 * With `i` of the rarer answer the loss is `(count − 2i)·each`, so δ is the sum of `P(i) (1 − e^(ε − loss))` over the losses above ε:
 * its terms are positive, and their logarithms concave, so that it takes `O(√count)` of them and a geometric bound of the rest.
 * @see Kairouz, Oh, Viswanath 2015, Theorem 3.3: its points; between them the profile is linear in `e^ε`, as this sum is.
 */
export function responsesDelta(count: number, each: number, epsilon: number): Bounds | undefined {
  if (each === 0 || epsilon >= multiplyUp(count, each)) return { lower: 0, upper: 0 };
  if (!Number.isSafeInteger(count)) return undefined;
  if (each > 700) return { lower: 0, upper: Math.min(1, -Math.expm1(epsilon - count * each) * (1 + 2 ** -50)) };
  const upper = tail(count, each, (i) => subtractUp(multiplyUp(count - 2 * i, each), epsilon), true);
  const lower = upper === undefined ? undefined : tail(count, each, (i) => subtractDown(multiplyDown(count - 2 * i, each), epsilon), false);
  return upper === undefined || lower === undefined ? undefined : { lower, upper: Math.min(1, upper) };
}

/** The sum over all `i` whose `excess(i)`, of the loss over ε, is positive; rounded to one side. */
function tail(count: number, each: number, excess: (i: number) => number, up: boolean): number | undefined {
  let last = count;
  if (excess(count) <= 0) {
    last = Math.max(0, Math.min(count, Math.ceil(excess(0) / (2 * each))));
    while (last >= 0 && excess(last) <= 0) last--;
    while (last < count && excess(last + 1) > 0) last++;
  }
  if (last < 0) return 0;
  const { rare } = answersOf(each), odds = Math.exp(each);
  const start = Math.min(last, Math.floor((count + 1) * rare));
  const nearest = excess(last), factor = (i: number): number => -Math.expm1(-(nearest + 2 * each * (last - i)));
  let sum = factor(start), terms = 1;
  for (const step of [-1, 1]) {
    let mass = 1, previous = sum === 0 ? Number.MIN_VALUE : factor(start);
    for (let i = start; ;) {
      mass *= step < 0 ? (i / (count - i + 1)) * odds : (count - i) / ((i + 1) * odds);
      i += step;
      if (i < 0 || i > last || mass === 0) break;
      const term = mass * factor(i), ratio = term / previous;
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
  // What rounding took from terms too small for doubles.
  if (up) sum += terms * 2 ** -1072;
  return up ? multiplyUp(expUp(addUp(log, error)), sum * (1 + relative)) : multiplyDown(expDown(log - error), sum * Math.max(0, 1 - relative));
}
