import { orderedNumber } from './ordered-number.js';

/** A symmetric distribution on the whole numbers, in doubles: declared for noise, not used to draw it. */
export interface WholeDistribution {
  readonly standardDeviation: number;
  cdf(x: number): number;
}

/** The distribution with probabilities proportional to `weight(|k|)`, zero from `end` on. */
export function wholeDistribution(weight: (size: number) => number, end: number): WholeDistribution {
  // P(X ≥ k), summed from the small end.
  const tail = new Float64Array(end + 1);
  for (let k = end - 1; k >= 0; k--) tail[k] = tail[k + 1] + weight(k);
  const total = tail[0] + tail[1];
  let square = 0;
  for (let k = end - 1; k > 0; k--) square += 2 * k * k * weight(k);
  const atLeast = (k: number): number => (k >= end ? 0 : tail[k] / total);
  return {
    standardDeviation: Math.sqrt(square / total),
    cdf(x) {
      const k = Math.floor(orderedNumber(x));
      return k < 0 ? atLeast(-k) : 1 - atLeast(k + 1);
    },
  };
}
