import {
  InvalidParameter,
  resolvePlugin,
  sampledStream,
  seededRandom,
  streamSampler,
  sumsOfStreamLosses,
  verificationThreshold,
  type Adjacency,
  type PrefixSum,
  type Ref,
  type Registry,
} from '@lethe/core';

/** A stream of sampled batches whose (ε, δ) the curator verifies. */
export interface VerifiedStream {
  readonly registry: Registry;
  readonly prefixSum: Ref<'prefixSum'>;
  readonly sampling: Ref<'sampler'>;
  readonly rounds: number;
  readonly dimension: number;
  readonly verified: { readonly epsilon: number; readonly delta: number; readonly samples: number };
}

/** How far from the threshold a planned mean stays, in standard deviations of the run's. */
const clearance = 5;

/**
 * Samples with which a verification can pass by a clear margin: 160/δ, and 4096 at least.
 */
export const samplesFor = (delta: number): number => Math.max(4096, Math.ceil(160 / delta));

/**
 * A noise multiplier with which the verification of a stream passes almost surely, within 3 % of the least:
 * found by sampling the same losses from public coins. What it finds is an estimate; the guarantee is the
 * curator's verification.
 *
 * @throws {InvalidParameter} for so few samples that no verification can pass clearly.
 */
export function verifiedMultiplier(of: VerifiedStream): number {
  const { registry, prefixSum, sampling, rounds, dimension, verified } = of;
  const { epsilon, delta, samples } = verified;
  const most = verificationThreshold(samples, delta) * samples;
  const target = most - clearance * Math.sqrt(most);
  if (target < 4)
    throw new InvalidParameter(
      `${samples} samples verify a delta of ${delta} with ${most.toPrecision(2)} hits at most, too few to ` +
        `plan for; take ${samplesFor(delta)} samples`,
      { samples, delta },
    );
  const sampler = streamSampler(registry, sampling);
  const resolved = resolvePlugin<PrefixSum>(registry, prefixSum);
  const shape = { steps: rounds, dimension };
  const norm = sampledStream(resolved, shape, 1).columnNorm(
    sampler.stream.participation(sampler.params, rounds),
  );
  const passes = (multiplier: number): boolean => {
    const stream = sampledStream(resolved, shape, multiplier * norm);
    const random = seededRandom('noise of a verified stream');
    const sums = sumsOfStreamLosses({ sampler, stream, epsilon, samples, random }, target);
    return sums.present <= target && sums.absent <= target;
  };
  let [low, high] = [0, 1];
  while (!passes(high)) [low, high] = [high, 2 * high];
  if (low === 0)
    for (low = high / 2; low > 1e-3 && passes(low); low /= 2) high = low;
  while (high / low > 1.03) {
    const middle = Math.sqrt(low * high);
    if (passes(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** @throws {InvalidParameter} under an adjacency whose streams are not verified. */
export function assertVerifiable(adjacency: Adjacency): void {
  if (adjacency === 'replace-one')
    throw new InvalidParameter(
      'streams are verified under zero-out and add-remove; under replace-one leave verified out',
      { adjacency },
    );
}
