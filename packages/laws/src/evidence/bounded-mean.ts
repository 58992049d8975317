import { InvalidParameter } from '@lethe/core';
import { bet } from './bet.js';
import type { EProcess } from './e-process.js';
import { requireFinite } from './require.js';
import { fedBy } from './wealth.js';

/** A bound on a mean, of numbers with a floor. */
export interface BoundedMeanOptions {
  readonly atMost: number;
  /** No observation lies below; itself below `atMost`. */
  readonly lowest: number;
}

/** H0: `E[X | past] ≤ atMost`, for `X ≥ lowest`; nothing is asked of the upper tail. For "at least", negate. */
export function boundedMean({ atMost, lowest }: BoundedMeanOptions): EProcess {
  requireFinite('atMost', atMost);
  requireFinite('lowest', lowest);
  if (!(lowest < atMost)) throw new InvalidParameter(`lowest is ${lowest}, atMost ${atMost}; give a floor below the mean`, { lowest, atMost });
  return fedBy(bet({ largestLoss: atMost - lowest }), (x: number) => x - atMost);
}
