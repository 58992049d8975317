import { direct } from './direct.js';
import { type Node, nodesOf } from './nodes.js';
import { averaged, averagedMost, type Multiplier } from './smoothing.js';
import { rangesFrom } from './tail.js';
import { type Factor, tiltAll, type TotalTilt, unit } from './tilt.js';

/**
 * A bound on `log δ` as a function of ε, where infinite losses are left out of δ: the trapezoidal rule on the
 * vertical line through `λ` in `δ(ε) = (1/2πi) ∫ e^{K(s) − sε} / (s(s + 1)) ds`, with every error bounded.
 *
 * By Poisson's summation formula, the infinite sum with step `2π/W` is `Σ_m e^{λmW} δ(ε + mW)`. The terms
 * with `m ≠ 0` are not negative and, by Chernoff bounds at `λ ± η`, small. The terms beyond the truncation of
 * the sum are bounded by the modulus of the tilted characteristic function. That modulus may decay too
 * slowly, but δ is convex in `γ = e^ε`, so for any symmetric `v`, `E δ(γ(1 + v))` is at least `δ(γ)`, and
 * `2 E δ(γ(1 + v)) − E δ(γ(1 + 2v))` at most `δ(γ)`. The transforms of both decay faster, by an inverse
 * square.
 * @param around - The ε near which the bound should be tight.
 * @param mostRotations - Work for more than the usual number of nodes: nodes times atoms.
 */
export function contour(
  factors: readonly Factor[],
  lambda: number,
  end: 'lower' | 'upper',
  around?: number,
  mostRotations?: number,
): (epsilon: number) => number {
  const [only] = factors;
  if (factors.length === 1 && only.count === 1) return direct(only.atoms, end);
  const unknown = end === 'lower' ? -Infinity : Infinity;
  const tilted = tiltAll(factors, lambda);
  if (!Number.isFinite(tilted.log)) return () => unknown;
  const scale = Math.sqrt(tilted.variance);
  const images = imagesOf(factors, tilted, scale, around ?? tilted.mean);
  const period = Math.min(200 * scale + 40 / lambda, Math.max(12 * scale, images.period));
  const step = (2 * Math.PI) / period;
  const raw = nodesOf(factors, tilted, step, mostRotations);
  const ranges = rangesFrom(factors, tilted, (raw.length + 1) * step);
  const known = ranges[ranges.length - 1].from;
  const smooth = Math.min(0.1, 0.3 / (lambda + 1), (scale / known ** 3) ** 0.25);
  const sums = [0, smooth].map((radius) =>
    summed(
      raw,
      ranges,
      tilted,
      step,
      end === 'upper' ? (t) => averaged(radius, lambda, t) : (t) => sharpened(radius, lambda, t),
      (t) =>
        end === 'upper' || radius === 0
          ? averagedMost(radius, lambda, t)
          : 2 * averagedMost(radius, lambda, t) + averagedMost(2 * radius, lambda, t),
    ),
  );
  // Chernoff's bound, also at smaller tilts, for the ε where the integral gives no good bound.
  const chernoff =
    end === 'lower'
      ? []
      : [1, 0.8, 0.6, 0.4, 0.2, 0.05].map((share) => {
          const { log, logError } = tiltAll(factors, share * lambda);
          return { tilt: share * lambda, constant: log + logError + logChernoff(share * lambda) };
        });
  return (epsilon) => {
    const centre = tilted.log - lambda * epsilon;
    const rounding = tilted.logError + 8 * unit * (Math.abs(tilted.log) + lambda * Math.abs(epsilon) + 64);
    const found = sums.map((sumOf) => sumOf(epsilon));
    const bound =
      end === 'lower'
        ? centre -
          rounding +
          Math.log(
            Math.max(
              0,
              Math.max(...found.map(({ value, errorBound }) => value - errorBound)) -
                images.most(epsilon, period, smooth),
            ),
          )
        : Math.min(
            ...chernoff.map(({ tilt, constant }) => constant - tilt * epsilon * (1 - 8 * unit) + 64 * unit),
            centre +
              rounding +
              Math.log(
                Math.min(
                  ...found.map(({ value, errorBound }) =>
                    value + errorBound > 0 ? value + errorBound : Infinity,
                  ),
                ),
              ),
          );
    return bound === bound ? bound : unknown;
  };
}

