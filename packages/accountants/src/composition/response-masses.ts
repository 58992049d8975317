import { logGamma } from '@lethe/numerics';

const halfLogTwoPi = 0.918_938_533_204_672_8;

/** Error of Stirling's approximation of `log Γ(x + 1)`. */
function stirlingRest(x: number): number {
  if (x < 16) return x === 0 ? halfLogTwoPi : logGamma(x + 1) - (x + 0.5) * Math.log(x) + x - halfLogTwoPi;
  const square = x * x;
  return (1 / 12 - (1 / 360 - (1 / 1260 - 1 / (1680 * square)) / square) / square) / x;
}

/** `x log(x / mean) + mean − x`, from `gap = x − mean`, which may be more precise than the difference. */
function deviance(x: number, mean: number, gap: number): number {
  if (x === 0) return mean;
  const ratio = gap / mean;
  return Math.abs(ratio) < 0.5
    ? mean * ((1 + ratio) * Math.log1p(ratio) - ratio)
    : x * Math.log(x / mean) - gap;
}

/** Probabilities of the rarer and the more common answer of one response. */
export const answersOf = (epsilon: number): { readonly rare: number; readonly common: number } => ({
  rare: 1 / (1 + Math.exp(epsilon)),
  common: 1 / (1 + Math.exp(-epsilon)),
});

/**
 * Logarithm of the probability that `i` of `count` responses are the rarer answer, with an error bound.
 * Computed by deviances, which avoids cancellation of large logarithms.
 * @see Loader 2000, Fast and accurate computation of binomial probabilities.
 */
export function logResponseMass(
  count: number,
  epsilon: number,
  i: number,
): { readonly log: number; readonly error: number } {
  const { rare, common } = answersOf(epsilon);
  const mean = count * rare;
  const other = count - i;
  const gap = i - mean;
  const logDeviation =
    i === 0 || other === 0 ? 0 : 0.5 * Math.log(i) + 0.5 * Math.log(other / count) + halfLogTwoPi;
  const stirling =
    stirlingRest(count) - (i === 0 ? 0 : stirlingRest(i)) - (other === 0 ? 0 : stirlingRest(other));
  const away = deviance(i, mean, gap) + deviance(other, count * common, -gap);
  const log = (i === 0 || other === 0 ? 0 : stirling - logDeviation) - away;
  return { log, error: 2 ** -49 * (16 + Math.abs(gap) + 4 * away + Math.abs(logDeviation)) };
}
