import type { EProcess } from '../../evidence/e-process.js';
import { mixture } from '../../evidence/mixture.js';
import { logThreshold, wealth } from '../../evidence/wealth.js';

/** A bound on a mean, and one on the spread around it. */
export interface SpreadMean {
  readonly atMost: number;
  /** The variance, given the past, is at most this; positive. */
  readonly variance: number;
  /** Draws after which it is to be sharpest, and the level: they tune it. */
  readonly horizon: number;
  readonly alpha: number;
}

/**
 * H0: `|E[X | past]| ≤ atMost` and `Var[X | past] ≤ variance`; tails
 * may be as heavy as that allows. Bets that the mean is larger.
 *
 * With `g = atMost − E X ≥ 0` and `φ(y) = sign(y) ln(1 + |y| + y²/2)`,
 * `E e^φ(λ(X − atMost)) ≤ 1 − λg + λ²(variance + g²)/2`, and `λ²g²/2 ≤ λg` for `λ ≤ 1/atMost`, since
 * `g ≤ 2·atMost`.
 */
export function spreadMean({ atMost, variance, horizon, alpha }: SpreadMean): EProcess {
  const sharpest = Math.sqrt((2 * (logThreshold(alpha) + Math.log(4))) / (horizon * variance));
  return mixture(
    [1, 3, 10, 30].map((multiple) => {
      const step = Math.min(multiple * sharpest, atMost > 0 ? 1 / atMost : Infinity);
      const compensation = Math.log1p((step * step * variance) / 2);
      // A draw that is too large by a deviation and by the bound itself.
      const gain = influence(step * (Math.sqrt(variance) + atMost)) - compensation;
      return wealth(
        (x: number) => influence(step * (x - atMost)) - compensation,
        (samples) => samples * gain,
      );
    }),
  );
}

function influence(y: number): number {
  const size = Math.min(1e100, Math.abs(y));
  const log = Math.log1p(size + (size * size) / 2);
  return y < 0 ? -log : log;
}
