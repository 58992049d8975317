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
 * The δ of a release that happens only if the mean of `samples` independent values of `(1 − e^(ε − loss))₊` is
 * at most `threshold`: `min_τ τa + e^(−N kl(a ‖ τa)) (1 − τa)`. Either the true δ is at most `τa`, or the
 * release happens with at most that probability, by Chernoff's bound. It is a bound of the procedure, with no
 * confidence left over.
 *
 * @param samples - `N`.
 * @param threshold - `a`, in (0, 1].
 * @see Wang, Mahloujifar, Wu, Jia, Mittal 2023, estimate-verify-release.
 */
export function verifiedDelta(samples: number, threshold: number): number {
  // Every τ gives a bound; the search is for a good one.
  const at = (delta: number): number =>
    Math.min(1, (delta + Math.exp(-samples * coinDivergence(threshold, delta)) * (1 - delta)) * (1 + 2 ** -40));
  let [low, high] = [Math.log(threshold), 0];
  for (let i = 0; i < 100; i++) {
    const third = (high - low) / 3;
    if (at(Math.exp(low + third)) <= at(Math.exp(high - third))) high -= third;
    else low += third;
  }
  return Math.min(at(Math.exp(low)), at(Math.exp(high)));
}

/**
 * The largest threshold with which a verification of so many samples gives at most `delta`.
 *
 * @throws {InvalidParameter} unless `delta` is in (0, 1), and where there are too few samples for any.
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
  const least = delta * 2 ** -10;
  if (verifiedDelta(samples, least) > delta) {
    const enough = Math.ceil((Math.log(1 / delta) + 2) / delta);
    throw new InvalidParameter(
      `${samples} samples cannot verify a delta of ${delta}; take ${enough} or more, ` +
        `better ${4 * enough}`,
      { samples, delta },
    );
  }
  let [low, high] = [least, delta];
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
