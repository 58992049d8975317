import type { Budget, Problem, Ref, Registry } from '@lethe/core';
import { streamSampler } from '@lethe/curator';
import { centralSlots } from '../common/problem-facts.js';
import { batchSizeOf } from '../common/stream-over-batches.js';
import { verifiedNoise, type WrittenVerification } from '../common/verified-noise.js';

/** How the batches of a stream are chosen, as it is written. */
interface WrittenBatches {
  readonly rounds: number;
  readonly sampling: Ref<'sampler'> | undefined;
  readonly verified: true | { readonly samples: number } | undefined;
}

/** Secret batches before the noise is known, and with it how many losses a verification takes. */
interface DraftBatches {
  readonly sampler: Ref<'sampler'>;
  readonly participation: { readonly times: number; readonly gap: number };
  readonly verified?: WrittenVerification;
}

/** The batches of a plan: disjoint ones, or those that a sampler draws. */
export function batchesOf(
  { rounds, sampling, verified }: WrittenBatches,
  posed: { readonly problem: Problem; readonly registry: Registry; readonly budget: Budget },
): { readonly batchSize: number; readonly sampling?: DraftBatches } {
  const slots = centralSlots(posed.problem);
  if (sampling === undefined) return { batchSize: batchSizeOf(rounds, slots) };
  const { params, stream } = streamSampler(posed.registry, sampling);
  const { epsilon, delta } = posed.budget;
  return {
    batchSize: stream.normaliser(params, slots),
    sampling: {
      sampler: sampling,
      participation: stream.participation(params, rounds),
      ...(verified !== undefined && {
        verified: { epsilon, delta, ...(verified !== true && { samples: verified.samples }) },
      }),
    },
  };
}

/** A draft with the noise and the samples of its verification; any other as it is. */
export function verifiedDraft<
  D extends {
    readonly rounds: number;
    readonly prefixSum: Ref<'prefixSum'>;
    readonly sampling?: DraftBatches;
  },
>(
  draft: D,
  given: number | undefined,
  { problem, registry }: { readonly problem: Problem; readonly registry: Registry },
) {
  const { rounds, prefixSum, sampling, ...rest } = draft;
  if (sampling === undefined) return { draft: { ...rest, rounds, prefixSum }, noiseMultiplier: given };
  const { sampler, participation, verified } = sampling;
  const batches = { sampler, participation };
  if (verified === undefined)
    return { draft: { ...rest, rounds, prefixSum, sampling: batches }, noiseMultiplier: given };
  const { noiseMultiplier, samples } = verifiedNoise(
    {
      registry,
      prefixSum,
      sampling: sampler,
      rounds,
      dimension: problem.dimension,
      adjacency: problem.adjacency,
      verified,
    },
    given,
  );
  return {
    draft: { ...rest, rounds, prefixSum, sampling: { ...batches, verified: { ...verified, samples } } },
    noiseMultiplier,
  };
}
