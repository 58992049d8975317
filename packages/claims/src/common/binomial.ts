import { logBinomial } from '@lethe/numerics';

/** Probabilities of 0 to `count` successes. */
export function binomial(count: number, probability: number): Float64Array {
  if (probability === 0 || probability === 1)
    return Float64Array.from({ length: count + 1 }, (_, k) => Number(k === count * probability));
  const [log, rest] = [Math.log(probability), Math.log1p(-probability)];
  return Float64Array.from({ length: count + 1 }, (_, k) =>
    Math.exp(logBinomial(count, k) + k * log + (count - k) * rest),
  );
}

/** Probability that the number of successes satisfies a condition. */
export const chance = (count: number, probability: number, holds: (successes: number) => boolean): number =>
  binomial(count, probability).reduce((sum, mass, k) => sum + (holds(k) ? mass : 0), 0);
