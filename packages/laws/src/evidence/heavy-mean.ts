import { InvalidParameter } from '@lethe/core';
import type { EProcess } from './e-process.js';
import { mixture } from './mixture.js';
import { requireCount, requireFinite, requirePositive } from './require.js';
import { logThreshold, wealth } from './wealth.js';

/** A mean, and a bound on one central moment. */
export interface HeavyMeanOptions {
  readonly equals: number;
  /** `p`, in (1, 2]. */
  readonly order: number;
  /** `E|X − equals|^p` is at most this. */
  readonly moment: number;
  /** Number of draws, and level, for which it is tuned; it is valid at any time and level. */
  readonly horizon: number;
  readonly alpha: number;
}

/**
 * H0: `E[X | past] = equals` and `E[|X − equals|^p | past] ≤ moment`; tails may be as heavy as that allows.
 * Bets on both sides, with the step size that is best at the horizon and with larger ones for errors that
 * show earlier.
 *
 * `reach` is that of observations which all err by `moment^(1/order)`.
 *
 * Uses `e^φ(y) ≤ 1 + y + |y|^p/p` for `φ(y) = sign(y) ln(1 + |y| + |y|^p/p)`.
 *
 * @see Wang & Ramdas, Catoni-style confidence sequences for heavy-tailed mean estimation (arXiv:2202.01250).
 */
export function heavyMean({ equals, order, moment, horizon, alpha }: HeavyMeanOptions): EProcess {
  requireFinite('equals', equals);
  if (!(order > 1 && order <= 2))
    throw new InvalidParameter(`order is ${order}; give a moment above 1, at most 2`, { order });
  requirePositive('moment', moment);
  requireCount('horizon', horizon, 1);
  const steps = [1, 4, 16];
  const sharpest =
    ((order * (logThreshold(alpha) + Math.log(2 * steps.length))) / ((order - 1) * horizon * moment)) **
    (1 / order);
  return mixture(
    steps.flatMap((multiple) =>
      [1, -1].map((side) => {
        const step = multiple * sharpest;
        const compensation = Math.log1p((step ** order * moment) / order);
        const deviation = influence(step * moment ** (1 / order), order) - compensation;
        return wealth(
          (x: number) =>
            influence(side * step * (requireFinite('the observation', x) - equals), order) - compensation,
          (samples) => samples * deviation,
        );
      }),
    ),
  );
}

function influence(y: number, order: number): number {
  const size = Math.abs(y);
  const log =
    size < 1e100
      ? Math.log1p(size + size ** order / order)
      : order * Math.log(size) - Math.log(order) + Math.log1p(order * size ** (1 - order));
  return y < 0 ? -log : log;
}
