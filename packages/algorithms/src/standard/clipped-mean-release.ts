import type { Ref } from '@lethe/core';
import { clippedMean, gaussian, l2Clip, latticeMean } from '@lethe/mechanisms';
import { z } from 'zod';

/** In which numbers a mean of clipped records is worked out and noised. */
export const arithmetic = z
  .enum(['floating', 'exact'])
  .default('floating')
  .describe(
    'exact: sums and noise are whole numbers, and the certificate assumes nothing of floating point.',
  );

/**
 * A fine step: 2²⁰ to a radius. Noise of 1/2000 of the sensitivity
 * still has 1024 of them, and 2³² records' sums are counted.
 */
const stepsPerRadius = 2 ** 20;

/**
 * Clip each record to an ℓ2 ball, average, add Gaussian noise: in `floating` point, for which the certificate
 * assumes real arithmetic, or in `exact` whole numbers on a grid of 2²⁰ steps to the radius, for which it
 * assumes nothing.
 */
export const meanOfClipped = (clipNorm: number, numbers: 'floating' | 'exact'): Ref<'mean'> =>
  numbers === 'floating'
    ? clippedMean({ clip: l2Clip({ radius: clipNorm }), mechanism: gaussian({}) })
    : latticeMean({ radius: clipNorm, spacing: clipNorm / stepsPerRadius });
