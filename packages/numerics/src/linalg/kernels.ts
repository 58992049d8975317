import { inflateSync } from 'fflate';
import { kernelsLength, kernelsPacked, SHIFT } from './kernels.wasm.js';
import { wasm, type WasmMemory, type WasmModule } from './platform.js';

/**
 * Exports of the WebAssembly module. Pointers are byte addresses in the arena; positions and batches are
 * integers.
 */
export interface Kernels extends RowKernels, RowKernels32 {
  exponentials(source: number, target: number, count: number): void;
  exponentialOf(t: number): number;
  logarithmOf(x: number): number;
  pointers(
    base: number,
    rowBytes: number,
    rows: number,
    indices: number,
    first: number,
    count: number,
  ): number;
  spread(
    base: number,
    rowBytes: number,
    rows: number,
    indices: number,
    first: number,
    count: number,
    labels: number,
    norms: number,
  ): number;
  sparseMargins(...job: [...SparseJob, w: number]): void;
  sparseAccumulate(...job: [...SparseJob, out: number]): void;
  rowsExist(indices: number, count: number, rows: number): number;
  sparseClippedGradient(
    slope: number,
    labels: number,
    norms: number,
    starts: number,
    columns: number,
    values: number,
    indices: number,
    first: number,
    count: number,
    w: number,
    inverseRadius: number,
    out: number,
  ): void;
  sparseClippedPair(
    slope: number,
    labels: number,
    norms: number,
    starts: number,
    columns: number,
    values: number,
    indices: number,
    first: number,
    count: number,
    w: number,
    v: number,
    a: number,
    b: number,
    inverseRadius: number,
    out: number,
  ): void;
  divideInPlace(target: number, count: number, divisor: number): number;
  addScaled(target: number, count: number, scale: number, source: number): void;
  roundNear(target: number, count: number, middle: number, near: number): number;
  allFinite(source: number, count: number): number;
  longSums(source: number, blocks: number, target: number): number;
  shiftMargins(z: number, old: number, before: number, after: number, count: number): void;
  stepLogistic: StepKernel;
  stepLogisticShared: StepKernel;
  stepLogisticSharedFromZero: StepKernel;
  stepSquared: StepKernel;
  slopesLogistic(z: number, grid: number, targets: number, count: number, inverseRadius: number): void;
  slopesSquared(z: number, grid: number, targets: number, count: number, inverseRadius: number): void;
  addSquares(x: number, count: number): void;
  roots(count: number): number;
  dotColumn(x: number, count: number): number;
  keystream(firstBatch: number, target: number, count: number): void;
  block(rounds: number, in0: number, in1: number, in2: number, in3: number): void;
  gaussian(position: number, target: number, count: number): number;
  exponential(position: number, target: number, count: number, signed: number): number;
  hashWords(source: number, bytes: number): void;
  hashFinish(): void;
}

/** Kernels that read dense rows, of 64 bits. */
interface RowKernels {
  margins(from: number, to: number, columns: number, w: number): void;
  accumulate(from: number, to: number, columns: number, out: number): void;
  squaredNorms(count: number, columns: number): void;
  clippedGradient(
    slope: number,
    labels: number,
    norms: number,
    indices: number,
    first: number,
    count: number,
    columns: number,
    w: number,
    inverseRadius: number,
    out: number,
    block: number,
    access: number,
  ): void;
  clippedPair(
    slope: number,
    count: number,
    columns: number,
    w: number,
    v: number,
    a: number,
    b: number,
    inverseRadius: number,
    out: number,
    block: number,
    access: number,
  ): void;
}

/** The same for rows of 32 bits. */
type RowKernels32 = { [Name in keyof RowKernels as `${Name}32`]: RowKernels[Name] };

/** The matrix, its rows, and positions among them. */
type SparseJob = [
  starts: number,
  columns: number,
  values: number,
  indices: number,
  first: number,
  from: number,
  to: number,
];

type StepKernel = (
  z: number,
  grid: number,
  old: number,
  before: number,
  after: number,
  x: number,
  targets: number,
  count: number,
  radius: number,
) => number;

const modules = new Map<boolean, WasmModule>();

/** The compiled kernels, for shared or for plain memory; compiled once. */
export function kernelModule(shared: boolean): WasmModule {
  let module = modules.get(shared);
  if (module === undefined) {
    const packed = Uint8Array.from(atob(kernelsPacked), code);
    const bytes = inflateSync(packed, { out: new Uint8Array(kernelsLength) });
    if (shared) bytes[memoryFlags(bytes)] = 3;
    module = new (wasm().Module)(bytes);
    modules.set(shared, module);
  }
  return module;
}

/** The kernels on `memory`, for one of the threads that share it; thread 0 is the one that owns the arena. */
export function instantiate(module: WasmModule, memory: WasmMemory, thread = 0): Kernels {
  return new (wasm().Instance)(module, { env: { memory, shift: thread * SHIFT } }).exports as Kernels;
}

/** Position of the imported memory's limits flag: "has a maximum" (1) or "has a maximum, is shared" (3). */
function memoryFlags(bytes: Uint8Array): number {
  const name = [3, ...Array.from('env', code), 6, ...Array.from('memory', code), 2, 1];
  for (let at = 0; at + name.length < bytes.length; at++) {
    if (name.every((byte, i) => bytes[at + i] === byte)) return at + name.length - 1;
  }
  throw new TypeError('the kernels import no memory');
}

const code = (character: string): number => character.charCodeAt(0);
