import {
  clippedMeanEvent, meanShape, relativeTo, sensitivityUnder, type Adjacency, type PrivacyEvent,
} from '@lethe/core';
import { divideDown } from '@lethe/numerics';
import { discreteGaussian, largestWholeScale, latticeMean } from '@lethe/mechanisms';
import { gaussianMean, type MeanRelease } from '../common/record-bound.js';

/** In which numbers a mean of clipped records is worked out and noised. */
export type Arithmetic = 'floating' | 'exact';

/** What a mean of clipped records is asked for by, and what it will cost; both from public numbers alone. */
export interface ClippedMeanRelease {
  readonly release: (noiseMultiplier: number) => MeanRelease;
  readonly event: (noiseMultiplier: number) => PrivacyEvent;
  /** Above it the noise is not drawn. */
  readonly largestMultiplier: number;
}

/** A fine step: 2²⁰ to a radius. Noise of 1/2000 of the sensitivity still has 1024 of them, and 2³² records' sums are counted. */
const stepsPerRadius = 2 ** 20;

/** Public numbers of such a release. */
export interface ClippedMean {
  readonly arithmetic: Arithmetic;
  readonly clipNorm: number;
  readonly adjacency: Adjacency;
  readonly dimension: number;
  /** Of the batch. */
  readonly normaliser: number;
}

/**
 * Clip each record to an ℓ2 ball, average, add Gaussian noise: in `floating` point, for which the certificate assumes real arithmetic, or in
 * `exact` whole numbers on a grid of 2²⁰ steps to the radius, for which it assumes nothing.
 *
 * @throws {InvalidParameter} when sums of so many records cannot be counted on the grid.
 */
export function clippedMeanRelease({ arithmetic, clipNorm, adjacency, dimension, normaliser }: ClippedMean): ClippedMeanRelease {
  if (arithmetic === 'floating') {
    return {
      release: (noiseMultiplier) => gaussianMean(clipNorm, { noiseMultiplier }),
      event: (noiseMultiplier) => clippedMeanEvent(noiseMultiplier, adjacency),
      largestMultiplier: Infinity,
    };
  }
  const grid = { radius: clipNorm, spacing: clipNorm / stepsPerRadius }, shape = meanShape({ dimension, slots: normaliser });
  const sensitivity = latticeMean.sensitivity(grid, shape), relative = relativeTo(sensitivity, adjacency), mean = latticeMean(grid);
  return {
    release: (noiseMultiplier) => ({ mean, target: { noiseMultiplier } }),
    event: (noiseMultiplier) => latticeMean.event(grid, discreteGaussian.event({}, noiseMultiplier, relative), shape),
    largestMultiplier: divideDown(largestWholeScale, sensitivityUnder(sensitivity, adjacency, 'the mean')),
  };
}
