import type { GradientTerms, LinearMean, Norm, Term, Vector } from '@lethe/core';
import {
  vectorNorm,
  coordinateMargins,
  coordinateSpace,
  type CoordinateSpace,
  defined,
  type FusedCoordinates,
  type MatrixView,
} from '@lethe/numerics';
import { rowSums, type GradientSums } from './bounded-sum.js';
import { isSparse, type DataSet } from './attached.js';
import type { Rows } from './members.js';
import { normsOf } from './norms-of.js';

interface Prepared {
  readonly space: CoordinateSpace;
  readonly fused: FusedCoordinates | undefined;
  readonly targets: Float64Array | null;
}
const prepared = new WeakMap<DataSet, Prepared>();

/**
 * Sums that are made from the rows, but that single terms restricted to coordinates keep their margins from
 * answer to answer.
 */
export const keptSums: GradientSums = {
  linear(data, rows, of, mean, into) {
    const along = coordinateTermOf(data, rows, of);
    return along === null ? rowSums.linear(data, rows, of, mean, into) : coordinateSum(data, along, mean);
  },
  each(data, rows, of, use) {
    const along = coordinateTermOf(data, rows, of);
    if (along === null) rowSums.each(data, rows, of, use);
    else coordinateGradients(data, along, use);
  },
};

/** A single term over some coordinates of a range of rows, where the data keep margins. */
const coordinateTermOf = (
  data: DataSet,
  rows: Rows,
  { terms, coordinates }: GradientTerms,
): CoordinateTerm | null =>
  coordinates !== undefined && keepsMargins(data) && terms.length === 1 && !(rows instanceof Uint32Array)
    ? { rows, term: terms[0], coordinates }
    : null;

/** Which data sets keep margins: dense ones of linear models in memory, and no parts of others. */
const keepsMargins = (data: DataSet): boolean =>
  data.paged === null &&
  data.loss.plugin.linear !== null &&
  !isSparse(data.stored) &&
  data.stored.whole === undefined;

/** One term along some coordinates, over a range of stored rows. */
interface CoordinateTerm {
  readonly rows: { readonly from: number; readonly to: number };
  readonly term: Term;
  readonly coordinates: Uint32Array;
}

/**
 * `Σ_rows factor(‖z‖) z` for `z = weight ∇f(at; z)` restricted to coordinates, of a data set that
 * {@link keepsMargins}: margins are brought up to date by the columns whose entry of `at` changed since an
 * earlier answer, and no column is read but these and those asked for. What earlier answers left behind never
 * shows in the result.
 */
function coordinateSum(data: DataSet, sum: CoordinateTerm, mean: LinearMean): Vector {
  const { radius } = mean;
  const norms = normsOf(mean);
  const {
    rows,
    term: { weight, at },
    coordinates,
  } = sum;
  const { space, fused, targets } = prepare(data);
  if (fused !== undefined && targets !== null && radius !== null && weight === 1) {
    return fused.gradient(space, { rows, w: at, coordinates, targets, radius });
  }
  const out = new Float64Array(coordinates.length);
  coordinateGradients(data, sum, (_slot, gradient) => {
    const scale = mean.factor(...norms.map((norm) => lengthOf(gradient, norm)));
    for (let k = 0; k < out.length; k++) out[k] += gradient[k] * scale;
  });
  return out;
}

function prepare(data: DataSet): Prepared {
  let found = prepared.get(data);
  if (found === undefined) {
    const {
      loss: { plugin, params },
      labels,
      nulls,
    } = data;
    const fused = defined(plugin.linear).fused?.(params).coordinates;
    const space = coordinateSpace(data.stored as MatrixView, data.norms, { coarse: fused?.coarse ?? false });
    const targets = fused === undefined ? null : space.columns.beside();
    found = {
      space,
      fused,
      targets: targets !== null && defined(fused).targetsInto(targets, labels, nulls) ? targets : null,
    };
    prepared.set(data, found);
  }
  return found;
}

/**
 * Calls `use` with the position and the vector of each row, in
 * order, from the margins that are kept; the vector is lent.
 */
function coordinateGradients(
  data: DataSet,
  { rows, term: { weight, at }, coordinates }: CoordinateTerm,
  use: (slot: number, gradient: Vector) => void,
): void {
  const { plugin, params } = data.loss;
  const { space } = prepare(data);
  const margins = coordinateMargins(space, at, rows);
  const columns = Array.from(coordinates, (j) => space.columns.column(j));
  const gradient = new Float64Array(coordinates.length);
  for (let row = rows.from; row < rows.to; row++) {
    const margin = margins[row];
    const isNothing = data.nulls?.[row] === 1 || !Number.isFinite(margin);
    const slope = isNothing ? 0 : weight * defined(plugin.linear).slope(params, margin, data.labels[row]);
    for (let k = 0; k < gradient.length; k++) gradient[k] = slope * columns[k][row];
    // A gradient that is not finite counts as zero, as a null record does: nothing about it may be told.
    if (!gradient.every(Number.isFinite)) gradient.fill(0);
    use(row - rows.from, gradient);
  }
}

/** A norm, in ℓ2 with the roundings that answers have always had. */
function lengthOf(v: Vector, norm: Norm): number {
  if (norm !== 'l2') return vectorNorm(v, norm);
  let largest = 0;
  for (const entry of v) largest = Math.max(largest, Math.abs(entry));
  if (largest === 0) return 0;
  let sum = 0;
  for (const entry of v) sum += (entry / largest) ** 2;
  return largest * Math.sqrt(sum);
}
