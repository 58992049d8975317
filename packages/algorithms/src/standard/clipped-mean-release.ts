import type { Ref } from '@lethe/core';
import * as z from 'zod/mini';
import { clippedGaussian } from '../common/problem-facts.js';

/** Number format of a mean of clipped records and of its noise. */
export const arithmetic = z
  ._default(z.enum(['floating', 'exact']), 'floating')
  .check(
    z.describe(
      'exact: sums and noise are whole numbers, and the certificate assumes nothing of floating point.',
    ),
  );

/**
 * Grid steps in one radius. Noise of 1/2000 of the sensitivity is
 * 1024 steps wide, and sums of 2³² records stay exact.
 */
const stepsPerRadius = 2 ** 20;

/**
 * Clip each record to an ℓ2 ball, average, add Gaussian noise: in `floating` point, for which the certificate
 * assumes real arithmetic, or in `exact` whole numbers on a grid of 2²⁰ steps to the radius, for which it
 * assumes nothing.
 */
export const meanOfClipped = (clipNorm: number, numbers: 'floating' | 'exact'): Ref<'mean'> =>
  numbers === 'floating'
    ? clippedGaussian(clipNorm)
    : // By name, so that a page that bundles a method has no exact noise that it does not use.
      {
        kind: 'mean',
        name: 'lattice-mean',
        params: { radius: clipNorm, spacing: clipNorm / stepsPerRadius },
      };
