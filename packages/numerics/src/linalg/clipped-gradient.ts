import { InvalidParameter } from '../errors.js';
import { accumulate } from './accumulate.js';
import type { Engine } from './arena.js';
import { clippedGradient as reference } from './clipped-gradient.reference.js';
import { onePoint } from './chunk-job.js';
import type { ClippedGradient } from './clipped-query.js';
import { clippedSlope } from './clipped-slope.js';
import { margins } from './margins.js';
import {
  isSparse,
  precisionOf,
  requireShapes,
  rowAt,
  rowsBetween,
  type MatrixView,
  type Rows,
} from './matrix.js';
import { poolFor } from './worker-pool.js';
import { addressOf, eachChunk, engineFor, placeOf, pointTo } from './on-engine.js';
import { sumsFor } from './sparse-kernels.js';

/**
 * `out += Σ clip(slope(⟨x, w⟩, y) · x)` over the chosen rows, each term clipped to ℓ2 norm `radius`. A row
 * whose margin, label, norm or slope is not finite adds exactly nothing. Results are deterministic bit for
 * bit: fixed-size chunks are added in order.
 *
 * @returns `out`.
 * @throws {InvalidParameter} when a length does not fit, a row does not exist, or the radius is not positive.
 */
export function clippedGradient(query: ClippedGradient): Float64Array {
  const { X, labels, norms, w, rows, radius, slope, coordinates, out } = query;
  requireRadius(radius);
  const sparse =
    coordinates === undefined && typeof slope === 'string' && isSparse(X) ? sumsFor(X, rows) : null;
  const engine = engineFor(X);
  if (engine === null && sparse === null) return reference(query);
  requireShapes(X, rows, {
    labels: [labels.length, X.rows],
    norms: [norms.length, X.rows],
    w: [w.length, X.columns],
    out: [out.length, coordinates?.length ?? X.columns],
  });
  if (sparse !== null && isBeside(sparse.engine, query)) sparse.clippedGradient(query);
  else if (engine !== null && typeof slope === 'string' && coordinates === undefined)
    fused(engine, X as MatrixView, query);
  else eachChunk(rows, (from, to) => piecewise(query, rowsBetween(rows, from, to), to - from));
  return out;
}

/** @throws {InvalidParameter} unless the radius is positive or Infinity. */
export function requireRadius(radius: number): void {
  if (!(radius > 0))
    throw new InvalidParameter(
      `a clipping radius of ${radius} is not allowed; give a positive number, or Infinity for no clipping`,
      { radius },
    );
}

/** Whether labels and norms lie in the memory of the kernels. */
const isBeside = (
  { memory: { buffer } }: Engine,
  { labels, norms }: Pick<ClippedGradient, 'labels' | 'norms'>,
): boolean => labels.buffer === buffer && norms.buffer === buffer;

function piecewise(
  { X, labels, norms, w, radius, slope, coordinates, out }: ClippedGradient,
  rows: Rows,
  count: number,
): void {
  const r = margins(X, w, rows, new Float64Array(count));
  for (let i = 0; i < count; i++) {
    const row = rowAt(rows, i);
    r[i] = clippedSlope(slope, r[i], labels[row], norms[row], radius);
  }
  accumulate(X, r, rows, out, coordinates);
}

/** Parameters of a chunk besides its rows; equal in all threads. */
export interface ChunkPlan {
  readonly slope: 0 | 1;
  readonly inverseRadius: number;
  readonly block: number;
  readonly access: 0 | 1 | 2;
}

const BLOCK = 16_384; // numbers of a block of rows that is to stay in the first cache levels
/**
 * Numbers of a matrix that counts as larger than the caches, in either precision: the order of a sum, and so
 * its last bits, are those of the same numbers in 64 bits.
 */
const CACHE = 3 * 2 ** 20;
/**
 * Rows that are taken at a time from a matrix larger than the caches: two from each of four places of a
 * chunk.
 */
const STREAMS = 8;
const NARROW = 40; // columns from which reading ahead matters more than computing

export function planChunks({
  X,
  rows,
  radius,
  slope,
}: Pick<ClippedGradient, 'X' | 'rows' | 'radius' | 'slope'>): ChunkPlan {
  const whole = isSparse(X) ? X.rows : (X.whole ?? X.rows);
  const large = whole * X.columns > CACHE && X.columns >= NARROW;
  const accessOf = () => {
    if (!large) return 0;
    return rows instanceof Uint32Array ? 2 : 1;
  };
  const access = accessOf();
  return {
    slope: slope === 'squared' ? 1 : 0,
    inverseRadius: 1 / radius,
    block: access === 1 ? STREAMS : Math.max(4, Math.floor(BLOCK / X.columns / 4) * 4),
    access,
  };
}

function fused(engine: Engine, X: MatrixView, query: ClippedGradient): void {
  const { rows, labels, norms, w, out } = query;
  const plan = planChunks(query);
  const atW = addressOf(engine, w, engine.iterate);
  const workerPool = poolFor(engine, query);
  if (workerPool !== null) {
    workerPool.add({ X, rows, labels, norms, w: atW, ...onePoint, ...plan }, out);
    return;
  }
  const { partial } = engine;
  eachChunk(rows, (from, to) => {
    partial.fill(0, 0, X.columns);
    fusedChunk(engine, X, query, plan, atW, from, to, partial.byteOffset);
    for (let j = 0; j < out.length; j++) out[j] += partial[j];
  });
}

/** Adds the terms of positions `[from, to)`, at most one chunk, to the array at address `target`. */
function fusedChunk(
  engine: Engine,
  X: MatrixView,
  { rows, labels, norms }: ClippedGradient,
  plan: ChunkPlan,
  w: number,
  from: number,
  to: number,
  target: number,
): void {
  const { buffer } = engine.memory;
  let { access } = plan;
  let indices = 0;
  let first = rows instanceof Uint32Array ? 0 : rows.from + from;
  let atLabels = labels.byteOffset;
  let atNorms = norms.byteOffset;
  // Rows of a list are not spread, and labels elsewhere are copied in the order of the rows.
  if (access === 1 && labels.buffer === buffer && norms.buffer === buffer) {
    const { base, rowBytes } = placeOf(X);
    engine.kernels.spread(base, rowBytes, X.rows, 0, first, to - from, atLabels, atNorms);
  } else {
    if (access === 1) access = 0;
    indices = pointTo(engine, X, rows, from, to);
  }
  if (labels.buffer !== buffer || norms.buffer !== buffer) {
    for (let i = from; i < to; i++) {
      const row = rowAt(rows, i);
      engine.labels[i - from] = labels[row];
      engine.norms[i - from] = norms[row];
    }
    first = 0;
    indices = first;
    atLabels = engine.labels.byteOffset;
    atNorms = engine.norms.byteOffset;
  }
  const { kernels } = engine;
  const kernel = precisionOf(X) === 32 ? kernels.clippedGradient32 : kernels.clippedGradient;
  kernel(
    plan.slope,
    atLabels,
    atNorms,
    indices,
    first,
    to - from,
    X.columns,
    w,
    plan.inverseRadius,
    target,
    plan.block,
    access,
  );
}
