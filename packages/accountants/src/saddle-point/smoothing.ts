import { unit } from './tilt.js';

/** A complex number and a bound on its rounding error. */
export interface Multiplier {
  readonly real: number;
  readonly imaginary: number;
  readonly error: number;
}

/**
 * `E (1 + v)^{−s}` at `s = λ + it`, with `v` the sum of two uniform variables on `[−r, r]`. The transform of
 * a function of `e^ε` is multiplied by this when the function is averaged over relative changes `v` of its
 * argument.
 *
 * Integrating by parts twice gives `((1 + 2r)^{2−s} − 2 + (1 − 2r)^{2−s}) / (4r² (1 − s)(2 − s))`; where that
 * suffers from cancellation, the series of moments is used.
 */
export function averaged(radius: number, lambda: number, t: number): Multiplier {
  if (radius === 0) return { real: 1, imaginary: 0, error: 0 };
  const size = Math.hypot(lambda, t);
  if (2 * radius * (size + 10) < 0.4) return series(radius, lambda, t);
  const up = Math.log1p(2 * radius);
  const down = Math.log1p(-2 * radius);
  const [above, below] = [Math.exp((2 - lambda) * up), Math.exp((2 - lambda) * down)];
  const a = above * Math.cos(t * up) + below * Math.cos(t * down) - 2;
  const b = -above * Math.sin(t * up) - below * Math.sin(t * down);
  const c = (1 - lambda) * (2 - lambda) - t * t;
  const d = t * (2 * lambda - 3);
  const square = Math.max(1e-200, c * c + d * d);
  const scale = 1 / (4 * radius * radius);
  return {
    real: (scale * (a * c + b * d)) / square,
    imaginary: (scale * (b * c - a * d)) / square,
    error: (64 * unit * (scale * (above + below + 2) * (1 + size * radius))) / Math.sqrt(square),
  };
}

/**
 * The first five terms of the series, and a bound on the others, which decay at least as fast as those of an
 * exponential.
 */
function series(radius: number, lambda: number, t: number): Multiplier {
  const square = 4 * radius * radius;
  let [real, imaginary, a, b] = [1, 0, 1, 0];
  let size = 1;
  for (let j = 1; j <= 5; j++) {
    for (const k of [2 * j - 2, 2 * j - 1])
      [a, b, size] = [
        (a * (lambda + k) - b * t) / (k + 1),
        (a * t + b * (lambda + k)) / (k + 1),
        (size * Math.hypot(lambda + k, t)) / (k + 1),
      ];
    [a, b, size] = [a * square, b * square, size * square];
    const moment = 2 / ((2 * j + 1) * (2 * j + 2));
    if (j === 5)
      return { real, imaginary, error: 2 * size * moment + 32 * unit * Math.hypot(real, imaginary) };
    real += a * moment;
    imaginary += b * moment;
  }
  return { real, imaginary, error: Infinity };
}

/** Bounds on the modulus of {@link averaged}. */
export interface AveragedBounds {
  /** At `t`; it does not grow with `t`. */
  readonly most: (t: number) => number;
  /** On its integral from `t` to infinity, weighted by `1 / |(λ + it)(λ + 1 + it)|`. */
  readonly beyond: (t: number) => number;
}

export function averagedBounds(radius: number, lambda: number): AveragedBounds {
  const weightBeyond = (t: number): number => Math.atan(lambda / t) / lambda;
  if (radius === 0) return { most: () => 1, beyond: weightBeyond };
  const [above, below] = [
    Math.exp((2 - lambda) * Math.log1p(2 * radius)),
    Math.exp((2 - lambda) * Math.log1p(-2 * radius)),
  ];
  const plain = Math.exp(-lambda * Math.log1p(-2 * radius));
  const steep = (above + below + 2) / (4 * radius * radius);
  const most = (t: number): number =>
    1.000_001 * Math.min(plain, steep / Math.sqrt(((1 - lambda) ** 2 + t * t) * ((2 - lambda) ** 2 + t * t)));
  return {
    most,
    // Both factors are at most 1/t².
    beyond: (t) => Math.min(most(t) * weightBeyond(t), (1.000_001 * steep) / (3 * t * t * t)),
  };
}
