import { createArena, margins, rowNorms } from '@lethe/numerics';

const FEATURES = 1;
const TRUTH = 2;
const POINT = 3;
const LABELS = 4;

/**
 * Writes numbers in (−1/2, 1/2) times `scale`: a hash of `from + k`, exactly as in reference/data.py.
 * @template {Float64Array | Float32Array} Numbers
 * @param {Numbers} out
 * @param {number} salt
 * @param {number} scale
 */
function hashInto(out, salt, scale) {
  const mark = Math.imul(salt, 0x3c6ef372);
  for (let k = 0; k < out.length; k++) {
    let h = Math.imul(k, 0x9e3779b1) ^ mark;
    h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
    h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
    h ^= h >>> 16;
    out[k] = (((h >>> 0) + 0.5) * 2 ** -32 - 0.5) * scale;
  }
  return out;
}

/**
 * Records of a logistic model with rows of norm about 1, in the kernels' memory; not timed.
 * @param {number} n
 * @param {number} d
 * @param {32 | 64} [precision] bits of a feature
 */
export function makeRecords(n, d, precision = 64) {
  const arena = createArena({ doubles: (n * d * precision) / 64 + 5 * n + 128 * d + 131_072 });
  const features = precision === 32 ? arena.allocateSingles(n * d) : arena.allocate(n * d);
  const X = {
    data: hashInto(features, FEATURES, Math.sqrt(12 / d)),
    rows: n,
    columns: d,
    offset: 0,
    rowStride: d,
    columnStride: 1,
  };
  const allRecords = { from: 0, to: n };
  const labels = margins(X, hashInto(new Float64Array(d), TRUTH, 10), allRecords, arena.allocate(n));
  const coin = hashInto(new Float64Array(n), LABELS, 1);
  for (let i = 0; i < n; i++) labels[i] = coin[i] + 0.5 < 1 / (1 + Math.exp(-labels[i])) ? 1 : -1;
  const norms = rowNorms(X, arena.allocate(n));
  return { n, d, precision, X, labels, norms, allRecords, w: hashInto(new Float64Array(d), POINT, 4), arena };
}

/**
 * The same with contiguous columns: feature k is numbered column by column.
 * @param {number} n
 * @param {number} d
 */
export function makeColumns(n, d) {
  const arena = createArena({ doubles: n * d + 12 * n + 128 * d + 131_072 });
  const X = {
    data: hashInto(arena.allocate(n * d), FEATURES, Math.sqrt(12 / d)),
    rows: n,
    columns: d,
    offset: 0,
    rowStride: 1,
    columnStride: n,
  };
  const truth = hashInto(new Float64Array(d), TRUTH, 10);
  const labels = new Float64Array(n);
  for (let j = 0, k = 0; j < d; j++) for (let i = 0; i < n; i++, k++) labels[i] += X.data[k] * truth[j];
  const coin = hashInto(new Float64Array(n), LABELS, 1);
  for (let i = 0; i < n; i++) labels[i] = coin[i] + 0.5 < 1 / (1 + Math.exp(-labels[i])) ? 1 : -1;
  return { X, labels };
}

/** @typedef {ReturnType<typeof makeRecords>} Records */

/** @type {Records | null} */
let latest = null;

/**
 * The records of one size; those of the previous size are released first.
 * @param {number} n
 * @param {number} d
 * @param {32 | 64} [precision] bits of a feature
 */
export function recordsOf(n, d, precision = 64) {
  if (latest?.n === n && latest.d === d && latest.precision === precision) return latest;
  latest = null;
  return (latest = makeRecords(n, d, precision));
}
