import { InvalidParameter, Unsupported } from '../errors.js';
import { instantiate, kernelModule, type Kernels } from './kernels.js';
import { CHUNK, layout, LONG_BLOCK, LONG_SUMS } from './kernels.wasm.js';
import { MOST_WORKERS, POOL_BYTES } from './pool-memory.js';
import { canShareMemory, wasm, type WasmMemory, type WasmModule } from './platform.js';
import { defined } from '../defined.js';

/**
 * Fixed-size memory for the kernels. It never grows, so its views never detach. Memory is freed only when the
 * whole arena is garbage-collected.
 */
export interface Arena {
  /** Whether threads can share it. */
  readonly shared: boolean;
  /** Doubles that can still be allocated in one piece. */
  readonly free: number;
  /**
   * A zero-filled array of `length` doubles, aligned to 64 bytes.
   *
   * @throws {InvalidParameter} when `length` is not a whole number, or is more than is free.
   */
  allocate(length: number): Float64Array;
  /** The same for numbers of 32 bits. */
  allocateSingles(length: number): Float32Array;
  /** The same for indices. */
  allocateIndices(length: number): Uint32Array;
}

/** The kernels of an arena, with its scratch memory. */
export interface Engine {
  readonly kernels: Kernels;
  readonly memory: WasmMemory;
  readonly module: WasmModule;
  readonly shared: boolean;
  /** Byte address of the worker pool's shared state; 0 if the memory is not shared. */
  readonly workerPool: number;
  /** Maximum row width of the scratch rows. */
  readonly width: number;
  /** Scratch for copies of two points, and for a chunk's partial sum: `width` doubles each. */
  readonly iterate: Float64Array;
  readonly otherPoint: Float64Array;
  readonly partial: Float64Array;
  /** Views of the first page: see the layout of the generated kernels. */
  readonly key: Uint32Array;
  readonly block: Uint32Array;
  readonly batch: Uint32Array;
  readonly hash: Uint32Array;
  readonly rowIndices: Uint32Array;
  readonly coefficients: Float64Array;
  readonly labels: Float64Array;
  readonly norms: Float64Array;
  readonly staging: Float64Array;
  readonly stagingBytes: Uint8Array;
  /** Key of the sums of long arrays, and room for those of the blocks in staging. */
  readonly longKey: Uint8Array;
  readonly longSums: Uint8Array;
}

const PAGE = 65_536;
const MAX_PAGES = 65_536;
const MAX_WIDTH = 2 ** 20;
const ALIGNMENT_SLACK = 4096; // bytes: 64 allocations may each lose almost a cache line

interface Entry {
  readonly arena: Arena;
  readonly engine: Engine;
}
const entries = new WeakMap<ArrayBufferLike, Entry>();

/**
 * No array of an arena begins at the start of its memory. The buffer of a short array outside is made when it
 * is first asked for, which is slow.
 */
const entryOf = (array: ArrayBufferView): Entry | undefined =>
  array.byteOffset === 0 ? undefined : entries.get(array.buffer);

/** The arena in which `array` lies, or null. */
export const arenaOf = (array: ArrayBufferView): Arena | null => entryOf(array)?.arena ?? null;

/** The kernels of the arena in which `array` lies, or null. */
export const engineOf = (array: ArrayBufferView): Engine | null => entryOf(array)?.engine ?? null;

const engines = new WeakMap<Arena, Engine>();

/** The kernels of `arena`. */
export const engineIn = (arena: Arena): Engine => defined(engines.get(arena));

let shareable: boolean | undefined;

/**
 * Creates an arena for `doubles` numbers.
 *
 * @param options - `shared`: whether threads can share it, by default if the platform supports it; `width`:
 * the most columns of a matrix that kernels work on, by default `doubles`, or 2^20 if that is less.
 * @throws {InvalidParameter} when `doubles` is not a whole number.
 * @throws {Unsupported} when it would need more than 4 GiB, or more memory than the platform has; or when
 * shared memory is requested and the platform has none.
 */
