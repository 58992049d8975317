import { norm2, scaledNorm, accumulate, margins } from '@lethe/numerics';
import type { GradientTerms, Vector } from '../query/query.js';
import { coordinateSum, keepsMargins } from './coordinate-sum.js';
import type { DataSet } from './data-set.js';
import { eachGradient } from './each-gradient.js';
import { fusedSum } from './fused-sum.js';
import { outputSum } from './output-sum.js';
import { rowAt, rowCount, type Rows } from './members.js';
import type { RecordBound } from './sensitivity.js';

/**
 * `Σ_batch bound(Σ_k weight_k ∇f(at_k; z))`, each record bounded once. A loss with a fused sum uses it under a projection. Linear models, of several outputs too, under an ℓ2 scaling never materialise
 * a per-record gradient: its norm is |slope|·‖x‖. Single terms restricted to coordinates keep their margins from answer to
 * answer. Everything else goes record by record.
 */
export function boundedSum(data: DataSet, rows: Rows, of: GradientTerms, bound: RecordBound): Vector {
  const { linear } = data.loss.plugin;
  const factor = factorOf(bound);
  const [first] = of.terms;
  if (of.coordinates !== undefined && keepsMargins(data) && of.terms.length === 1 && !(rows instanceof Uint32Array)) {
    return coordinateSum(data, { rows, term: first!, coordinates: of.coordinates, bound, factor });
  }
  if (factor === null) return recordByRecord(data, rows, of, bound);
  const projects = bound.clip === null || bound.clip.plugin.isProjection;
  const fused = fusedSum(data, rows, of, projects ? bound.radius : null) ?? outputSum(data, rows, of, factor);
  if (fused !== null) return fused;
  if (linear === null) return recordByRecord(data, rows, of, bound);
  return linearSum(data, rows, of, factor);
}

type Factor = (norm: number) => number;

function factorOf({ clip, radius, norm }: RecordBound): Factor | null {
  if (clip === null) return norm === 'l2' ? (length) => (length <= radius ? 1 : radius / length) : null;
  const { plugin, params } = clip;
  return plugin.factor === null ? null : (length) => plugin.factor!(params, length);
}

function linearSum(data: DataSet, rows: Rows, { terms, coordinates }: GradientTerms, factor: Factor): Vector {
  const { plugin, params } = data.loss;
  const count = rowCount(rows);
  const slopes = new Float64Array(count);
  const at = new Float64Array(count);
  for (const { weight, at: point } of terms) {
    margins(data.matrix, point, rows, at);
    for (let i = 0; i < count; i++) slopes[i]! += weight * plugin.linear!.slope(params, at[i]!, data.labels[rowAt(rows, i)]!);
  }
  for (let i = 0; i < count; i++) {
    const row = rowAt(rows, i);
    const length = Math.abs(slopes[i]!) * (coordinates === undefined ? data.norms[row]! : scaledNorm(data.matrix, row, coordinates));
    // A gradient that is not finite counts as zero, as a null record does: nothing about it may be told.
    const ok = Number.isFinite(length) && data.nulls?.[row] !== 1;
    slopes[i] = ok ? slopes[i]! * factor(length) : 0;
  }
  const out = new Float64Array(coordinates?.length ?? data.dimension);
  accumulate(data.matrix, slopes, rows, out, coordinates);
  return out;
}

function recordByRecord(data: DataSet, rows: Rows, of: GradientTerms, bound: RecordBound): Vector {
  const out = new Float64Array(of.coordinates?.length ?? data.dimension);
  const factor = factorOf(bound);
  eachGradient(data, rows, of, (_slot, gradient) => {
    if (bound.clip !== null) bound.clip.plugin.clipInPlace(bound.clip.params, gradient);
    else {
      const scale = factor!(norm2(gradient));
      for (let j = 0; j < gradient.length; j++) gradient[j]! *= scale;
    }
    for (let j = 0; j < out.length; j++) out[j]! += gradient[j]!;
  });
  return out;
}
