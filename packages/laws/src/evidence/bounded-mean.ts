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
}

/** H0: `E[X | past] ≤ atMost`, for `X ≥ lowest`, without an upper bound on X. For "at least", negate. */
export function boundedMean({ atMost, lowest }: BoundedMeanOptions): EProcess {
  requireFinite('atMost', atMost);
  requireFinite('lowest', lowest);
  if (!(lowest < atMost))
    throw new InvalidParameter(`lowest is ${lowest}, atMost ${atMost}; give a floor below the mean`, {
      lowest,
      atMost,
    });
  return fedBy(bet({ largestLoss: atMost - lowest }), (x: number) => x - atMost);
}
