import {
  resolvePlugin,
  type Adjacency,
  type Mechanism,
  type PluginKind,
  type PrefixSum,
  type PrefixSumRun,
  type Ref,
  type Registry,
  type StoredStream,
  type Vector,
} from '@lethe/core';
import { settleRef } from '@lethe/core/internal';
import { createDigests, digestBytes, digestSize } from '../ledger/digests.js';
import type { StoredBatch } from '../ledger/index.js';
import {
  defined,
  hexOf,
  IncompatiblePlugins,
  keyedHash128,
  ownCopy,
  type RandomSource,
  Unsupported,
} from '@lethe/numerics';
import type { Rows } from './members.js';
import { shareOf } from './noise-share.js';
import { createParticipants, type Participants } from './participation.js';
import { assertStreamBatch, sampledStream, streamSampler } from './sampled-stream.js';
import { sumsOfStreamLosses } from './verification.js';

/** What the noise of a step is keyed by, besides the steps before it. */
export interface Push {
  /** Digest of the query. */
  readonly digest: string;
  /** Randomness of the queries that made the batch, and of its place; `null` for all records. */
  readonly origin: RandomSource | null;
}

/**
 * A live stream. It keeps no data: only how many increments it has had, from whom, and its noise.
 *
 * Row `s` of the noise is a function of the pushes `0` to `s`. A curator whose ledger was restored from a
 * copy may be asked something else at a step that it has forgotten: the answers of both courses share the
 * rows of the pushes that they have in common, and no other, so that together they cost two streams at most.
 * A row of the push `s` alone would not do: where only the push before differs, it would be the same, and
 * increments contain earlier rows as well.
 */
export interface OpenStream extends StoredStream {
  readonly participants: Participants;
  /** Increments so far. */
  readonly pushed: number;
  /** Counts an increment. */
  count(push: Push): void;
  /** Of the last increment with all before it, and secret keys: 16 bytes in hexadecimal. */
  course(): string;
  /** Whether every record of the batch may take part in the next increment. */
  admits(batch: StoredBatch): boolean;
  /** Adds `scale · ((Bz)_t − (Bz)_{t−1})` for the step `t = pushed`; whole noise is drawn at that scale. */
  addNoise(increment: Vector, push: Push): void;
  /** The slots that take part in the step `pushed` of a sampled stream. */
  drawn(): Uint32Array;
  /** @throws {Unsupported} for a stream whose verification failed: no increment is ever answered. */
  assertVerified(): void;
}

/** What a stream depends on besides itself. */
export interface StreamParts {
  readonly randomness: RandomSource;
  readonly membersOf: (batch: StoredBatch) => Rows;
  readonly adjacency: Adjacency;
  /** Of how many shares of the noise this is one. @defaultValue 1 */
  readonly shares?: number;
}

export function openStream(
  given: StoredStream,
  slots: number,
  registry: Registry,
  { randomness, membersOf, adjacency, shares = 1 }: StreamParts,
): OpenStream {
  const stored = withSettledRefs(given);
  const rows = randomness.fork('rows');
  const key = randomness.fork('pushes').key().subarray(0, digestSize);
  /** Of each push with all before it. */
  const courses = createDigests();
  const courseOf = ({ digest, origin }: Push, step: number): Uint8Array => {
    const before = courses.slice(Math.max(0, step - 1), step);
    const parts = [before, digestBytes(digest), ...(origin === null ? [] : [origin.key()])];
    const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
    let used = 0;
    for (const part of parts) {
      all.set(part, used);
      used += part.length;
    }
    return keyedHash128(key, all);
  };
  let run: PrefixSumRun | undefined;
  let at = 0;
  const noise = new Float64Array(stored.dimension);
  const drawn = shareOf(stored.scale, shares);
  let batchAt: ((step: number) => Uint32Array) | undefined;
  let verdict: boolean | undefined;
  return {
    ...stored,
    participants: createParticipants(slots, stored.participation),
    get pushed() {
      return courses.length;
    },
    count(push) {
      courses.push(courseOf(push, courses.length));
    },
    course: () => courses.at(courses.length - 1),
    admits(batch) {
      return this.participants.admits(membersOf(batch), this.pushed);
    },
    addNoise(increment, push) {
      if (stored.scale === 0) return;
      const newest = hexOf(courseOf(push, this.pushed));
      const mechanism = resolvePlugin<Mechanism>(registry, stored.noise.mechanism);
      const { plugin, params } = resolvePlugin<PrefixSum>(registry, stored.prefixSum);
      // Whole noise of a larger scale is not a multiple of that of scale 1.
      const isWhole = mechanism.plugin.numerics === 'exact';
      const row = (s: number, out: Vector): void => {
        assertDrawn(s, at, plugin.name);
        out.fill(0);
        const course = s < this.pushed ? courses.at(s) : newest;
        mechanism.plugin.addNoise(mechanism.params, out, isWhole ? drawn : 1, rows.fork(course));
      };
      const factor = isWhole ? 1 : stored.scale;
      if (run === undefined || at !== this.pushed) {
        run = plugin.begin(params, stored);
        at = 0;
      }
      // What the factorisation keeps between steps is rebuilt from the randomness after a resume.
      while (at <= this.pushed) {
        run.nextInto(noise, row);
        at += 1;
      }
      for (let j = 0; j < increment.length; j++) increment[j] += factor * noise[j];
    },
    drawn() {
      batchAt ??= sampledBatches(stored, slots, registry, randomness);
      return batchAt(this.pushed);
    },
    assertVerified() {
      verdict ??= isVerified(stored, registry, randomness, adjacency);
      if (verdict) return;
      throw new Unsupported(
        `the verification of stream '${stored.id}' failed: its noise is too small for the epsilon and ` +
          'delta to verify. Nothing is released and the charge stays; open a stream with more noise.',
        { stream: stored.id },
      );
    },
  };
}