export function createArena({
  doubles,
  shared,
  width: points,
}: {
  readonly doubles: number;
  readonly shared?: boolean | undefined;
  readonly width?: number | undefined;
}): Arena {
  if (!Number.isSafeInteger(doubles) || doubles < 0) {
    throw new InvalidParameter(
      `an arena of ${doubles} doubles cannot be made; give a whole number from 0 on`,
      { doubles },
    );
  }
  shareable ??= canShareMemory();
  if (shared === true && !shareable) {
    throw new Unsupported(
      'this platform has no shared memory (in a browser: ' +
        'the page is not cross-origin isolated); leave out `shared`',
      { shared },
    );
  }
  const width = points ?? Math.min(doubles, MAX_WIDTH);
  const sharing = shared ?? shareable;
  const start = sharing ? PAGE * (1 + 2 * MOST_WORKERS) : PAGE;
  const end = start + 8 * doubles + ALIGNMENT_SLACK;
  const scratch = align(end);
  const partial = align(scratch + 8 * width);
  const otherPoint = align(partial + 8 * width);
  const workerPool = align(otherPoint + 8 * width);
  const pages = Math.ceil((workerPool + (sharing ? POOL_BYTES : 0)) / PAGE);
  if (pages > MAX_PAGES) {
    throw new Unsupported(
      `an arena of ${doubles} doubles needs more than 4 GiB, the most that kernels can address; ` +
        'use fewer rows or columns',
      { doubles },
    );
  }
  const { memory, module, isShared } = reserve(pages, sharing, doubles);
  const { buffer } = memory;
  const engine: Engine = Object.freeze({
    kernels: instantiate(module, memory),
    memory,
    module,
    shared: isShared,
    workerPool: isShared ? workerPool : 0,
    width,
    iterate: new Float64Array(buffer, scratch, width),
    otherPoint: new Float64Array(buffer, otherPoint, width),
    partial: new Float64Array(buffer, partial, width),
    key: new Uint32Array(buffer, layout.key, 8),
    block: new Uint32Array(buffer, layout.block, 16),
    batch: new Uint32Array(buffer, layout.batch, (layout.staging - layout.batch) / 4),
    hash: new Uint32Array(buffer, layout.hash, 8),
    rowIndices: new Uint32Array(buffer, layout.rowIndices, CHUNK),
    coefficients: new Float64Array(buffer, layout.coefficients, CHUNK),
    labels: new Float64Array(buffer, layout.labels, CHUNK),
    norms: new Float64Array(buffer, layout.norms, CHUNK),
    staging: new Float64Array(buffer, layout.staging, 2048),
    stagingBytes: new Uint8Array(buffer, layout.staging, 16_384),
    longKey: new Uint8Array(buffer, layout.longKey, layout.longSums - layout.longKey),
    longSums: new Uint8Array(buffer, layout.longSums, (16_384 / LONG_BLOCK) * LONG_SUMS * 8),
  });
  const arena = allocator(buffer, isShared, start, end);
  entries.set(buffer, { arena, engine });
  engines.set(arena, engine);
  return arena;
}

function allocator(buffer: ArrayBufferLike, shared: boolean, start: number, end: number): Arena {
  let top = start;
  const take = (length: number, bytesEach: number): number => {
    const from = align(top);
    if (!Number.isSafeInteger(length) || length < 0 || from + length * bytesEach > end) {
      throw new InvalidParameter(
        `${length} numbers cannot be allocated in an arena with ` +
          `${arena.free} doubles free; make a larger arena`,
        { length, free: arena.free },
      );
    }
    top = from + length * bytesEach;
    return from;
  };
  const arena: Arena = Object.freeze({
    shared,
    get free() {
      return Math.max(0, Math.floor((end - align(top)) / 8));
    },
    allocate: (length: number) => new Float64Array(buffer, take(length, 8), length),
    allocateSingles: (length: number) => new Float32Array(buffer, take(length, 4), length),
    allocateIndices: (length: number) => new Uint32Array(buffer, take(length, 4), length),
  });
  return arena;
}

function reserve(
  pages: number,
  shared: boolean,
  doubles: number,
): { memory: WasmMemory; module: WasmModule; isShared: boolean } {
  try {
    const memory = new (wasm().Memory)({ initial: pages, maximum: pages, shared });
    return { memory, module: kernelModule(shared), isShared: shared };
  } catch (cause) {
    throw new Unsupported(
      `the platform cannot give an arena of ${doubles} doubles (${pages} pages of 64 KiB): ${String(cause)}`,
      { doubles, pages },
    );
  }
}

const align = (address: number): number => Math.ceil(address / 64) * 64;

let scratch: Engine | undefined;

/** The kernels of a small separate arena, for arrays outside all arenas. */
export function scratchEngine(): Engine {
  scratch ??= defined(engineOf(createArena({ doubles: 8, shared: false }).allocate(1)));
  return scratch;
}
