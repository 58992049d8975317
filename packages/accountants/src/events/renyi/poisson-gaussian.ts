import { logPowerGap } from './power-gap.js';
import { divergenceUp } from './margin.js';
import { logTrapezoid, type LogIntegrand } from './trapezoid.js';

/** A Gaussian release of shift `mu` (in units of the noise) from a Poisson sample of rate `rate < 1`. */
interface PoissonGaussian {
  readonly rate: number;
  readonly mu: number;
}

const mostNodes = 20_000;
const logSqrtTwoPi = 0.918_938_533_204_672_8;

/**
 * Raises very small rates and shifts so that their squares do not underflow; divergences increase with both.
 */
const floored = ({ rate, mu }: PoissonGaussian): PoissonGaussian => ({
  rate: Math.max(rate, 1e-60),
  mu: Math.max(mu, 1e-60),
});

/** `log((1 − q) + q e^z)`. */
export function logMixture(rate: number, z: number): number {
  if (z > 700) return Math.log(rate) + z + Math.log1p(((1 - rate) / rate) * Math.exp(-z));
  if (rate >= 0.5 && z < -1) return Math.log(1 - rate + rate * Math.exp(z));
  return Math.log1p(rate * Math.expm1(z));
}

/**
 * Rényi divergence, rounded up, of `(1 − q)·N(0,1) + q·N(μ,1)` from `N(0,1)`: one record present or absent in
 * the sample. The reversed divergence is not larger (Mironov, Talwar, Zhang 2019, Theorem 5), so it bounds
 * both directions.
 */
export function presenceRenyi(release: PoissonGaussian): (alpha: number) => number {
  const { rate, mu } = floored(release);
  return (alpha) => {
    const beta = alpha - 1;
    const bound = minkowski(rate, mu, alpha, beta);
    // In this range the bound is exact to e^-40, since the larger component dominates the power.
    if ((beta * mu * mu) / 2 > Math.log(alpha / rate) + 40) return bound;
    const integrand: LogIntegrand = {
      // Shifted by μ/2, so the ratio is exactly 1 at the node 0.
      value(s) {
        const z = mu * s;
        const log = logMixture(rate, z);
        const x = s + mu / 2;
        return (
          -(x * x) / 2 -
          logSqrtTwoPi +
          logPowerGap(beta, z > 700 ? Math.expm1(log) : rate * Math.expm1(z), log)
        );
      },
      leftTail: (s) => logBeta(beta) + logLowerTail(s + mu / 2),
      rightTail(s) {
        const x = s + mu / 2;
        return -(x * x) / 2 + alpha * logMixture(rate, mu * s) + logDecay(x - alpha * mu);
      },
    };
    const strip = Math.min(3.1 / mu, Math.sqrt(2 * digits(alpha, rate, mu)));
    const log = logMoment(integrand, { alpha, rate, mu, strip, penalty: (strip * strip) / 2 });
    return log === undefined ? bound : Math.min(bound, divergenceUp(log.value, log.size, beta));
  };
}

/**
 * Rényi divergence, rounded up, of `(1 − q)·N(0,1) + q·N(μ,1)` from `(1 − q)·N(0,1) + q·N(−μ,1)`: one record
 * replaced in the sample, where presence of either moves the release by at most `μ`.
 *
 * This pair dominates all such pairs, for every `μ`-Gaussian-private release: a test that accepts with
 * probability `p` without the record accepts with probability between `Φ(Φ⁻¹(p) − μ)` and `Φ(Φ⁻¹(p) + μ)`
 * with it, and a half line attains both bounds.
 */
