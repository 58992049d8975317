import { ask, InvalidParameter, type Batch, type Program, type Ref, type Stream } from '@lethe/core';
import { gaussian } from '@lethe/mechanisms';

/** A private running sum over batches that are visited in one order, as often as there are epochs. */
export interface StreamOverBatches {
  readonly allRecords: Batch;
  /** Batches. */
  readonly rounds: number;
  readonly batchSize: number;
  /** Those of each silo of a federation. */
  readonly batchSizes?: readonly number[] | undefined;
  /** By how much the noise of each silo is larger, at least 1. @defaultValue 1 for all */
  readonly noiseFactors?: readonly number[] | undefined;
  /** Whether batches are as large as the rounds allow, whatever the number of records. @defaultValue false */
  readonly areLargest?: boolean;
  readonly dimension: number;
  /** What bounds each record's part in an increment. */
  readonly clip: Ref<'clip'>;
  readonly prefixSum: Ref<'prefixSum'>;
  readonly noiseMultiplier: number;
  /** @defaultValue Gaussian noise */
  readonly mechanism?: Ref<'mechanism'>;
  /** @defaultValue 1 */
  readonly epochs?: number;
  /** What draws a batch for each round, in secret; left out, batches are disjoint and in stored order. */
  readonly sampling?: SampledBatches;
}

/** Secret batches of a stream. */
export interface SampledBatches {
  readonly sampler: Ref<'sampler'>;
  /** How often a record takes part at most, and at least how many rounds apart, as the sampler says. */
  readonly participation: { readonly times: number; readonly gap: number };
  /** The (ε, δ) that the curator verifies by sampling; left out, the stream costs what its sampler says. */
  readonly verified?: { readonly epsilon: number; readonly delta: number; readonly samples: number };
}

/**
 * Splits the records into disjoint batches in stored order and opens a stream over them: a record takes
 * part once an epoch. Increments are sums over the batch size. A sampled stream is given all records in
 * each round, and draws its batches itself; `batchSize` is their expected size.
 */
export function* streamOverBatches({
  allRecords,
  rounds,
  batchSize,
  batchSizes,
  noiseFactors,
  areLargest = false,
  dimension,
  clip,
  prefixSum,
  noiseMultiplier,
  mechanism = gaussian({}),
  epochs = 1,
  sampling,
}: StreamOverBatches): Program<{ readonly batches: readonly Batch[]; readonly stream: Stream }> {
  const batches =
    sampling === undefined
      ? yield* ask.split({
          of: allRecords,
          order: 'stored',
          parts: areLargest
            ? { by: 'count', count: rounds }
            : { by: 'size', sizes: Array.from({ length: rounds }, () => batchSize) },
        })
      : Array.from({ length: rounds }, () => allRecords);
  const stream = yield* ask.open({
    prefixSum,
    steps: epochs * rounds,
    dimension,
    bound: { by: 'clip', clip },
    noise: { mechanism, target: { noiseMultiplier } },
    participation: sampling?.participation ?? { times: epochs, gap: rounds },
    normaliser: batchSize,
    ...(batchSizes !== undefined && { normalisers: batchSizes }),
    ...(noiseFactors !== undefined && { noiseFactors }),
    ...(sampling !== undefined && { sampling: sampling.sampler }),
    ...(sampling?.verified !== undefined && { verified: sampling.verified }),
  });
  return { batches, stream };
}

/**
 * Records in each of a number of batches: `⌊slots / rounds⌋`.
 *
 * @throws {InvalidParameter} for more rounds than records.
 */
export function batchSizeOf(rounds: number, slots: number): number {
  if (rounds <= slots) return Math.floor(slots / rounds);
  throw new InvalidParameter(
    `rounds is ${rounds}, more than the ${slots} slots; each round needs a record of its own`,
    { rounds, slots },
  );
}
