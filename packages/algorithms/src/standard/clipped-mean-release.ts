import { latticeMean } from '@lethe/mechanisms';
import { z } from 'zod';
import { gaussianMean, type MeanRelease } from '../common/problem-facts.js';

/** In which numbers a mean of clipped records is worked out and noised. */
export const arithmetic = z.enum(['floating', 'exact']).default('floating').describe('exact: sums and noise are whole numbers, and the certificate assumes nothing of floating point.');

/** A fine step: 2²⁰ to a radius. Noise of 1/2000 of the sensitivity still has 1024 of them, and 2³² records' sums are counted. */
const stepsPerRadius = 2 ** 20;

/** Public numbers of such a release. */
export interface ClippedMean {
  readonly arithmetic: 'floating' | 'exact';
  readonly clipNorm: number;
  readonly noiseMultiplier: number;
}

/**
 * Clip each record to an ℓ2 ball, average, add Gaussian noise: in `floating` point, for which the certificate assumes real arithmetic, or in
 * `exact` whole numbers on a grid of 2²⁰ steps to the radius, for which it assumes nothing.
 */
export function clippedMeanRelease({ arithmetic: numbers, clipNorm, noiseMultiplier }: ClippedMean): MeanRelease {
  if (numbers === 'floating') return gaussianMean(clipNorm, { noiseMultiplier });
  return { mean: latticeMean({ radius: clipNorm, spacing: clipNorm / stepsPerRadius }), target: { noiseMultiplier } };
}
