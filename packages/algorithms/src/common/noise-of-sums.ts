import {
  boundedMeanSensitivity,
  resolvePlugin,
  sensitivityUnder,
  type Adjacency,
  type PrefixSum,
  type Ref,
  type Registry,
} from '@lethe/core';
import { variancesOf } from '@lethe/mechanisms';

/** Noise of the running sums of one stream, for clip norm 1 and batches of one record. */
export interface NoiseOfSums {
  /** Standard deviation of one entry of the sum after step `t`. */
  readonly deviations: Float64Array;
  /** The largest of these. */
  readonly worst: number;
}

/** Which stream. */
export interface StreamOfSums {
  readonly registry: Registry;
  readonly prefixSum: Ref<'prefixSum'>;
  readonly dimension: number;
  readonly adjacency: Adjacency;
  /** Noise over sensitivity, in the adjacency. */
  readonly noiseMultiplier: number;
}

/**
 * The noise of a stream in which every record takes part once. That of clip norm `K` and batches of `B`
 * records is `K/B` times as large.
 */
export function noiseOfSums(stream: StreamOfSums, rounds: number): NoiseOfSums {
  const { registry, prefixSum, dimension, adjacency, noiseMultiplier } = stream;
  const shape = { steps: rounds, dimension };
  const { plugin, params } = resolvePlugin<PrefixSum>(registry, prefixSum);
  const scale =
    noiseMultiplier *
    sensitivityUnder(boundedMeanSensitivity(1, 1), adjacency, 'a clipped mean') *
    plugin.columnNorm(params, shape, { times: 1, gap: rounds });
  const deviations = variancesOf(plugin, params, shape).map((variance) => scale * Math.sqrt(variance));
  return { deviations, worst: deviations.reduce((most, one) => Math.max(most, one), 0) };
}

/**
 * What the norms of `rounds` Gaussian vectors all stay below with probability `1 − failure`, over the largest
 * standard deviation of an entry: `√d + √(2 ln(rounds/failure))`.
 */
export const likelyNorm = (dimension: number, rounds: number, failure: number): number =>
  Math.sqrt(dimension) + Math.sqrt(2 * Math.log(rounds / failure));
