import {
  coordinateMargins, coordinateSpace, type CoordinateSpace, type FusedCoordinates, type MatrixView,
} from '@lethe/numerics';
import type { Term, Vector } from '../query/query.js';
import { isSparse, type DataSet } from './data-set.js';
import type { RecordBound } from './sensitivity.js';

interface Prepared { readonly space: CoordinateSpace; readonly fused: FusedCoordinates | undefined; readonly targets: Float64Array | null }
const prepared = new WeakMap<DataSet, Prepared>();

/** Which data sets keep margins: dense ones of linear models. */
export const keepsMargins = ({ loss, stored }: DataSet): boolean => loss.plugin.linear !== null && !isSparse(stored);

/** One bounded sum of coordinates: a term over a stretch of stored rows. */
export interface CoordinateSum {
  readonly rows: { readonly from: number; readonly to: number };
  readonly term: Term;
  readonly coordinates: Uint32Array;
  readonly bound: RecordBound;
  /** The factor of a bound that scales by the ℓ2 norm; null for others. */
  readonly factor: ((length: number) => number) | null;
}

/**
 * `Σ_rows bound(weight ∇f(at; z) restricted to coordinates)` of a data set that {@link keepsMargins}: margins are brought up to date by
 * the columns whose entry of `at` changed since an earlier answer, and no column is read but these and those asked for. What
 * earlier answers left behind never shows in the result.
 */
export function coordinateSum(data: DataSet, sum: CoordinateSum): Vector {
  const { rows, term: { weight, at }, coordinates, bound } = sum;
  const { space, fused, targets } = prepare(data);
  const projects = bound.clip === null ? bound.norm === 'l2' : bound.clip.plugin.isProjection;
  if (fused !== undefined && targets !== null && projects && weight === 1) {
    return fused.gradient(space, { rows, w: at, coordinates, targets, radius: bound.radius });
  }
  return rowByRow(data, space, sum);
}

function prepare(data: DataSet): Prepared {
  let found = prepared.get(data);
  if (found === undefined) {
    const { loss: { plugin, params }, labels, nulls } = data, fused = plugin.linear!.fused?.(params).coordinates;
    const space = coordinateSpace(data.stored as MatrixView, data.norms, { coarse: fused?.coarse ?? false });
    const targets = fused === undefined ? null : space.columns.beside();
    found = { space, fused, targets: targets !== null && fused!.targetsInto(targets, labels, nulls) ? targets : null };
    prepared.set(data, found);
  }
  return found;
}

/** For any slope and any bound, in the order of the rows. */
function rowByRow(data: DataSet, space: CoordinateSpace, { rows, term: { weight, at }, coordinates, bound, factor }: CoordinateSum): Vector {
  const { plugin, params } = data.loss;
  const out = new Float64Array(coordinates.length);
  const margins = coordinateMargins(space, at, rows);
  const columns = Array.from(coordinates, (j) => space.columns.column(j));
  const gradient = new Float64Array(coordinates.length);
  for (let row = rows.from; row < rows.to; row++) {
    const margin = margins[row]!;
    const isNothing = data.nulls?.[row] === 1 || !Number.isFinite(margin);
    const slope = isNothing ? 0 : weight * plugin.linear!.slope(params, margin, data.labels[row]!);
    for (let k = 0; k < gradient.length; k++) gradient[k] = slope * columns[k]![row]!;
    // A gradient that is not finite counts as zero, as a null record does: nothing about it may be told.
    if (!gradient.every(Number.isFinite)) gradient.fill(0);
    if (factor === null) bound.clip!.plugin.clipInPlace(bound.clip!.params, gradient);
    const scale = factor === null ? 1 : factor(lengthOf(gradient));
    for (let k = 0; k < out.length; k++) out[k]! += gradient[k]! * scale;
  }
  return out;
}

/** ‖v‖₂, without overflow of squares. */
function lengthOf(v: Vector): number {
  let largest = 0;
  for (const entry of v) largest = Math.max(largest, Math.abs(entry));
  if (largest === 0) return 0;
  let sum = 0;
  for (const entry of v) sum += (entry / largest) ** 2;
  return largest * Math.sqrt(sum);
}
