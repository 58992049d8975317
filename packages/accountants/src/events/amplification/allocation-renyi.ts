import { logBinomial, addUp, divideUp, multiplyUp } from '@lethe/numerics';

/** At orders above this, the bound is the divergence of one step. */
const mostOrder = 96;

/**
 * Rényi divergence of random allocation, rounded up: a record is in one of `steps` batches, uniformly.
 *
 * Removal: the moment of the mean of `steps` independent likelihood ratios, from a power of the moment series
 * of one ratio; between integer orders the log-moment, which is convex, is interpolated linearly. Addition:
 * the mean is at least the geometric mean, whose divergence is that of one step at order `1 + (α − 1)/steps`.
 *
 * @param inner - Rényi divergence of one step, in both directions.
 */
export function allocationRenyi(steps: number, inner: (alpha: number) => number): (alpha: number) => number {
  let moments: Float64Array | undefined;
  const logMoment = (order: number): number => (moments ??= logMoments(steps, inner))[order];
  return (alpha) => {
    const whole = inner(alpha);
    if (alpha > mostOrder) return whole;
    const below = Math.floor(alpha);
    const part = alpha - below;
    const log =
      part === 0
        ? logMoment(below)
        : addUp(multiplyUp(1 - part, logMoment(below)), multiplyUp(part, logMoment(below + 1)));
    const removed = divideUp(log, alpha - 1);
    return Math.min(whole, Math.max(removed, inner(addUp(1, divideUp(alpha - 1, steps)))));
  };
}

/** `log E[(mean of ratios)^k]` for `k` up to the largest order, rounded up. */
function logMoments(steps: number, inner: (alpha: number) => number): Float64Array {
  const one = Float64Array.from({ length: mostOrder + 1 }, (_, k) =>
    k < 2 ? 0 : multiplyUp(k - 1, inner(k)),
  );
  let power: Float64Array = one;
  for (const bit of steps.toString(2).slice(1)) {
    power = product(power, power);
    if (bit === '1') power = product(power, one);
  }
  // Each product adds an error of a few units in the last place of the largest exponent to each of at most k
  // factors.
  const slack = (k: number): number =>
    k * (2 * Math.log2(steps) + 2) * (k * Math.log(steps) + Math.abs(power[k]) + one[k] + k) * 2 ** -50;
  return power.map((log, k) => {
    if (k < 2) return 0;
    if (log === Infinity) return Infinity;
    return Math.max(0, addUp(log - k * Math.log(steps), slack(k)));
  });
}

/** Logarithms of the coefficients of a product of exponential generating functions. */
function product(a: Float64Array, b: Float64Array): Float64Array {
  return a.map((_, k) => {
    if (a[k] === Infinity || b[k] === Infinity) return Infinity;
    let peak = -Infinity;
    const logs = Array.from({ length: k + 1 }, (__, j) => {
      const log = logBinomial(k, j) + a[j] + b[k - j];
      if (log > peak) peak = log;
      return log;
    });
    return peak + Math.log(logs.reduce((sum, log) => sum + Math.exp(log - peak), 0));
  });
}
