import {
  clippedMeanSensitivity,
  meanShape,
  sensitivityUnder,
  Unsupported,
  type Adjacency,
  type Target,
} from '@lethe/core';
import { coordinateMedianOfMeans } from '@lethe/mechanisms';
import { z } from 'zod';
import {
  clippedVariance,
  clippingBias,
  type MeanError,
  type MeanSetting,
  type PrivateMean,
} from './private-mean.js';
import { gaussianMean } from '../../common/problem-facts.js';

const none = z.strictObject({});
const keepsItsPlaces = ['replace-one', 'zero-out'] as const satisfies readonly Adjacency[];

function multiplierOf(target: Target): number {
  if ('noiseMultiplier' in target) return target.noiseMultiplier;
  throw new Unsupported('a central mean of a method of one pass takes a noise multiplier as target', {
    target,
  });
}

/** Algorithm 1, whoever computes it. */
const ofClippedRecords = {
  params: none,
  trust: 'central',
  adjacencies: keepsItsPlaces,
  privacyRestsOn: 'clip',
  error: (_params: unknown, setting: MeanSetting): MeanError => errorOfMean(setting, clippingBias(setting)),
} as const;

function errorOfMean(setting: MeanSetting, bias: number): MeanError {
  const { adjacency, dimension, batchSize, target, clipNorm } = setting;
  const noise =
    (multiplierOf(target) *
      sensitivityUnder(clippedMeanSensitivity, adjacency, 'a clipped mean') *
      clipNorm) /
    batchSize;
  return { noise, bias, variance: dimension * noise ** 2 + clippedVariance(setting) / batchSize };
}

/** Mean of clipped gradients with Gaussian noise, asked for as such. */
export const clippedMean: PrivateMean = {
  ...ofClippedRecords,
  name: 'clipped-mean',
  summary: 'Mean of clipped gradients with Gaussian noise.',
  source: { id: 'lowy-razaviyayn', item: 'Algorithm 1, Lemma 6' },
  release: (_params, { clipNorm, target }) => gaussianMean(clipNorm, target),
};

/**
 * The baseline of methods for Lipschitz losses: no gradient is clipped, noise is for the largest one there
 * can be. Its moment is the Lipschitz constant of every record, and it has no bias.
 */
export const lipschitzMean: PrivateMean = {
  ...ofClippedRecords,
  name: 'lipschitz-mean',
  summary: 'Mean of gradients with Gaussian noise for the Lipschitz constant of every record.',
  source: { id: 'bassily-feldman-talwar-thakurta-2019', item: 'noisy stochastic gradient descent' },
  privacyRestsOn: 'every-record constants',
  release: (_params, { target }) => gaussianMean(null, target),
  error: (_params, setting) => errorOfMean(setting, 0),
};

const medianParams = z.strictObject({
  groups: z
    .int()
    .positive()
    .default(4)
    .describe('Groups whose means the median is taken of; an even number needs less noise.'),
});

/** Coordinate-wise median of the means of groups, entries clipped, with Gaussian noise. */
export const medianOfMeans: PrivateMean<typeof medianParams> = {
  name: 'median-of-means',
  summary: 'Coordinate-wise median of means of clipped entries, with Gaussian noise.',
  source: { id: 'lowy-razaviyayn', item: 'Algorithm 12' },
  params: medianParams,
  trust: 'central',
  adjacencies: keepsItsPlaces,
  privacyRestsOn: 'clip',
  leastBatch: ({ groups }) => groups,
  release: ({ groups }, { clipNorm, target }) => ({
    mean: coordinateMedianOfMeans({ limit: clipNorm, groups }),
    target,
  }),
  error(
    { groups },
    { adjacency, dimension, batchSize: slots, target, clipNorm: limit, order, moment, secondMoment },
  ) {
    const shape = meanShape({ dimension, slots });
    const noise =
      multiplierOf(target) *
      sensitivityUnder(
        coordinateMedianOfMeans.sensitivity({ limit, groups }, shape),
        adjacency,
        'a median of means',
      );
    // In units of r_k, so that no power overflows.
    const whole = { limit: limit / moment, groups };
    const highest = { order, value: 1 };
    const spread =
      moment ** 2 *
      Math.min(
        coordinateMedianOfMeans.varianceBound(whole, shape, highest, 0),
        coordinateMedianOfMeans.varianceBound(
          whole,
          shape,
          { order: 2, value: (secondMoment / moment) ** 2 },
          0,
        ),
      );
    const clipping = clippingBias({ clipNorm: limit, order, moment, schedule: 'corrected' });
    return {
      noise,
      bias: groups <= 2 ? clipping : clipping + Math.sqrt(spread),
      variance: dimension * noise ** 2 + spread,
    };
  },
};
