import { InvalidParameter } from '../errors.js';
import { engineIn, type Arena, type Engine } from './arena.js';
import { sumChunk, writeJob, type ChunkJob } from './chunk-job.js';
import type { ClippedGradient } from './clipped-gradient.js';
import type { HelperSeat } from './helper.js';
import { CHUNK } from './kernels.wasm.js';
import { noSuchRow, rowCount, type MatrixView, type Rows } from './matrix.js';
import { canWait } from './platform.js';
import { CLOSED, LIST_CHUNKS, MOST_HELPERS, NONE_LEFT, OPEN, RING_FULL, slotsFor, STOPPED, takeChunk, teamMemory, waitWhile, word } from './team-memory.js';

/** Threads that share an arena's work. */
export interface Team {
  /** Threads, the calling one included. 1 once the team is closed, or when a helper did not answer in time. */
  readonly size: number;
  /** Sends the helpers home: {@link serveTeam} returns in each. */
  close(): void;
}

export interface TeamOptions {
  /** Threads, the calling one included: 1 to 8. */
  readonly size: number;
  /** Starts a thread that calls {@link serveTeam} with this seat. It need not be ready when this returns. */
  readonly spawn: (seat: HelperSeat) => void;
  /** Milliseconds to wait for a helper before its work is done without it, and all work from then on. 5000 if not given. */
  readonly patience?: number | undefined;
}

/** What the threads have to do, and where the arrays are. `w` is an address in the arena. */
export interface SharedSum extends Pick<ClippedGradient, 'rows' | 'labels' | 'norms'>, Pick<ChunkJob, 'w' | 'inverseRadius' | 'slope' | 'block' | 'access'> {
  readonly X: MatrixView;
}

interface Crew extends Team {
  readonly add: (sum: SharedSum, out: Float64Array) => void;
}

const crews = new WeakMap<Engine, Crew>();
const soloist: Crew = { size: 1, close() {}, add() {} };
const WORTHWHILE = 250_000; // multiply-adds of one pass: some fifty microseconds, a few times what waking a thread takes

/**
 * Lets `size` threads share the clipped gradients of data in `arena`. Results have the same bits as without: each chunk of
 * rows is summed by one thread, and the chunks' sums are added in order. The team computes alone where the arena is not
 * shared and where the calling thread may not sleep (the main thread of a browser page: call from a worker); helpers join
 * when they are ready. Close the team when the arena is no longer needed: helpers hold its memory.
 *
 * @throws {InvalidParameter} when `size` is not a whole number from 1 to 8, or the arena has had a team before.
 */
export function attachTeam(arena: Arena, { size, spawn, patience = 5000 }: TeamOptions): Team {
  if (!Number.isInteger(size) || size < 1 || size > 1 + MOST_HELPERS) {
    throw new InvalidParameter(`a team of ${size} threads cannot be formed; give a whole number from 1 to ${1 + MOST_HELPERS}`, { size });
  }
  if (!(patience > 0)) throw new InvalidParameter(`a patience of ${patience} milliseconds is not allowed; give a positive number`, { patience });
  const engine = engineIn(arena);
  if (crews.has(engine)) throw new InvalidParameter('this arena has had a team before; an arena has one at most', {});
  const helpers = engine.team !== 0 && canWait() ? size - 1 : 0;
  const crew = helpers === 0 ? soloist : crewOf(engine, helpers, patience);
  crews.set(engine, crew);
  for (let thread = 1; thread <= helpers; thread++) spawn({ memory: engine.memory, module: engine.module, thread, address: engine.team });
  return crew;
}

/** The team that is to compute this, or null when one thread is as fast or the arrays are not all in the arena. */
export function teamFor(engine: Engine, { X, rows, labels, norms }: ClippedGradient): Crew | null {
  const crew = crews.get(engine);
  const count = rowCount(rows);
  if (crew === undefined || crew.size === 1 || count <= CHUNK || count * X.columns < WORTHWHILE || slotsFor(X.columns) === 0) return null;
  const { buffer } = engine.memory;
  return labels.buffer === buffer && norms.buffer === buffer ? crew : null;
}