/** `2 E (1 + v)^{−s} − E (1 + 2v)^{−s}`. */
function sharpened(radius: number, lambda: number, t: number): Multiplier {
  const [near, far] = [averaged(radius, lambda, t), averaged(2 * radius, lambda, t)];
  return {
    real: 2 * near.real - far.real,
    imaginary: 2 * near.imaginary - far.imaginary,
    error: 2 * near.error + far.error + 4 * unit,
  };
}

interface Sum {
  readonly value: number;
  readonly errorBound: number;
}

/**
 * The sum over all nodes of the integrand times `multiplier`, and a bound on its error, in units of
 * `e^{K(λ) − λε}`.
 */
function summed(
  nodes: readonly Node[],
  ranges: ReturnType<typeof rangesFrom>,
  { lambda, mean }: TotalTilt,
  step: number,
  multiplier: (t: number) => Multiplier,
  most: (t: number) => number,
): (epsilon: number) => Sum {
  const kernel = (t: number): number => 1 / (Math.hypot(lambda, t) * Math.hypot(lambda + 1, t));
  const first = multiplier(0);
  const terms = nodes.map(({ t, modulus, phase, error }) => {
    const { real, imaginary, error: multiplierError } = multiplier(t);
    const size = Math.hypot(real, imaginary);
    return {
      t,
      size: kernel(t) * modulus * size,
      phase: phase + Math.atan2(imaginary, real) - Math.atan2(t, lambda) - Math.atan2(t, lambda + 1),
      error: kernel(t) * (error * size + modulus * (multiplierError + 32 * unit * size)),
    };
  });
  let cut = 0;
  for (const { from, length, most: modulus } of ranges) {
    const integral = length === Infinity ? Math.atan(lambda / from) / lambda : length * kernel(from);
    cut += modulus * most(from) * (integral + step * kernel(from));
  }
  const tail = (cut / Math.PI) * 1.000_001;
  return (epsilon) => {
    let sum = (first.real * kernel(0)) / 2;
    let error = (first.error + 8 * unit) * kernel(0);
    for (const { t, size, phase, error: multiplierError } of terms) {
      const angle = phase + t * (mean - epsilon);
      sum += size * Math.cos(angle);
      error +=
        multiplierError +
        size * unit * (32 + 4 * Math.abs(angle) + 8 * t * (Math.abs(epsilon) + Math.abs(mean)));
    }
    return { value: (sum * step) / Math.PI, errorBound: (error * step) / Math.PI + tail };
  };
}

/** Logarithm of the largest value of `e^{−λx} − e^{−(1+λ)x}`, which is `(λ/(1+λ))^λ / (1+λ)`. */
const logChernoff = (lambda: number): number =>
  lambda === 0 ? 0 : -lambda * Math.log1p(1 / lambda) - Math.log1p(lambda);

interface Images {
  /** A period at which the images are negligible at the requested ε. */
  readonly period: number;
  /**
   * A bound on the sum of all images, after averaging and sharpening with a radius, in units of
   * `e^{K(λ) − λε}`.
   */
  most(epsilon: number, period: number, radius: number): number;
}

/** The images: the terms that `e^{λε} δ(ε)` at the nonzero multiples of the period adds. */
function imagesOf(
  factors: readonly Factor[],
  { lambda, log, logError }: TotalTilt,
  scale: number,
  around: number,
): Images {
  const sides = ([1, -1] as const).map((sign) =>
    [0.25, 0.5, 1, 2, 4, 8].map((reach) => {
      const eta = sign === 1 ? Math.min(reach / scale, reach * lambda) : Math.min(reach / scale, lambda);
      const other = tiltAll(factors, lambda + sign * eta);
      return {
        sign,
        eta,
        constant: logChernoff(Math.max(0, lambda + sign * eta)) + other.log + other.logError - log + logError,
      };
    }),
  );
  return {
    period: Math.max(
      ...sides.map((side) =>
        Math.min(...side.map(({ sign, eta, constant }) => (constant - sign * eta * around + 26) / eta)),
      ),
    ),
    most(epsilon, period, radius) {
      // Averaging moves ε by at most this; its two terms have weights of magnitude 2 and 1.
      const moved = -Math.log1p(-4 * radius);
      return sides.reduce(
        (sum, side) =>
          sum +
          3.000_01 *
            Math.exp(
              Math.min(
                ...side.map(
                  ({ sign, eta, constant }) =>
                    constant -
                    sign * eta * epsilon -
                    eta * period +
                    (lambda + sign * eta) * moved -
                    Math.log(-Math.expm1(-eta * period)),
                ),
              ),
            ),
        0,
      );
    },
  };
}
