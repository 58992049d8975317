import type { Sensitivity } from '../adjacency.js';
import { norm2 } from '../domains/vectors.js';
import { Unsupported } from '../errors.js';
import { margins } from '../linalg/index.js';
import type { Statistic, Vector } from '../query/query.js';
import { divideUp } from '../rounding/index.js';
import { boundedSum } from './bounded-sum.js';
import type { CuratorContext } from './context.js';
import { readRowInto } from './each-gradient.js';
import { rowAt, rowCount, type Rows } from './members.js';
import { boundedMeanSensitivity, certifiedFact, recordBound } from './sensitivity.js';
import { assertVector } from './validate.js';

/** A scalar of a batch whose sensitivity follows from facts. */
export interface PlannedStatistic { readonly sensitivity: Sensitivity; valueAt(point: Vector, rows: Rows): number }

/**
 * Works out a statistic from public values. Per-record losses are held to the certified range `[0, B]`, null records count
 * with the declared constant 0, so the sensitivities hold for every data set.
 *
 * @throws {Unsupported} when the data set has no `every-record` range.
 */
export function planStatistic(context: CuratorContext, statistic: Statistic, normaliser: number): PlannedStatistic {
  if (statistic.of === 'gradient-norm') {
    const bound = recordBound(context, statistic.bound, [{ weight: 1, at: new Float64Array(context.data.dimension) }]);
    if (bound.norm === 'linf') throw new Unsupported('a gradient norm needs records bounded in l2 or l1; a bound in linf does not bound it', { norm: bound.norm });
    return {
      sensitivity: boundedMeanSensitivity(bound.radius, normaliser),
      valueAt: (at, rows) => norm2(boundedSum(context.data, rows, { terms: [{ weight: 1, at }] }, bound)) / normaliser,
    };
  }
  const range = certifiedFact(context.data.facts, 'range');
  const one = divideUp(range, normaliser);
  const losses = (at: Vector, rows: Rows): Float64Array => lossesAt(context, at, rows, range);
  if (statistic.of === 'risk') {
    return { sensitivity: { 'replace-one': one, 'add-remove': one, 'zero-out': one }, valueAt: (at, rows) => total(losses(at, rows)) / normaliser };
  }
  const { reference } = statistic;
  assertVector('the reference point', reference, context.data.dimension);
  return {
    sensitivity: { 'replace-one': 2 * one, 'add-remove': one, 'zero-out': one },
    valueAt: (at, rows) => (total(losses(at, rows)) - total(losses(reference, rows))) / normaliser,
  };
}

function lossesAt({ data }: CuratorContext, at: Vector, rows: Rows, range: number): Float64Array {
  const { plugin, params } = data.loss;
  const out = new Float64Array(rowCount(rows));
  if (plugin.linear !== null) margins(data.matrix, at, rows, out);
  const features = new Float64Array(data.dimension);
  for (let i = 0; i < out.length; i++) {
    const row = rowAt(rows, i);
    const label = data.labels[row]!;
    if (data.nulls?.[row] === 1) { out[i] = 0; continue; }
    if (plugin.linear === null) readRowInto(data, row, features);
    const value = plugin.linear === null ? plugin.value(params, at, { features, label }) : plugin.linear.value(params, out[i]!, label);
    out[i] = Number.isNaN(value) ? 0 : Math.min(Math.max(value, 0), range);
  }
  return out;
}

function total(values: Float64Array): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}
