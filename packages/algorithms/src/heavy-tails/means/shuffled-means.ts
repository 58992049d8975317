import { Unsupported, type Target } from '@lethe/core';
import { shuffledMean, shuffledMedianOfMeans, shuffledVectorSum } from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { z } from 'zod';
import {
  clippedVariance,
  clippingBias,
  type MeanBatch,
  type MeanSetting,
  type PrivateMean,
} from './private-mean.js';

const levels = z
  .int()
  .min(2)
  .max(2 ** 20)
  .optional()
  .describe('Bits for each coordinate. Left out: enough that rounding costs little.');
const sumParams = z.strictObject({ levels });
const medianParams = z.strictObject({
  groups: z
    .int()
    .min(1)
    .max(2 ** 20)
    .default(3)
    .describe('Groups that users join by coins of their own.'),
  levels,
});

type Cost = Extract<Target, { readonly epsilon: number }>;

/** What the protocol is told of a batch. */
function crowdOf({ dimension, batchSize, honestUsers, target }: MeanBatch): {
  readonly dimension: number;
  readonly users: number;
  readonly honestUsers: number;
  readonly target: Cost;
} {
  if (!('epsilon' in target))
    throw new Unsupported('a shuffled mean takes epsilon and delta as target', { target });
  if (honestUsers < 1)
    throw new Unsupported(
      `a batch of ${batchSize} users may hold none that is honest; take batches with more users than there are dishonest ones`,
      { batchSize, honestUsers },
    );
  return { dimension, users: batchSize, honestUsers, target };
}

/**
 * What was computed for a target, which plans make one of: a search
 * asks for many clip norms, to which coins are in proportion.
 */
const known = new WeakMap<Target, Map<string, number>>();

function remembered(
  what: string,
  { dimension, batchSize, honestUsers, target }: MeanBatch,
  compute: () => number,
): number {
  const values = known.get(target) ?? new Map<string, number>();
  const key = JSON.stringify([what, dimension, batchSize, honestUsers, target]);
  known.set(target, values);
  const value = values.get(key) ?? compute();
  values.set(key, value);
  return value;
}

const withLevels = (given: number | undefined): { readonly levels?: number } =>
  given === undefined ? {} : { levels: given };

/** Mean of clipped gradients from shuffled bits. */
export const shuffledSum: PrivateMean<typeof sumParams> = {
  name: 'shuffled-sum',
  summary: 'Mean of clipped gradients from the shuffled bits of users who trust no curator.',
  source: { id: 'lowy-razaviyayn', item: 'Algorithms 10 and 11, Lemma 50' },
  params: sumParams,
  trust: 'shuffle',
  adjacencies: ['replace-one', 'zero-out'],
  privacyRestsOn: 'clip',
  release: (params, { clipNorm, target }) => ({
    mean: shuffledMean({ randomiser: shuffledVectorSum({ radius: clipNorm, ...withLevels(params.levels) }) }),
    target,
  }),
  error(params, setting) {
    const { dimension, batchSize, clipNorm } = setting;
    const coins =
      remembered(`sum ${params.levels}`, setting, () =>
        defined(shuffledVectorSum.varianceBound)(
          { radius: 1, ...withLevels(params.levels) },
          crowdOf(setting),
        ),
      ) *
      (clipNorm / batchSize) ** 2;
    return {
      noise: Math.sqrt(coins / dimension),
      bias: clippingBias(setting),
      variance: coins + clippedVariance(setting) / batchSize,
    };
  },
};

/** Coordinate-wise median of means from shuffled bits. */
export const shuffledMedian: PrivateMean<typeof medianParams> = {
  name: 'shuffled-median-of-means',
  summary: 'Coordinate-wise median of the means of random groups of users, from shuffled bits.',
  source: { id: 'lowy-razaviyayn', item: 'Algorithm 13' },
  params: medianParams,
  trust: 'shuffle',
  adjacencies: ['replace-one', 'zero-out'],
  privacyRestsOn: 'clip',
  unproved: 'no bound with constants is known for a median of means whose noise is inside the median',
  release: (params, { clipNorm, target }) => ({
    mean: shuffledMean({
      randomiser: shuffledMedianOfMeans({
        bound: clipNorm,
        groups: params.groups,
        ...withLevels(params.levels),
      }),
    }),
    target,
  }),
  error: ({ groups, levels: given }, setting) => estimate(groups, given, setting),
};

/**
 * As if groups were equal parts: their means have the coins of all users,
 * and every median is as far off as a mean of them in the worst case.
 */
function estimate(
  groups: number,
  given: number | undefined,
  setting: MeanSetting,
): ReturnType<PrivateMean['error']> {
  const { dimension, batchSize, clipNorm } = setting;
  const share = { bound: 1, groups, ...withLevels(given) };
  const messages = remembered(`median ${groups} ${given}`, setting, () =>
    shuffledMedianOfMeans.messageCount(share, crowdOf(setting)),
  );
  const size = given ?? Math.max(4, Math.ceil(Math.sqrt(batchSize / groups)));
  const coins = (messages - size * dimension) / (dimension * groups);
  const each = (2 / size) ** 2 * ((batchSize * coins) / 4 + batchSize / groups / 4);
  const spread = groups / Math.ceil(groups / 2);
  const noise = clipNorm * Math.sqrt(spread * each) * (groups / batchSize);
  const sampling = (spread * groups * clippedVariance(setting)) / batchSize;
  return {
    noise,
    bias: clippingBias(setting) + Math.sqrt(sampling),
    variance: dimension * noise ** 2 + sampling,
  };
}
