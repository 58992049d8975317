import { multiplyUp } from '@lethe/numerics';
import { divergenceUp } from './margin.js';

/**
 * Largest Rényi divergence of order `α` of a release whose privacy loss, for each pair of neighbours, lies in
 * some interval of length `range`; rounded up.
 *
 * For losses in `[t − range, t]` the worst case has losses at the two ends only; the moment is maximised over
 * `t` in closed form.
 * @see Dong, Durfee, Rogers 2020 (bounded range); Cesar, Rogers 2021 (range²/8-zCDP).
 */
export function boundedRangeRenyi(range: number): (alpha: number) => number {
  const eighth = multiplyUp(multiplyUp(range, range), 0.125);
  return (alpha) => {
    const beta = alpha - 1;
    const concentrated = multiplyUp(alpha, eighth);
    if (!(beta * range < 1e300)) return Math.min(range, concentrated);
    const whole = alpha * Math.log(-Math.expm1(-alpha * range)) - alpha * Math.log(alpha);
    const part = beta * Math.log(-Math.expm1(-beta * range)) - beta * Math.log(beta);
    const one = Math.log(-Math.expm1(-range));
    const sizes =
      alpha * (Math.abs(Math.log(-Math.expm1(-alpha * range))) + Math.log(alpha)) +
      beta * (Math.abs(Math.log(-Math.expm1(-beta * range))) + Math.abs(Math.log(beta))) +
      Math.abs(one) +
      beta * range +
      1;
    return Math.min(range, concentrated, divergenceUp(whole - part - one + beta * range, sizes, beta));
  };
}
