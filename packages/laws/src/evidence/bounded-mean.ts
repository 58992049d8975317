import { InvalidParameter } from '@lethe/core';
import { bet } from './bet.js';
import type { EProcess } from './e-process.js';
import { requireFinite } from './require.js';
import { fedBy } from './wealth.js';

/** An upper bound on the mean of numbers with a lower bound. */
export interface BoundedMeanOptions {
  readonly atMost: number;
  /** Lower bound of all observations; below `atMost`. */
  readonly lowest: number;
  /** Upper bound of all observations, where there is one; it tells `reach`. */
  readonly highest?: number;
}

/**
 * H0: `E[X | past] ≤ atMost`, for `X ≥ lowest`, with or without an upper bound on X. For "at least", negate.
 * `reach` is that of observations which are all `highest`, or as far above `atMost` as `lowest` is below it.
 */
export function boundedMean({ atMost, lowest, highest }: BoundedMeanOptions): EProcess {
  requireFinite('atMost', atMost);
  requireFinite('lowest', lowest);
  if (!(lowest < atMost))
    throw new InvalidParameter(`lowest is ${lowest}, atMost ${atMost}; give a floor below the mean`, {
      lowest,
      atMost,
    });
  const largestGain = highest === undefined ? atMost - lowest : Math.max(0, highest - atMost);
  return fedBy(bet({ largestLoss: atMost - lowest, largestGain }), (x: number) => x - atMost);
}
