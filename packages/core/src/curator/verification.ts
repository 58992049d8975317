import { addUp, InvalidParameter, Unsupported, type RandomSource } from '@lethe/numerics';
import type { SampledStream } from '../plugins/sampler.js';
import { assertStreamBatch, type StreamSampler } from './sampled-stream.js';

/**
 * Kullback–Leibler divergence of a coin of probability `a` from one of probability `b > a`, rounded down.
 */
function coinDivergence(a: number, b: number): number {
  const first = a === 0 ? 0 : a * Math.log(a / b);
  const second = (1 - a) * (Math.log1p(-a) - Math.log1p(-b));
  return Math.max(0, first + second - 2 ** -48 * (Math.abs(first) + Math.abs(second)));
}

/**
 * The δ of a release that happens only if the mean of `samples` independent values of `(1 − e^(ε − loss))₊`
 * is at most `threshold`: `sup_t t P[it happens where the true δ is t]`, at most `sup_t t e^(−N kl(a ‖ t))`
 * over `t ≥ a` by Hoeffding's inequality, attained at `t = (1 + Na)/(N + 1)`. The samples do not depend on
 * the records, so that this is a bound of the whole procedure, with no confidence left over; it is about half
 * a sample above the threshold.
 *
 * @param samples - `N`.
 * @param threshold - `a`, in (0, 1].
 * @see Wang, Mahloujifar, Wu, Jia, Mittal 2023, estimate-verify-release, for a bound with a slack factor.
 */
export function verifiedDelta(samples: number, threshold: number): number {
  const worst = Math.min(1, (1 + samples * threshold) / (samples + 1));
  if (worst === 1) return 1;
  const delta = worst * Math.exp(-samples * coinDivergence(threshold, worst)) * (1 + 2 ** -40);
  return Math.min(1, Math.max(threshold, delta));
}

/**
 * The largest threshold with which a verification of so many samples gives at most `delta`.
 *
 * @throws {InvalidParameter} unless `delta` is in (0, 1), and where there are too few samples for one of them
 * to count.
 */
export function verificationThreshold(samples: number, delta: number): number {
  if (!(delta > 0 && delta < 1))
    throw new InvalidParameter(`the delta to verify is ${delta}; it must lie strictly between 0 and 1`, {
      delta,
    });
  if (!Number.isSafeInteger(samples) || samples < 1)
    throw new InvalidParameter(`verified.samples is ${samples}; it must be a positive whole number`, {
      samples,
    });
  let [low, high] = [1 / samples, delta];
  if (low >= 1 || verifiedDelta(samples, low) > delta)
    throw new InvalidParameter(
      `${samples} samples cannot verify a delta of ${delta}; take ${Math.ceil(2 / delta)} at least, ` +
        `and ${Math.ceil(160 / delta)} to lose little`,
      { samples, delta },
    );
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (verifiedDelta(samples, middle) <= delta) low = middle;
    else high = middle;
  }
  return low;
}

/** What is sampled. */
export interface StreamLosses {
  readonly sampler: StreamSampler;
  readonly stream: SampledStream;
  readonly epsilon: number;
  readonly samples: number;
  readonly random: RandomSource;
}

/** Most steps of a stream whose losses are sampled: its matrix is held whole. */
const mostSteps = 2048;
const chunk = 512;

/**
 * The logarithm of the ratio of densities that is sampled.
 *
 * @throws {Unsupported} for a sampler without densities, or a matrix that they do not cover.
 * @throws {InvalidParameter} for more than 2048 steps.
 */
export function assertSampled(
  { plugin, params, stream: draws }: StreamSampler,
  stream: SampledStream,
): (sums: Float64Array) => number {
  if (stream.steps > mostSteps)
    throw new InvalidParameter(
      `the stream has ${stream.steps} steps; losses are sampled for ${mostSteps} at most`,
      { steps: stream.steps },
    );
  if (draws.logRatio === undefined)
    throw new Unsupported(
      `sampler '${plugin.name}' has no densities, so that nothing can be verified by sampling; ` +
        'leave verified out, and the stream costs what the sampler says',
      { sampler: plugin.name },
    );
  return draws.logRatio(params, stream);
}

/**
 * Sums of `(1 − e^(ε − loss))₊` over samples of the privacy loss of a stream: of a present record against an
 * absent one, and the reverse. Losses are rounded up by more than the error of doubles.
 *
 * @param enough - Sampling ends once a sum is larger. @defaultValue none is
 * @throws as {@link assertSampled}.
 */
export function sumsOfStreamLosses(
  { sampler, stream, epsilon, samples, random }: StreamLosses,
  enough = Infinity,
): { readonly present: number; readonly absent: number } {
  const { steps, sigma, bandwidth } = stream;
  const logRatio = assertSampled(sampler, stream);
  const { plugin, params, stream: draws } = sampler;
  const columns = Array.from({ length: steps }, (_, column) =>
    Float64Array.from({ length: Math.min(bandwidth, steps - column) }, (_row, k) =>
      stream.encoder(column + k, column),
    ),
  );
  const sums = { present: 0, absent: 0 };
  for (let done = 0; done < samples && Math.max(sums.present, sums.absent) <= enough; done += chunk) {
    const count = Math.min(chunk, samples - done);
    const own = random.fork(done);
    const present = own.fork('present noise').gaussianInto(new Float64Array(count * steps));
    const absent = own.fork('absent noise').gaussianInto(new Float64Array(count * steps));
    for (let i = 0; i < present.length; i++) {
      present[i] *= sigma;
      absent[i] *= sigma;
    }
    const next = draws.begin(params, count, steps, own.fork('participation'));
    for (let step = 0; step < steps; step++) {
      const batch = next();
      assertStreamBatch(batch, count, plugin.name);
      for (const slot of batch)
        for (let k = 0; k < columns[step].length; k++) present[slot * steps + step + k] += columns[step][k];
    }
    for (let i = 0; i < count; i++) {
      const of = (all: Float64Array): number => logRatio(all.subarray(i * steps, (i + 1) * steps));
      sums.present = addUp(sums.present, excess(of(present), epsilon));
      sums.absent = addUp(sums.absent, excess(-of(absent), epsilon));
    }
  }
  return sums;
}

/** `(1 − e^(ε − loss))₊`, rounded up; 1 for a loss that is no number. */
function excess(loss: number, epsilon: number): number {
  const above = loss + 1e-9 * (1 + Math.abs(loss)) - epsilon;
  if (above <= 0) return 0;
  return Math.min(1, -Math.expm1(-above) * (1 + 2 ** -50)) || 1;
}
