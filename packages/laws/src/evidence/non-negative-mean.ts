import { InvalidParameter } from '@lethe/core';
import { bet } from './bet.js';
import type { EProcess } from './e-process.js';
import { requireFinite } from './require.js';
import { fedBy, wealth } from './wealth.js';

/**
 * H0: `E[X | past] ≤ atMost`, for `X ≥ 0` with any tail: variances, second moments, likelihood ratios, excess
 * risks. With `atMost = 0` one positive observation rejects H0. `reach` is that of observations which are
 * all twice `atMost`.
 *
 * @throws {InvalidParameter} for a negative or infinite number or NaN.
 */
export function nonNegativeMean({ atMost }: { readonly atMost: number }): EProcess {
  requireFinite('atMost', atMost);
  if (atMost < 0)
    throw new InvalidParameter(
      `atMost is ${atMost}; the mean of non-negative numbers can only be at most 0 or more`,
      { atMost },
    );
  if (atMost === 0) return wealth((x: number) => (checked(x) > 0 ? Infinity : 0));
  return fedBy(bet({ largestLoss: 1 }), (x: number) => Math.min(checked(x) / atMost, Number.MAX_VALUE) - 1);
}

function checked(x: number): number {
  if (x >= 0 && x < Infinity) return x;
  throw new InvalidParameter(`the observation is ${x}; it must be finite and not negative`, { x });
}