export function replacementRenyi(release: PoissonGaussian): (alpha: number) => number {
  const { rate, mu } = floored(release);
  return (alpha) => {
    const beta = alpha - 1;
    const bound = replacementBound(rate, mu, alpha, beta);
    const isTight =
      (beta * mu * mu) / 2 > Math.log(alpha / rate) + 40 &&
      alpha * mu * mu > Math.log((alpha * rate) / (1 - rate)) + 40;
    if (isTight) return bound;
    const integrand: LogIntegrand = {
      value(x) {
        const right = mu * x - (mu * mu) / 2;
        const left = -mu * x - (mu * mu) / 2;
        const below = logMixture(rate, left);
        let log = logMixture(rate, right) - below;
        let u = Math.expm1(log);
        if (Math.abs(log) < 0.5) {
          u =
            rate *
            (x > 0
              ? Math.exp(right - below) * -Math.expm1(-2 * mu * x)
              : Math.exp(left - below) * Math.expm1(2 * mu * x));
          log = Math.log1p(u);
        }
        return -(x * x) / 2 - logSqrtTwoPi + below + logPowerGap(beta, u, log);
      },
      leftTail: (x) => logBeta(beta) + logLowerTail(x + mu),
      rightTail(x) {
        const left = -mu * x - (mu * mu) / 2;
        const below = logMixture(rate, left);
        const share = Math.exp(Math.log(rate) + left - below);
        return (
          -(x * x) / 2 +
          alpha * logMixture(rate, mu * x - (mu * mu) / 2) -
          beta * below +
          logDecay(x - alpha * mu - beta * mu * share)
        );
      },
    };
    const need = digits(alpha, rate, mu);
    // |1 − q + q e^(u+iv)| ≥ cos(v/2)·(1 − q + q e^u), so the strip
    // may cost a quarter of the digits per unit of β.
    const angle = Math.min(3.1, 2 * Math.atan(Math.sqrt(Math.expm1(need / (2 * beta)))));
    const strip = Math.min(angle / mu, Math.sqrt(2 * need));
    const penalty = (strip * strip) / 2 - (beta / 2) * Math.log1p(-(Math.sin((strip * mu) / 2) ** 2));
    const log = logMoment(integrand, { alpha, rate, mu, strip, penalty });
    return log === undefined ? bound : Math.min(bound, divergenceUp(log.value, log.size, beta));
  };
}

/**
 * Required precision of the quadrature, in natural digits: far below the smallest possible gap, about
 * `αβ q² μ²/2`.
 */
function digits(alpha: number, rate: number, mu: number): number {
  const gap = Math.log(alpha - 1) + 2 * Math.log(rate) + 2 * Math.log(Math.min(1, mu)) - Math.log(16);
  return 44 + Math.max(0, -gap);
}

interface Quadrature {
  readonly alpha: number;
  readonly rate: number;
  readonly mu: number;
  readonly strip: number;
  readonly penalty: number;
}

/**
 * `log(1 + ∫)` for an integrand analytic in a strip, plus bounds on the error of the trapezoidal rule
 * (Trefethen, Weideman 2014, Theorem 5.1; inside the strip the integrand is at most `e^penalty` times the sum
 * of the absolute terms), the tails and rounding.
 */
function logMoment(
  integrand: LogIntegrand,
  { alpha, rate, mu, strip, penalty }: Quadrature,
): { readonly value: number; readonly size: number } | undefined {
  const exponent = digits(alpha, rate, mu) + penalty;
  const step = Math.fround((2 * Math.PI * strip) / exponent);
  const sum = alpha * mu > mostNodes * step ? undefined : logTrapezoid(integrand, step, mostNodes);
  if (sum === undefined) return undefined;
  // Bound on the exponents; each term has an error of a few units in the last place.
  const size =
    sum.largest * sum.largest + alpha * mu * (sum.largest + mu) + 2 * alpha * Math.abs(Math.log(rate)) + 1;
  const share = (2 * Math.exp(penalty)) / Math.expm1((2 * Math.PI * strip) / step);
  const missing = share * (2 + 2 * alpha * rate) * Math.exp(-sum.log) + share + 2 ** -60;
  const log = sum.log + 2 ** -44 + 2 ** -50 * size + Math.log1p(2 * missing);
  const value = log > 700 ? log : Math.log1p(Math.exp(log));
  return { value, size: value };
}

/** `((1 − q) + q e^{βμ²/2})^α` bounds the moment, by Minkowski's inequality. */
function minkowski(rate: number, mu: number, alpha: number, beta: number): number {
  const z = (beta * mu * mu) / 2;
  const log = alpha * logMixture(rate, z);
  return divergenceUp(log, log + Math.min(log * z + alpha * rate * z, alpha * z), beta);
}

/**
 * Two bounds: the denominator is at least `1 − q` times the unshifted density; and the divergence is jointly
 * convex.
 */
function replacementBound(rate: number, mu: number, alpha: number, beta: number): number {
  const first = minkowski(rate, mu, alpha, beta) - Math.log1p(-rate) * (1 + 2 ** -50);
  const z = 2 * alpha * beta * mu * mu;
  const log = logMixture(rate, z);
  return Math.min(first * (1 + 2 ** -51), divergenceUp(log, log + Math.min(log * z + rate * z, z), beta));
}

/** Bound of the gap left of the point with ratio 1: the gap is at most `β` there. */
const logBeta = (beta: number): number => Math.log(beta) + 1e-9;

/** Bound of `log Φ(x)` below −1. */
const logLowerTail = (x: number): number => (x < -1 ? -(x * x) / 2 : Infinity);

/** Bound of `log ∫_0^∞ e^{−dt − t²/2} dt` for a log-density with slope `−(d + t)`. */
const logDecay = (d: number): number => (d > 1 ? -Math.log(d) : Infinity);
