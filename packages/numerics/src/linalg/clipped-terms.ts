import { InvalidParameter } from '../errors.js';
import type { Engine } from './arena.js';
import { sumPair } from './chunk-job.js';
import { planChunks, requireRadius } from './clipped-gradient.js';
import type { ClippedTerms } from './clipped-query.js';
import { slopeAt } from './clipped-slope.js';
import {
  isSparse,
  noSuchRow,
  precisionOf,
  requireShapes,
  rowAt,
  rowCount,
  type MatrixView,
} from './matrix.js';
import { addressOf, eachChunk, engineFor, placeOf } from './on-engine.js';
import { sumsFor } from './sparse-kernels.js';
import { sumByMargins } from './sum-by-margins.js';
import { poolFor } from './worker-pool.js';

/**
 * `out += Σ clip(Σ_k weight_k slope(⟨x, at_k⟩, y) · x)` over the chosen rows, each row's sum of terms clipped
 * once, to ℓ2 norm `radius`. Each row is read from memory once, whatever the number of terms. A row of which
 * a margin, the label, the norm or the total slope is not finite adds exactly nothing. Same input, same bits.
 *
 * @returns `out`.
 * @throws {InvalidParameter} when there is no term, a length does not fit, a row does not exist, or the
 * radius is not positive.
 */
export function clippedTerms(query: ClippedTerms): Float64Array {
  const { X, labels, norms, terms, rows, radius, out } = query;
  requireRadius(radius);
  if (terms.length === 0) throw new InvalidParameter('a sum of no terms was asked for; give one or more', {});
  requireShapes(X, rows, {
    labels: [labels.length, X.rows],
    norms: [norms.length, X.rows],
    out: [out.length, X.columns],
  });
  for (let k = 0; k < terms.length; k++)
    if (terms[k].at.length !== X.columns)
      requireShapes(X, rows, { [`terms[${k}].at`]: [terms[k].at.length, X.columns] });
  const sparse = isSparse(X) ? sumsFor(X, rows) : null;
  const engine = engineFor(X);
  if (sparse !== null && isPair(sparse.engine, query)) sparse.clippedPair(query);
  else if (engine !== null && isPair(engine, query)) sumOfPairs(engine, X as MatrixView, query);
  else
    sumByMargins({
      X,
      points: terms.map(({ at }) => at),
      rows,
      out,
      coefficientsInPlace(margins, some) {
        for (let i = 0; i < margins[0].length; i++)
          margins[0][i] = coefficient(query, margins, i, rowAt(some, i));
      },
    });
  return out;
}

/**
 * The factor of a row in the sum: the total slope, shortened to `radius / norm`; 0 if anything is not finite.
 */
function coefficient(
  { terms, labels, norms, radius, slope }: ClippedTerms,
  margins: readonly Float64Array[],
  position: number,
  row: number,
): number {
  const label = labels[row];
  const norm = norms[row];
  let total = 0;
  let ok = Number.isFinite(label) && Number.isFinite(norm);
  for (let k = 0; k < terms.length; k++) {
    const margin = margins[k][position];
    ok &&= Number.isFinite(margin);
    total += terms[k].weight * slopeAt(slope, margin, label);
  }
  const value = total / Math.max(1, Math.abs(total) * (norm / radius));
  return ok && Number.isFinite(value) ? value : 0;
}

/**
 * Whether the kernel of two points takes the query: for a slope it knows, with labels and norms in its
 * memory.
 */
const isPair = (engine: Engine, { terms, slope, labels, norms }: ClippedTerms): boolean =>
  terms.length === 2 &&
  typeof slope === 'string' &&
  labels.buffer === engine.memory.buffer &&
  norms.buffer === engine.memory.buffer;

function sumOfPairs(engine: Engine, X: MatrixView, query: ClippedTerms): void {
  const { rows, labels, norms, terms, out } = query;
  const [first, second] = terms;
  const plan = planChunks(query);
  const points = {
    w: addressOf(engine, first.at, engine.iterate),
    v: addressOf(engine, second.at, engine.otherPoint),
    a: first.weight,
    b: second.weight,
    ...plan,
  };
  const workerPool = poolFor(engine, query);
  if (workerPool !== null) {
    workerPool.add({ X, rows, labels, norms, points: 2, ...points }, out);
    return;
  }
  const job = {
    ...placeOf(X),
    precision: precisionOf(X),
    rows: X.rows,
    columns: X.columns,
    labels: labels.byteOffset,
    norms: norms.byteOffset,
    ...points,
  };
  const { kernels, partial } = engine;
  eachChunk(rows, (from, to) => {
    const chosen = { indices: 0, first: 0, count: to - from };
    if (!(rows instanceof Uint32Array)) chosen.first = rows.from + from;
    else if (rows.buffer === engine.memory.buffer) chosen.indices = rows.byteOffset + 4 * from;
    else {
      engine.rowIndices.set(to - from === rowCount(rows) ? rows : rows.subarray(from, to));
      chosen.indices = engine.rowIndices.byteOffset;
    }
    if (!sumPair(kernels, job, chosen, partial)) throw noSuchRow(X.rows);
    for (let j = 0; j < out.length; j++) out[j] += partial[j];
  });
}
