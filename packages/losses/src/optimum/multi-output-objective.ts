import type { Loss, MultiOutputForm, RecordView, Resolved } from '@lethe/core';
import type { Domain } from '@lethe/numerics';
import { defined } from '@lethe/numerics';
import { recordOf, type LabelledRows } from '../labelled-rows.js';
import { euclidean } from './euclidean.js';
import type { Objective } from './objective.js';

/**
 * The average of a loss with several outputs. Second derivatives in the outputs are central differences of
 * the slopes; they steer the search and are no part of its certificate.
 */
export function multiOutputObjective(
  { plugin, params }: Resolved<Loss>,
  data: LabelledRows,
  domain: Domain,
): Objective {
  const form: MultiOutputForm<unknown> = defined(plugin.multiOutput);
  const count = form.outputs(params);
  const { rows, columns } = data;
  const outputs = new Float64Array(count);
  const slopes = new Float64Array(count);
  const outputsAt = (w: Float64Array, { features }: RecordView): Float64Array => {
    for (let k = 0; k < count; k++) {
      let sum = 0;
      for (let j = 0; j < columns; j++) sum += w[k * columns + j] * features[j];
      outputs[k] = sum;
    }
    return outputs;
  };
  return {
    ...euclidean(domain),
    isQuadratic: plugin.capabilities.quadratic === true,
    valueAndGradientInto(gradient, w) {
      gradient.fill(0);
      let total = 0;
      for (let i = 0; i < rows; i++) {
        const record = recordOf(data, i);
        total += form.value(params, outputsAt(w, record), record) / rows;
        form.slopesInto(params, slopes, outputs, record);
        for (let k = 0; k < count; k++)
          for (let j = 0; j < columns; j++)
            gradient[k * columns + j] += (slopes[k] / rows) * record.features[j];
      }
      return total;
    },
    hessian(w, { stride, floor }) {
      const d = count * columns;
      const matrix = new Float64Array(d * d);
      let used = 0;
      for (let i = 0; i < rows; i += stride, used++) {
        const record = recordOf(data, i);
        const curvatures = curvaturesAt(form, params, outputsAt(w, record), record);
        for (let k = 0; k < count; k++)
          curvatures[k * count + k] = Math.max(floor, curvatures[k * count + k]);
        addKronecker(matrix, curvatures, record.features);
      }
      for (let k = 0; k < matrix.length; k++) matrix[k] /= used;
      return matrix;
    },
  };
}

/** `[K, K]`, symmetric. */
function curvaturesAt(
  form: MultiOutputForm<unknown>,
  params: unknown,
  outputs: Float64Array,
  record: RecordView,
): Float64Array {
  const count = outputs.length;
  const out = new Float64Array(count * count);
  const ahead = new Float64Array(count);
  const behind = new Float64Array(count);
  for (let k = 0; k < count; k++) {
    const at = outputs[k];
    const step = 1e-5 * (1 + Math.abs(at));
    form.slopesInto(params, ahead, outputs.with(k, at + step), record);
    form.slopesInto(params, behind, outputs.with(k, at - step), record);
    for (let l = 0; l < count; l++) {
      const half = (ahead[l] - behind[l]) / (4 * step);
      out[k * count + l] += half;
      out[l * count + k] += half;
    }
  }
  return out;
}

/** `matrix += curvatures ⊗ x xᵀ`. */
function addKronecker(matrix: Float64Array, curvatures: Float64Array, x: Float64Array): void {
  const count = Math.sqrt(curvatures.length);
  const { length } = x;
  const d = count * length;
  for (let k = 0; k < count; k++) {
    for (let l = 0; l < count; l++) {
      const weight = curvatures[k * count + l];
      for (let i = 0; i < length; i++)
        for (let j = 0; j < length; j++)
          matrix[(k * length + i) * d + l * length + j] += weight * x[i] * x[j];
    }
  }
}
