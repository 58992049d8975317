import {
  resolvePlugin,
  seededRandom,
  type Adjacency,
  type PrefixSum,
  type RandomSource,
  type Ref,
  type Registry,
  type SampledStream,
} from '@lethe/core';
import {
  assertSampled,
  exaggerationFor,
  sampledStream,
  streamSampler,
  verificationThreshold,
  type StreamSampler,
} from '@lethe/curator';

/** A stream of sampled batches whose (ε, δ) the curator verifies. */
export interface VerifiedStream {
  readonly registry: Registry;
  readonly prefixSum: Ref<'prefixSum'>;
  readonly sampling: Ref<'sampler'>;
  readonly rounds: number;
  readonly dimension: number;
  readonly adjacency: Adjacency;
  readonly verified: WrittenVerification;
}

/** What is to be verified, with so many samples, or as many as it takes. */
export interface WrittenVerification {
  readonly epsilon: number;
  readonly delta: number;
  readonly samples?: number | undefined;
}

/** How far from the threshold a planned mean stays, in standard deviations of the run's and of the plan's. */
const clearance = 5;
/** Samples of an estimate. */
const estimated = 16_384;

/**
 * Samples with which a verification passes by a clear margin, for values of at most `largest`: 160 times
 * `largest/δ`, ten times that where it is cheap, and 4096 at least.
 */
function samplesFor(delta: number, largest: number): number {
  const ratio = largest / delta;
  return Math.max(4096, Math.ceil(160 * ratio), Math.min(Math.ceil(1600 * ratio), 100_000));
}

/** What a stream that is verified is opened with. */
export interface VerifiedNoise {
  readonly noiseMultiplier: number;
  /** Privacy losses that the curator samples in each direction. */
  readonly samples: number;
}

/**
 * A noise multiplier with which the verification of a stream passes almost surely, within 3 % of the least:
 * found by sampling the same losses from public coins. What it finds is an estimate; the guarantee is the
 * curator's verification.
 *
 * @param given - The noise multiplier, where it is given; samples alone are then found.
 */
export function verifiedNoise(of: VerifiedStream, given?: number): VerifiedNoise {
  const { registry, prefixSum, sampling, rounds, dimension, adjacency, verified } = of;
  const isReplaced = adjacency === 'replace-one';
  const { epsilon, delta } = verified;
  const sampler = streamSampler(registry, sampling);
  const resolved = resolvePlugin<PrefixSum>(registry, prefixSum);
  const shape = { steps: rounds, dimension };
  const norm = sampledStream(resolved, shape, 1).columnNorm(
    sampler.stream.participation(sampler.params, rounds),
  );
  // A multiplier is over the sensitivity, which is twice the norm where a record is replaced.
  const apart = isReplaced ? 2 * norm : norm;
  const streamAt = (multiplier: number): SampledStream => sampledStream(resolved, shape, multiplier * apart);
  const largestAt = (multiplier: number): number =>
    exaggerationFor(sampler, streamAt(multiplier), epsilon, adjacency).largest;
  const samplesAt = (multiplier: number): number =>
    verified.samples ?? samplesFor(delta, largestAt(multiplier));
  /** The largest mean that stays clear of the threshold; `Infinity` where no sample is needed. */
  const targetAt = (multiplier: number): number => {
    const largest = largestAt(multiplier);
    if (largest <= delta) return Infinity;
    // In units of the largest value: how many of them the sum may be.
    const unit = largest / samplesAt(multiplier);
    if (delta < 4 * unit) return 0;
    const most = verificationThreshold(samplesAt(multiplier), delta, largest) / unit;
    return Math.max(0, (most - clearance * Math.sqrt(most)) * unit);
  };
  const passes = (multiplier: number): boolean => {
    const target = targetAt(multiplier);
    if (target === 0 || target === Infinity) return target > 0;
    return likelyDelta(sampler, streamAt(multiplier), { epsilon, isReplaced }) <= target;
  };
  const noiseMultiplier = given ?? leastOf(passes);
  return { noiseMultiplier, samples: samplesAt(noiseMultiplier) };
}

/** Within 3 % of the least multiplier that passes. */
function leastOf(passes: (multiplier: number) => boolean): number {
  let [low, high] = [0, 1];
  while (!passes(high)) [low, high] = [high, 2 * high];
  if (low === 0) for (low = high / 2; low > 1e-3 && passes(low); low /= 2) high = low;
  while (high / low > 1.03) {
    const middle = Math.sqrt(low * high);
    if (passes(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/**
 * What the δ of a stream likely stays below, in both directions: an estimate by importance sampling. Sums are
 * drawn with the increments of a slot exaggerated, or reversed, by several factors, so that large losses are
 * not rare; weights are those of the mixture over the factors, and so at most as large as there are.
 */
function likelyDelta(
  sampler: StreamSampler,
  stream: SampledStream,
  { epsilon, isReplaced }: { readonly epsilon: number; readonly isReplaced: boolean },
): number {
  const { steps, sigma } = stream;
  const logRatio = assertSampled(sampler, stream);
  const random = seededRandom('noise of a verified stream');
  const estimate = (factors: readonly number[], truth: number, sign: number): number => {
    const means = meansOf(sampler, stream, random.fork(`present ${sign}`));
    const noise = random.fork(`noise ${sign}`).gaussianInto(new Float64Array(estimated * steps));
    const sums = new Float64Array(steps);
    const opposite = new Float64Array(steps);
    let [first, second] = [0, 0];
    for (let i = 0; i < estimated; i++) {
      const factor = factors[i % factors.length];
      const mean = means.subarray(i * steps, (i + 1) * steps);
      let [product, square] = [0, 0];
      for (let t = 0; t < steps; t++) {
        sums[t] = factor * mean[t] + sigma * noise[i * steps + t];
        product += sums[t] * mean[t];
        square += mean[t] * mean[t];
      }
      if (isReplaced) for (let t = 0; t < steps; t++) opposite[t] = -sums[t];
      const loss = isReplaced ? logRatio(sums) - logRatio(opposite) : sign * logRatio(sums);
      const hit = -Math.expm1(epsilon - loss);
      if (!(hit > 0)) continue;
      const mixed = factors.reduce(
        (sum, one) =>
          sum + Math.exp(((one - truth) * product - ((one ** 2 - truth ** 2) * square) / 2) / sigma ** 2),
        0,
      );
      const value = (hit * factors.length) / mixed;
      first += value;
      second += value * value;
    }
    return (first + clearance * Math.sqrt(second)) / estimated;
  };
  const present = estimate([1, 2, 3, 4], 1, 1);
  return isReplaced ? present : Math.max(present, estimate([0, -1, -2, -3], 0, -1));
}

/** `Cx` of as many slots, with increments of 1. */
function meansOf(
  { params, stream: draws }: StreamSampler,
  { steps, bandwidth, encoder }: SampledStream,
  random: RandomSource,
): Float64Array {
  const means = new Float64Array(estimated * steps);
  const next = draws.begin(params, estimated, steps, random);
  for (let step = 0; step < steps; step++) {
    const column = Float64Array.from({ length: Math.min(bandwidth, steps - step) }, (_, k) =>
      encoder(step + k, step),
    );
    for (const slot of next())
      for (let k = 0; k < column.length; k++) means[slot * steps + step + k] += column[k];
  }
  return means;
}