/** @throws {IncompatiblePlugins} for a row of a later step, which no push has named. */
function assertDrawn(row: number, step: number, prefixSum: string): void {
  if (row <= step) return;
  throw new IncompatiblePlugins(
    `prefix sum '${prefixSum}' takes row ${row} of the noise at step ${step}; its matrices are lower ` +
      'triangular, and it breaks its contract',
    { prefixSum, row, step },
  );
}

/** With references that are resolved once, and not at each step. */
function withSettledRefs(stored: StoredStream): StoredStream {
  const { prefixSum, noise, bound, sampling } = stored;
  const settled = <K extends PluginKind>(ref: Ref<K>): Ref<K> => settleRef(ownCopy(ref));
  return {
    ...stored,
    prefixSum: settled(prefixSum),
    noise: { ...noise, mechanism: settled(noise.mechanism) },
    bound: bound.by === 'clip' ? { ...bound, clip: settled(bound.clip) } : bound,
    ...(sampling !== undefined && { sampling: settled(sampling) }),
  };
}

/**
 * The batches of a sampled stream by step. They are functions of the stream's randomness, so that they are
 * the same after a resume.
 */
function sampledBatches(
  stored: StoredStream,
  slots: number,
  registry: Registry,
  randomness: RandomSource,
): (step: number) => Uint32Array {
  const { plugin, params, stream } = streamSampler(registry, defined(stored.sampling));
  const begin = (): Drawing => ({
    next: stream.begin(params, slots, stored.steps, randomness.fork('participation')),
    participants: createParticipants(slots, stored.participation),
    step: -1,
    last: new Uint32Array(0),
  });
  let drawing = begin();
  return (step) => {
    if (step < drawing.step) drawing = begin();
    while (drawing.step < step) {
      const { next, participants } = drawing;
      const batch = next();
      drawing.step += 1;
      drawing.last = batch;
      assertStreamBatch(batch, slots, plugin.name);
      if (!participants.admits(batch, drawing.step))
        throw new IncompatiblePlugins(
          `sampler '${plugin.name}' draws a slot more often or sooner than it declares; ` +
            'it breaks its contract',
          { sampler: plugin.name },
        );
      participants.record(batch, drawing.step);
    }
    return drawing.last;
  };
}

interface Drawing {
  readonly next: () => Uint32Array;
  readonly participants: Participants;
  step: number;
  last: Uint32Array;
}

/** Samples the losses of the stream with its own randomness: asked again, the verdict is the same. */
function isVerified(
  stored: StoredStream,
  registry: Registry,
  randomness: RandomSource,
  adjacency: Adjacency,
): boolean {
  const { sampling, verified, prefixSum } = stored;
  if (verified === undefined || sampling === undefined) return true;
  const { epsilon, samples, threshold, sigma, exaggeration } = verified;
  if ((exaggeration?.largest ?? 1) <= threshold) return true;
  const most = threshold * samples;
  const sums = sumsOfStreamLosses(
    {
      sampler: streamSampler(registry, sampling),
      stream: sampledStream(resolvePlugin<PrefixSum>(registry, prefixSum), stored, sigma),
      epsilon,
      samples,
      random: randomness.fork('verification'),
      isReplaced: adjacency === 'replace-one',
      ...(exaggeration !== undefined && { exaggeration }),
    },
    most,
  );
  return sums.present <= most && sums.absent <= most;
}
