import type { Adjacency, SampledStream } from '@lethe/core';
import { addUp, defined, divideUp, InvalidParameter, Unsupported, type RandomSource } from '@lethe/numerics';
import { assertStreamBatch, type StreamSampler } from './sampled-stream.js';

/**
 * Kullback–Leibler divergence of a bit of probability `a` from one of probability `b > a`, rounded down.
 */
function bernoulliDivergence(a: number, b: number): number {
  const first = a === 0 ? 0 : a * Math.log(a / b);
  const second = (1 - a) * (Math.log1p(-a) - Math.log1p(-b));
  return Math.max(0, first + second - 2 ** -48 * (Math.abs(first) + Math.abs(second)));
}

/** How samples of losses are drawn towards the rare large ones. */
export interface Exaggeration {
  /**
   * `f`: the increments of a present record are `f` instead of 1, of an absent one `1 − f` instead of 0.
   */
  readonly factor: number;
  /** What a sampled value reaches at most, times its weight; in (0, 1]. */
  readonly largest: number;
}
const asTheyAre: Exaggeration = { factor: 1, largest: 1 };

/** What exaggerations are chosen by. */
export interface LossesToDraw {
  readonly epsilon: number;
  /** Upper bound on `log A(f)`, convex and not decreasing. */
  readonly logMoment: (f: number) => number;
  /** Where a record is replaced: upper bound on `κ = Σ_k π_k ‖m_k‖²/(2σ²)`. */
  readonly replaced?: number;
}

/**
 * The exaggeration with which values of `(1 − e^(ε − loss))₊`, weighted by what they are rarer for it, have
 * the least proved bound. With `P/Q = Σ_k π_k u_k` over the patterns of participation, whose means are `m_k`,
 * samples of increments `f` have the density `R/Q = Σ_k π_k u_k^f e^{−(f² − f)‖m_k‖²/(2σ²)}`, which is at
 * least `(P/Q)^f / A(f)^{f − 1}` by Hölder's inequality, `A(f) = Σ_k π_k e^{f‖m_k‖²/(2σ²)}`. So a weighted
 * value is at most `max_L (1 − e^{ε − L}) A(f)^{f − 1} e^{−(f − 1)L}`, whose logarithm is convex in `f`. For
 * an absent record and increments `1 − f` the same inequality gives `(Σ_k π_k e^{(1 − f)‖m_k‖²/(2σ²)})^{−f}`
 * in place of `A(f)^{f − 1}`, which is not more by Jensen's inequality.
 *
 * Where a record is replaced the loss is `L = log p(y) − log p(−y)` with `p = P/Q` as above, and `log p(y) +
 * log p(−y) ≥ −2κ` by Jensen's inequality. So `p^{−(f − 1)} ≤ e^{−(f − 1)(L/2 − κ)}` takes the place of
 * `e^{−(f − 1)L}`.
 */
export function leastExaggeration({ epsilon, logMoment, replaced }: LossesToDraw): Exaggeration {
  // By t = f − 1; every t > 0 gives a bound.
  const at = (t: number): number => {
    const power = replaced === undefined ? t : t / 2;
    const rest = replaced === undefined ? 0 : t * replaced;
    return t * logMoment(1 + t) + rest - power * epsilon - Math.log1p(power) - power * Math.log1p(1 / power);
  };
  let [low, high] = [-14, 2];
  while (at(Math.exp(high)) < at(Math.exp(high - 1))) high += 4;
  for (let i = 0; i < 60; i++) {
    const third = (high - low) / 3;
    if (at(Math.exp(low + third)) <= at(Math.exp(high - third))) high -= third;
    else low += third;
  }
  const t = Math.exp((low + high) / 2);
  const largest = Math.exp(at(t) + 2 ** -40 * (1 + t * (epsilon + logMoment(1 + t) + (replaced ?? 0))));
  return largest < 1 ? { factor: 1 + t, largest: Math.max(largest, Number.MIN_VALUE) } : asTheyAre;
}

