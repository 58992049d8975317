import {
  resolvePlugin,
  type Answer,
  type LeftNoise,
  type Mechanism,
  type PrefixSum,
  type PrefixSumRun,
  type Query,
  type Registry,
  type Vector,
} from '@lethe/core';
import {
  defined,
  hexOf,
  IncompatiblePlugins,
  multiplyUp,
  randomFromKey,
  type RandomSource,
  Unsupported,
} from '@lethe/numerics';
import { publicGrid, roundToGrid } from '../public-grid.js';
import type { NoiseRow } from './members.js';

/** One answer to all silos, without noise. */
export interface OwedNoise {
  readonly query: Query;
  /** Number of the query: one that is asked twice has other noise. */
  readonly index: number;
  readonly digest: string;
  readonly answer: Answer;
  /** What each silo left, with its weight; silos that are silent left nothing. */
  readonly left: readonly { readonly weight: number; readonly noise: LeftNoise }[];
  /** Weights of the silos that the answer is about: 1, but for means of some of them. */
  readonly total: number;
}

/** The noise of a trusted server. */
export interface ServerNoise {
  /**
   * Adds the noise of an answer, in place, and rounds it to the public grid.
   *
   * @returns the answer, and of an increment its row, which a server that is started again has to know.
   */
  add(owed: OwedNoise): { readonly answer: Answer; readonly row?: NoiseRow };
  /** Counts an increment that was answered before, with noise of that row. */
  replayed(query: Query, row: NoiseRow | undefined): void;
}

/**
 * Noise once for all silos: on the weighted sum, of the scale that the silo needs whose record moves it most,
 * whoever answers. Its randomness is made of the secrets of all silos, and of the query as all of them know
 * it, so that a server that is started again draws the same noise for the same answers, and other noise for
 * others. A row of the noise of a stream is made of what each silo was asked of it so far: copies that
 * are asked otherwise have other rows from there on.
 */
export function serverNoise({
  shares,
  isSeeded,
  factor,
  registry,
}: {
  readonly shares: readonly Uint8Array[];
  readonly isSeeded: boolean;
  /** By how much the noise is larger than a silo needs, at least 1. */
  readonly factor: number;
  readonly registry: Registry;
}): ServerNoise {
  const [first, ...others] = shares;
  const root = others.reduce<RandomSource>(
    (source, share) => source.fork(hexOf(share)),
    randomFromKey(first, isSeeded ? 'seeded' : 'secure'),
  );
  const nameOf = (course: string): string => hexOf(root.fork('row').fork(course).key().subarray(0, 16));
  const streams = new Map<string, Stream>();
  const streamOf = (id: string): Stream => {
    const found = streams.get(id) ?? {
      scale: undefined,
      rows: [],
      at: 0,
      run: undefined,
      noise: new Float64Array(0),
    };
    streams.set(id, found);
    return found;
  };
  const drawn = (noise: LeftNoise, length: number, randomness: RandomSource): Vector => {
    const out = new Float64Array(length);
    const { plugin, params } = resolvePlugin<Mechanism>(registry, noise.mechanism);
    plugin.addNoise(params, out, 1, randomness);
    return out;
  };
  return {
    replayed(query, row) {
      if (query.ask !== 'push' || row === undefined) return;
      const stream = streamOf(query.stream.id);
      stream.rows.push(row.name);
      stream.scale ??= row.scale;
    },
    add({ query, index, digest, answer, left, total }) {
      const isNumber = typeof answer === 'number';
      if (left.length === 0 || !(isNumber || answer instanceof Float64Array)) return { answer };
      const [{ noise }] = left;
      assertAlike(left);
      const value = isNumber ? Float64Array.of(answer) : answer;
      const needed =
        factor * left.reduce((most, one) => Math.max(most, multiplyUp(one.weight, one.noise.scale)), 0);
      const { stream } = noise;
      const isIncrement = stream !== undefined && query.ask === 'push';
      const scale = isIncrement ? scaleOf(streamOf(stream.id), needed) : needed / total;
      if (scale === 0) return { answer };
      const size = left.reduce((sum, one) => sum + one.weight * one.noise.size, 0) / total;
      if (!isIncrement) {
        const own = root.fork(`answer ${index}:${digest}`);
        const parts = left.flatMap((one) => one.noise.part ?? []);
        const unit = drawn(noise, value.length, parts.length === 0 ? own : own.fork(parts.join(' ')));
        for (let j = 0; j < value.length; j++) value[j] += scale * unit[j];
        putOnGrid(value, scale, size);
        return { answer: isNumber ? value[0] : value };
      }
      const open = streamOf(stream.id);
      const courses = left.map((one) => defined(one.noise.course));
      const name = nameOf(`${digest} ${courses.join(' ')}`);
      open.rows.push(name);
      if (open.run === undefined) {
        const { plugin, params } = resolvePlugin<PrefixSum>(registry, stream.prefixSum);
        open.run = plugin.begin(params, stream);
        open.noise = new Float64Array(stream.dimension);
      }
      const rows = root.fork(`stream ${stream.id}`);
      for (; open.at < open.rows.length; open.at++)
        open.run.nextInto(open.noise, (row, out) => {
          out.set(drawn(noise, out.length, rows.fork(`${row} ${open.rows[row]}`)));
        });
      for (let j = 0; j < value.length; j++) value[j] += scale * open.noise[j];
      putOnGrid(value, scale, size);
      return { answer: isNumber ? value[0] : value, row: { scale, name } };
    },
  };
}

/**
 * The scale of a stream is that of its first increment: what a silo has added once stays in all later sums,
 * also in rounds that it misses.
 *
 * @throws {Unsupported} where a silo that was silent so far needs more.
 */
function scaleOf(stream: Stream, needed: number): number {
  stream.scale ??= needed;
  if (needed <= stream.scale) return stream.scale;
  throw new Unsupported(
    'a silo that was silent when the stream began needs more noise than the server has added; silos that ' +
      'may miss ' +
      'the first round need the same weight over batch size',
    { needed, scale: stream.scale },
  );
}

/** Rounds an answer, in place, to the grid that its noise makes public. */
function putOnGrid(value: Float64Array, scale: number, size: number): void {
  roundToGrid(value, publicGrid(scale, size));
}

interface Stream {
  /** Of the noise of sums, over all silos. */
  scale: number | undefined;
  /** Names of the rows so far. */
  readonly rows: string[];
  at: number;
  run: PrefixSumRun | undefined;
  noise: Vector;
}

/** One noise serves all silos only if they agree on what it is. */
function assertAlike(left: OwedNoise['left']): void {
  const key = ({ mechanism, stream }: LeftNoise): string =>
    JSON.stringify([mechanism, stream?.id ?? null, stream?.prefixSum ?? null, stream?.steps ?? null]);
  const differs = left.findIndex(({ noise }) => key(noise) !== key(left[0].noise));
  if (differs < 0) return;
  throw new IncompatiblePlugins('silos left noise of different mechanisms or streams to the server', {
    differs,
  });
}
