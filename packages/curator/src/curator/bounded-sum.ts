import type { GradientTerms, LinearMean, RecordBound, Vector } from '@lethe/core';
import { accumulate, defined, margins, multiOutputRows, rowNorm } from '@lethe/numerics';
import { normsOf } from './norms-of.js';
import type { DataSet } from './attached.js';
import { eachGradient, gradientsOf } from './each-gradient.js';
import { fusedSum } from './fused-sum.js';
import { outputSum } from './output-sum.js';
import { partsOf } from './paged-records.js';
import { rowAt, rowCount, type Rows } from './members.js';

/** How a curator makes sums over records: from their rows, or also from margins that it keeps. */
export interface GradientSums {
  /** As {@link linearSum}. */
  linear(data: DataSet, rows: Rows, of: GradientTerms, mean: LinearMean, into?: Vector): Vector | null;
  /** Calls `use` with the position and the vector of each record, in slot order; the vector is lent. */
  each(data: DataSet, rows: Rows, of: GradientTerms, use: (slot: number, gradient: Vector) => void): void;
}

/**
 * `Σ_batch bound(Σ_k weight_k ∇f(at_k; z))`, each record bounded once.
 *
 * @param sums - @defaultValue from the rows
 */
export function boundedSum(
  data: DataSet,
  rows: Rows,
  of: GradientTerms,
  { linear, boundInPlace }: RecordBound,
  sums: GradientSums = rowSums,
): Vector {
  const known = linear === null ? null : sums.linear(data, rows, of, linear);
  if (known !== null) return known;
  const out = new Float64Array(of.coordinates?.length ?? data.dimension);
  sums.each(data, rows, of, (_slot, gradient) => {
    boundInPlace(gradient);
    for (let j = 0; j < out.length; j++) out[j] += gradient[j];
  });
  return out;
}

/**
 * `Σ_batch bound(Σ_k weight_k ∇f(at_k; z) − centre)`; a null record adds 0. Each residual is formed before it
 * is bounded: its norm by margins would be a difference of large numbers, whose rounding no sensitivity
 * covers.
 */
export function centredSum(
  data: DataSet,
  rows: Rows,
  of: GradientTerms,
  { bound: { boundInPlace }, centre }: { readonly bound: RecordBound; readonly centre: Vector },
): Vector {
  const out = new Float64Array(data.dimension);
  for (const residual of gradientsOf(data, rows, of, centre)) {
    boundInPlace(residual);
    for (let j = 0; j < out.length; j++) out[j] += residual[j];
  }
  return out;
}

/**
 * `Σ_batch factor(norms of z) z` for `z = Σ_k weight_k ∇f(at_k; z)` without any gradient: by the loss's fused
 * sum where the factor is a projection, else by its outputs, or by its margin, where a norm is |slope|·‖x‖.
 * `null` for other losses.
 *
 * @param into - Zeros, to which a fused sum is written, `[dimension]`. @defaultValue new memory
 */
function linearSum(
  data: DataSet,
  rows: Rows,
  of: GradientTerms,
  mean: LinearMean,
  into?: Vector,
): Vector | null {
  return data.paged === null ? sumInMemory(data, rows, of, mean, into) : sumOfParts(data, rows, of, mean);
}

/** @param into - What is added to. @defaultValue zeros */
const sumInMemory = (
  data: DataSet,
  rows: Rows,
  of: GradientTerms,
  mean: LinearMean,
  into?: Vector,
): Vector | null =>
  fusedSum(data, rows, of, mean.radius, into) ??
  outputSum(data, rows, of, mean, into) ??
  (data.loss.plugin.linear === null ? null : marginSum(data, rows, of, mean, into));

function sumOfParts(data: DataSet, rows: Rows, of: GradientTerms, mean: LinearMean): Vector | null {
  const out = new Float64Array(of.coordinates?.length ?? data.dimension);
  const step = data.loss.plugin.multiOutput === null ? undefined : multiOutputRows(data.columns);
  for (const part of partsOf(data, rows, step))
    if (sumInMemory(part.data, part.rows, of, mean, out) === null) return null;
  return out;
}

/** Sums that are made from the rows of the records. */
export const rowSums: GradientSums = { linear: linearSum, each: eachGradient };

/**
 * What each record's features are multiplied by in {@link linearSum}, of a loss of one margin: its slope,
 * held to the bound; 0 for a null record, and for a gradient that is not finite.
 *
 * @param marginsAt - Writes the margin of every row. @defaultValue by the matrix
 * @returns `[number of rows]`, in their order.
 */
export function coefficientsOf(
  data: DataSet,
  rows: Rows,
  { terms, coordinates }: GradientTerms,
  mean: LinearMean,
  marginsAt = (point: Vector, out: Vector): Vector => margins(data.matrix, point, rows, out),
): Vector {
  const { matrix, labels, nulls, loss } = data;
  const linear = defined(loss.plugin.linear);
  const count = rowCount(rows);
  const slopes = new Float64Array(count);
  const at = new Float64Array(count);
  const known = new Float64Array(count); // read in a loop of its own, so that no label waits for a slope
  for (let i = 0; i < count; i++) known[i] = labels[rowAt(rows, i)];
  for (const { weight, at: point } of terms) {
    marginsAt(point, at);
    for (let i = 0; i < count; i++) slopes[i] += weight * linear.slope(loss.params, at[i], known[i]);
  }
  const norms = normsOf(mean);
  const whole = coordinates === undefined ? norms.map((norm) => data.normsIn(norm)) : null;
  if (whole?.length === 1) {
    for (let i = 0; i < count; i++) known[i] = whole[0][rowAt(rows, i)];
    for (let i = 0; i < count; i++) {
      const length = Math.abs(slopes[i]) * known[i];
      const ok = Number.isFinite(length) && nulls?.[rowAt(rows, i)] !== 1;
      slopes[i] = ok ? slopes[i] * mean.factor(length) : 0;
    }
    return slopes;
  }
  const lengths = norms.map(() => 0);
  for (let i = 0; i < count; i++) {
    const row = rowAt(rows, i);
    const size = Math.abs(slopes[i]);
    let ok = nulls?.[row] !== 1;
    for (let k = 0; k < lengths.length; k++) {
      lengths[k] = size * (whole === null ? rowNorm(matrix, row, norms[k], coordinates) : whole[k][row]);
      // A gradient that is not finite counts as zero, as a null record does: nothing about it may be told.
      ok &&= Number.isFinite(lengths[k]);
    }
    slopes[i] = ok ? slopes[i] * mean.factor(...lengths) : 0;
  }
  return slopes;
}

function marginSum(data: DataSet, rows: Rows, of: GradientTerms, mean: LinearMean, into?: Vector): Vector {
  const { coordinates } = of;
  const out = into ?? new Float64Array(coordinates?.length ?? data.dimension);
  accumulate(data.matrix, coefficientsOf(data, rows, of, mean), rows, out, coordinates);
  return out;
}
