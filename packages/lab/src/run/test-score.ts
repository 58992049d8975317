import type { Loss, Resolved, Vector } from '@lethe/core';
import { averageRisk, type LabelledRows } from '@lethe/losses';
import { defined, margins } from '@lethe/numerics';
import { metricsOf } from '@lethe/train';
import type { TestScore } from '../experiment/results.js';
import { matrixOf } from './layout.js';

/**
 * How well points predict records that no optimizer learnt from: **not private**. A loss of labels −1 and 1
 * has an AUC and an accuracy, one of classes the accuracy of the class with the largest output, and one whose
 * prediction is the margin an R².
 */
export function testScorer(loss: Resolved<Loss>, held: LabelledRows): (w: Vector) => TestScore {
  const task = taskOf(loss);
  const truth = task === 'binary' ? held.labels.map((label) => (label > 0 ? 1 : 0)) : held.labels;
  return (w) => {
    const risk = averageRisk(loss, held, w);
    if (task === 'classes') return { loss: risk, accuracy: shareOfRight(loss, held, w) };
    if (task === null) return { loss: risk };
    const outputs = marginsOf(held, w);
    const { auc, accuracy, r2 } = metricsOf({
      task,
      predictions: task === 'binary' ? outputs.map((margin) => 1 / (1 + Math.exp(-margin))) : outputs,
      width: 1,
      truth,
      loss: risk,
    });
    return {
      loss: risk,
      ...(auc === undefined ? {} : { auc }),
      ...(accuracy === undefined ? {} : { accuracy }),
      ...(r2 === undefined ? {} : { r2 }),
    };
  };
}

/** What a loss predicts: a class, the sign of a margin, or a number if its slope is 0 at margin = label. */
function taskOf({
  plugin: { linear, multiOutput, labels },
  params,
}: Resolved<Loss>): 'classes' | 'binary' | 'number' | null {
  const takes = (label: number): boolean => labels.accepts(label, params);
  if (multiOutput !== null) return takes(0) && takes(1) && !takes(0.5) ? 'classes' : null;
  if (linear === null) return null;
  if (takes(-1) && takes(1) && !takes(0)) return 'binary';
  const isAtLabel = [-2, 0, 0.5, 3].every((y) => takes(y) && linear.slope(params, y, y) === 0);
  return isAtLabel ? 'number' : null;
}

/** How often the largest of the outputs `⟨w_k, x⟩` is that of the record's class. */
function shareOfRight({ plugin, params }: Resolved<Loss>, held: LabelledRows, w: Vector): number {
  const classes = defined(plugin.multiOutput).outputs(params);
  const { rows, columns, labels } = held;
  const outputs = Array.from({ length: classes }, (_, k) =>
    marginsOf(held, w.subarray(k * columns, (k + 1) * columns)),
  );
  let right = 0;
  for (let i = 0; i < rows; i++) {
    let best = 0;
    for (let k = 1; k < classes; k++) if (outputs[k][i] > outputs[best][i]) best = k;
    if (best === labels[i]) right++;
  }
  return right / rows;
}

const marginsOf = (held: LabelledRows, w: Vector): Float64Array =>
  margins(matrixOf(held, 'rows'), w, { from: 0, to: held.rows }, new Float64Array(held.rows));
