import { direct } from './direct.js';
import { type Node, nodesOf } from './nodes.js';
import { averaged, type AveragedBounds, averagedBounds, type Multiplier } from './smoothing.js';
import { rangesFrom } from './tail.js';
import { type Factor, tiltAll, totalMoments, type TotalTilt, unit } from './tilt.js';

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
  const cutBy = cutOf(rangesFrom(factors, tilted, (raw.length + 1) * step), lambda, step);
  const boundsOf = (radius: number): AveragedBounds =>
    end === 'upper' || radius === 0 ? averagedBounds(radius, lambda) : sharpenedBounds(radius, lambda);
  const cut = (radius: number): number => cutBy(boundsOf(radius));
  const smooth = radiusOf(lambda, scale, end, cut);
  const sums = [0, smooth].map((radius) =>
    summed(
      raw,
      tilted,
      step,
      end === 'upper' ? (t) => averaged(radius, lambda, t) : (t) => sharpened(radius, lambda, t),
      cut(radius),
    ),
  );
  // Chernoff's bound, also at smaller tilts, for the ε where the integral gives no good bound.
  const chernoff =
    end === 'lower'
      ? []
      : [1, 0.8, 0.6, 0.4, 0.2, 0.05].map((share) => {
          const { log, logError } = totalMoments(factors, share * lambda);
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

/** Bounds on {@link sharpened}. */
function sharpenedBounds(radius: number, lambda: number): AveragedBounds {
  const [near, far] = [averagedBounds(radius, lambda), averagedBounds(2 * radius, lambda)];
  return {
    most: (t) => 2 * near.most(t) + far.most(t),
    beyond: (t) => 2 * near.beyond(t) + far.beyond(t),
  };
}

interface Sum {
  readonly value: number;
  readonly errorBound: number;
}

/** `1 / |(λ + it)(λ + 1 + it)|`. */
const kernelAt = (lambda: number, t: number): number =>
  1 / Math.sqrt((lambda * lambda + t * t) * ((lambda + 1) * (lambda + 1) + t * t));

/**
 * A bound on what the sum over all further nodes adds, in units of `e^{K(λ) − λε}`, for bounds on the factor
 * by which the integrand is multiplied.
 */
function cutOf(
  ranges: ReturnType<typeof rangesFrom>,
  lambda: number,
  step: number,
): (bounds: AveragedBounds) => number {
  const sizes = ranges.map(({ from, length, most: modulus }) => {
    const kernel = kernelAt(lambda, from);
    // The integral of `1 / (λ² + t²)` over the range, and the kernel at its start times its length.
    const weight =
      length === Infinity
        ? 0
        : Math.min(
            Math.atan((lambda * length) / (lambda * lambda + from * (from + length))) / lambda,
            kernel * length,
          );
    return modulus * (weight + step * kernel);
  });
  const last = ranges[ranges.length - 1];
  return ({ most, beyond }) => {
    let cut = last.most * beyond(last.from);
    for (let i = 0; i < sizes.length; i++) cut += most(ranges[i].from) * sizes[i];
    return (cut / Math.PI) * 1.000_001;
  };
}

/**
 * The radius of smoothing for which bias and cut are least together. The bias of δ is about `λ(λ + 1) r²/3`
 * of it, and twice that where it is sharpened.
 */
function radiusOf(
  lambda: number,
  scale: number,
  end: 'lower' | 'upper',
  cut: (radius: number) => number,
): number {
  const most = Math.min(0.1, 0.3 / (lambda + 1));
  const bias = ((end === 'upper' ? 1 : 2) * lambda * (lambda + 1)) / 3;
  // δ if the tilted sum were normal, in the same units.
  const delta = 1 / (Math.sqrt(2 * Math.PI) * lambda * (lambda + 1) * scale);
  let best = { radius: most, loss: Infinity };
  for (let radius = most; radius > most * 1e-5; radius /= 1.5) {
    const loss = bias * radius * radius + cut(radius) / delta;
    if (loss > 1.5 * best.loss) break;
    if (loss < best.loss) best = { radius, loss };
  }
  return best.radius;
}

/**
 * The sum over all nodes of the integrand times `multiplier`, and a bound on its error, in units of
 * `e^{K(λ) − λε}`. @param tail - What the sum over further nodes adds at most.
 */
function summed(
  nodes: readonly Node[],
  { lambda, mean }: TotalTilt,
  step: number,
  multiplier: (t: number) => Multiplier,
  tail: number,
): (epsilon: number) => Sum {
  const kernel = (t: number): number => kernelAt(lambda, t);
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
      const other = totalMoments(factors, lambda + sign * eta);
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