/** The exaggeration for the losses of a stream. */
export function exaggerationFor(
  { params, stream: draws }: StreamSampler,
  stream: SampledStream,
  epsilon: number,
  adjacency: Adjacency,
): Exaggeration {
  const { steps, sigma, columnNorm } = stream;
  const most = divideUp(columnNorm(draws.participation(params, steps)), sigma);
  const own = draws.logMoment?.(params, stream);
  const unit = 2 * sigma * sigma;
  const logMoment = (f: number): number => {
    const bound = (f * most * most) / 2;
    return own === undefined ? bound : Math.min(bound, own(f / unit) * (1 + 2 ** -40) + 2 ** -40);
  };
  if (adjacency !== 'replace-one') return leastExaggeration({ epsilon, logMoment });
  // By Jensen's inequality no moment is below that of the mean.
  const little = Math.min(1, 1e-3 / (most * most));
  return leastExaggeration({ epsilon, logMoment, replaced: logMoment(little) / little });
}

/**
 * The δ of a release that happens only if the mean of `samples` independent values of `(1 − e^(ε − loss))₊`
 * is at most `threshold`: `sup_t t P[it happens where the true δ is t]`, at most `sup_t t e^(−N kl(a ‖ t))`
 * over `t ≥ a` by Hoeffding's inequality, attained at `t = (1 + Na)/(N + 1)`. The samples do not depend on
 * the records, so that this is a bound of the whole procedure, with no confidence left over; it is about half
 * a sample above the threshold.
 *
 * @param samples - `N`.
 * @param threshold - `a`, in (0, largest].
 * @param largest - What a value is at most; all are in units of it. @defaultValue 1
 * @see Wang, Mahloujifar, Wu, Jia, Mittal 2023, estimate-verify-release, for a bound with a slack factor.
 */
export function verifiedDelta(samples: number, threshold: number, largest = 1): number {
  const share = threshold / largest;
  const worst = Math.min(1, (1 + samples * share) / (samples + 1));
  if (worst === 1) return largest;
  const delta = worst * Math.exp(-samples * bernoulliDivergence(share, worst)) * (1 + 2 ** -40);
  return largest * Math.min(1, Math.max(share, delta));
}

/**
 * The largest threshold with which a verification of so many samples gives at most `delta`; `delta` itself
 * where no value is larger.
 *
 * @param largest - As in `verifiedDelta`.
 * @throws {InvalidParameter} unless `delta` is in (0, 1), and where there are too few samples for one of them
 * to count.
 */
