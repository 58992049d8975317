import { streamSampler, type Budget, type Problem, type Ref, type Registry } from '@lethe/core';
import { centralSlots } from '../common/problem-facts.js';
import { batchSizeOf, type SampledBatches } from '../common/stream-over-batches.js';
import { assertVerifiable, samplesFor, verifiedMultiplier } from '../common/verified-noise.js';

/** How the batches of a stream are chosen, as it is written. */
interface WrittenBatches {
  readonly rounds: number;
  readonly sampling: Ref<'sampler'> | undefined;
  readonly verified: true | { readonly samples: number } | undefined;
}

/** The batches of a plan: disjoint ones, or those that a sampler draws. */
export function batchesOf(
  { rounds, sampling, verified }: WrittenBatches,
  posed: { readonly problem: Problem; readonly registry: Registry; readonly budget: Budget },
): { readonly batchSize: number; readonly sampling?: SampledBatches } {
  const slots = centralSlots(posed.problem);
  if (sampling === undefined) return { batchSize: batchSizeOf(rounds, slots) };
  const { params, stream } = streamSampler(posed.registry, sampling);
  if (verified !== undefined) assertVerifiable(posed.problem.adjacency);
  const { epsilon, delta } = posed.budget;
  return {
    batchSize: stream.normaliser(params, slots),
    sampling: {
      sampler: sampling,
      participation: stream.participation(params, rounds),
      ...(verified !== undefined && {
        verified: { epsilon, delta, samples: verified === true ? samplesFor(delta) : verified.samples },
      }),
    },
  };
}

/** The noise of a stream that is verified; `undefined` for any other, whose noise its cost decides. */
export function verifiedNoise(
  draft: {
    readonly rounds: number;
    readonly prefixSum: Ref<'prefixSum'>;
    readonly sampling?: SampledBatches;
  },
  { problem, registry }: { readonly problem: Problem; readonly registry: Registry },
): number | undefined {
  const { rounds, prefixSum, sampling } = draft;
  if (sampling?.verified === undefined) return undefined;
  return verifiedMultiplier({
    registry,
    prefixSum,
    sampling: sampling.sampler,
    rounds,
    dimension: problem.dimension,
    verified: sampling.verified,
  });
}