function crewOf(engine: Engine, helpers: number, patience: number): Crew {
  let size = 1 + helpers;
  const shared = teamMemory(engine.memory, engine.team);
  const { words, ring } = shared;

  const close = (): void => {
    if (size === 1) return;
    size = 1;
    Atomics.store(words, word.chunks, 0);
    Atomics.store(words, word.state, STOPPED);
    for (const index of [word.generation, word.added]) {
      Atomics.add(words, index, 1);
      Atomics.notify(words, index);
    }
  };

  /** False when helpers that still read the job before do not let go of it. */
  const open = (job: ChunkJob): boolean => {
    for (;;) {
      const active = Atomics.load(words, word.active);
      if (active === 0) break;
      if (!waitWhile(words, word.active, active, patience)) return false;
    }
    writeJob(shared.job, job);
    const slots = slotsFor(job.columns);
    Atomics.store(words, word.slots, slots);
    Atomics.store(words, word.chunks, Math.ceil(job.count / CHUNK));
    Atomics.store(words, word.next, 0);
    Atomics.store(words, word.added, 0);
    words.fill(0, word.done, word.done + slots);
    Atomics.store(words, word.state, OPEN);
    Atomics.add(words, word.generation, 1);
    Atomics.notify(words, word.generation);
    return true;
  };

  /** Adds the chunks from `first` on without the helpers, where none of them writes. */
  const alone = (job: ChunkJob, first: number, out: Float64Array): void => {
    for (let chunk = first; chunk * CHUNK < job.count; chunk++) {
      if (!sumChunk(engine.kernels, job, chunk, engine.partial)) throw noSuchRow(job.rows);
      for (let j = 0; j < out.length; j++) out[j]! += engine.partial[j]!;
    }
  };

  /** Adds chunk by chunk in order, computing what nobody has taken; returns how many were added before a helper fell silent. */
  const together = (job: ChunkJob, out: Float64Array): number => {
    const { columns } = job;
    const chunks = Math.ceil(job.count / CHUNK);
    const slots = slotsFor(columns);
    for (let added = 0; added < chunks;) {
      const slot = added % slots;
      const done = Atomics.load(words, word.done + slot);
      if (done === added + 1) {
        for (let j = 0, at = slot * columns; j < columns; j++, at++) out[j]! += ring[at]!;
        Atomics.store(words, word.added, ++added);
        Atomics.notify(words, word.added);
        continue;
      }
      if (done === -(added + 1)) throw noSuchRow(job.rows);
      const mine = takeChunk(words, added);
      if (mine === NONE_LEFT || mine === RING_FULL) {
        if (!waitWhile(words, word.done + slot, done, patience)) return added;
      } else {
        const place = mine % slots;
        const fine = sumChunk(engine.kernels, job, mine, ring.subarray(place * columns, (place + 1) * columns));
        Atomics.store(words, word.done + place, fine ? mine + 1 : -(mine + 1));
      }
    }
    return chunks;
  };

  const run = (job: ChunkJob, out: Float64Array): void => {
    if (size === 1 || !open(job)) {
      close();
      alone(job, 0, out);
      return;
    }
    const chunks = Math.ceil(job.count / CHUNK);
    let added = 0;
    try {
      added = together(job, out);
    } finally {
      Atomics.store(words, word.next, chunks);
      Atomics.store(words, word.state, CLOSED);
      Atomics.store(words, word.added, chunks);
      Atomics.notify(words, word.added);
    }
    if (added === chunks) return;
    close();
    alone(job, added, out);
  };

  return {
    get size() { return size; },
    close,
    add({ X, rows, labels, norms, ...rest }, out) {
      const common = { base: X.data.byteOffset + 8 * X.offset, rowBytes: 8 * X.rowStride, rows: X.rows, columns: X.columns, labels: labels.byteOffset, norms: norms.byteOffset, ...rest };
      eachStretch(rows, engine, shared.list, (indices, first, count) => run({ ...common, indices, first, count }, out));
    },
  };
}

/** Calls `use` with stretches of `rows` whose list, if any, lies in the arena: a list from elsewhere is copied piece by piece. */
function eachStretch(rows: Rows, engine: Engine, list: Uint32Array, use: (indices: number, first: number, count: number) => void): void {
  if (!(rows instanceof Uint32Array)) use(0, rows.from, rows.to - rows.from);
  else if (rows.buffer === engine.memory.buffer) use(rows.byteOffset, 0, rows.length);
  else {
    const room = CHUNK * LIST_CHUNKS;
    for (let from = 0; from < rows.length; from += room) {
      const piece = rows.subarray(from, from + room);
      list.set(piece);
      use(list.byteOffset, 0, piece.length);
    }
  }
}