export function verificationThreshold(samples: number, delta: number, largest = 1): number {
  if (!(delta > 0 && delta < 1))
    throw new InvalidParameter(`the delta to verify is ${delta}; it must lie strictly between 0 and 1`, {
      delta,
    });
  if (!Number.isSafeInteger(samples) || samples < 1)
    throw new InvalidParameter(`verified.samples is ${samples}; it must be a positive whole number`, {
      samples,
    });
  if (largest <= delta) return delta;
  let [low, high] = [largest / samples, delta];
  if (samples === 1 || verifiedDelta(samples, low, largest) > delta)
    throw new InvalidParameter(
      `${samples} samples cannot verify a delta of ${delta}; take ${Math.ceil((2 * largest) / delta)} at ` +
        `least, and ${Math.ceil((160 * largest) / delta)} to lose little`,
      { samples, delta },
    );
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (verifiedDelta(samples, middle, largest) <= delta) low = middle;
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
  /** Whether the record is replaced, not present or absent. @defaultValue false */
  readonly isReplaced?: boolean;
  /** @defaultValue none: losses are drawn as they are */
  readonly exaggeration?: Exaggeration;
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
 * absent one, and the reverse. Exaggerated samples are weighted, so that the mean is as it would be. Values
 * are rounded up by more than the error of doubles.
 *
 * Where a record is replaced the worst increments are opposite: the loss is that of sums `Cx + σz` against
 * `−Cx + σz`, and of its two directions, which are alike, one is sampled. Conditional on earlier sums, a mean
 * of `(p − e^ε q)₊` over the noise of a row grows with the products of increments within `p` and within `q`
 * and falls with those between them (Gaussian interpolation), for any weights of the patterns; so row by row
 * from the last one, increments that depend on earlier sums do not cost more.
 *
 * @param enough - Sampling ends once a sum is larger. @defaultValue none is
 * @throws as {@link assertSampled}.
 */
export function sumsOfStreamLosses(
  { sampler, stream, epsilon, samples, random, isReplaced = false, exaggeration = asTheyAre }: StreamLosses,
  enough = Infinity,
): { readonly present: number; readonly absent: number } {
  const { steps, sigma, bandwidth } = stream;
  const { factor, largest } = exaggeration;
  const logRatio = assertSampled(sampler, stream);
  const { plugin, params, stream: draws } = sampler;
  const columns = Array.from({ length: steps }, (_, column) =>
    Float64Array.from({ length: Math.min(bandwidth, steps - column) }, (_row, k) =>
      stream.encoder(column + k, column),
    ),
  );
  /** Sums of as many slots with such increments, a row each. */
  const sumsOf = (increment: number, count: number, randomness: Randomness): Float64Array => {
    const sums = randomness.noise.gaussianInto(new Float64Array(count * steps));
    for (let i = 0; i < sums.length; i++) sums[i] *= sigma;
    if (increment === 0) return sums;
    const next = draws.begin(params, count, steps, randomness.participation);
    for (let step = 0; step < steps; step++) {
      const batch = next();
      assertStreamBatch(batch, count, plugin.name);
      const column = columns[step];
      for (const slot of batch)
        for (let k = 0; k < column.length; k++) sums[slot * steps + step + k] += increment * column[k];
    }
    return sums;
  };
  const valueOf = (sign: 1 | -1): ((sums: Float64Array) => number) => {
    const increment = sign === 1 ? factor : 1 - factor;
    const weightOf = factor === 1 ? null : weighing(sampler, stream, increment);
    const opposite = new Float64Array(steps);
    return (sums) => {
      const log = logRatio(sums);
      if (isReplaced) for (let i = 0; i < steps; i++) opposite[i] = -sums[i];
      const value = excess(isReplaced ? log - logRatio(opposite) : sign * log, epsilon);
      if (value === 0 || weightOf === null) return value;
      const weighted = value * weightOf(sums, sign === 1 ? log : 0);
      // No true value is larger, and what is no number counts as the largest.
      return weighted <= largest ? weighted : largest;
    };
  };
  const [present, absent] = [valueOf(1), valueOf(-1)];
  const sums = { present: 0, absent: 0 };
  for (let done = 0; done < samples && Math.max(sums.present, sums.absent) <= enough; done += chunk) {
    const count = Math.min(chunk, samples - done);
    const own = random.fork(done);
    // Streams opened before there were exaggerations have their verdicts by these names.
    const ofPresent = sumsOf(factor, count, {
      noise: own.fork('present noise'),
      participation: own.fork('participation'),
    });
    for (let i = 0; i < count; i++)
      sums.present = addUp(sums.present, present(ofPresent.subarray(i * steps, (i + 1) * steps)));
    if (isReplaced) continue;
    const ofAbsent = sumsOf(1 - factor, count, {
      noise: own.fork('absent noise'),
      participation: own.fork('absent participation'),
    });
    for (let i = 0; i < count; i++)
      sums.absent = addUp(sums.absent, absent(ofAbsent.subarray(i * steps, (i + 1) * steps)));
  }
  return sums;
}

interface Randomness {
  readonly noise: RandomSource;
  readonly participation: RandomSource;
}

/**
 * Density of what is to be sampled over that of sums with increments `increment`, rounded up: of these sums
 * `e^log` times as dense as the noise, and of the others by
 * `(⟨m, ay⟩ − ‖am‖²/2)/σ² = (⟨m, y/a⟩ − ‖m‖²/2)/(σ/a)²` in the sampler's own terms.
 */
function weighing(
  { params, stream: draws }: StreamSampler,
  stream: SampledStream,
  increment: number,
): (sums: Float64Array, log: number) => number {
  const logRatio = defined(draws.logRatio)(params, { ...stream, sigma: stream.sigma / Math.abs(increment) });
  const scaled = new Float64Array(stream.steps);
  return (sums, log) => {
    for (let i = 0; i < scaled.length; i++) scaled[i] = sums[i] / increment;
    const drawn = logRatio(scaled);
    return Math.exp(log - drawn + 1e-9 * (1 + Math.abs(log) + Math.abs(drawn)));
  };
}

/** `(1 − e^(ε − loss))₊`, rounded up; 1 for a loss that is no number. */
function excess(loss: number, epsilon: number): number {
  const above = loss + 1e-9 * (1 + Math.abs(loss)) - epsilon;
  if (above <= 0) return 0;
  return Math.min(1, -Math.expm1(-above) * (1 + 2 ** -50)) || 1;
}
