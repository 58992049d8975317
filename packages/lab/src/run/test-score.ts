import type { Loss, Resolved, Vector } from '@lethe/core';
import { averageRisk, type LabelledRows } from '@lethe/losses';
import { margins } from '@lethe/numerics';
import { metricsOf } from '@lethe/train';
import type { TestScore } from '../experiment/results.js';
import { matrixOf } from './layout.js';

/**
 * How well points predict records that no optimizer learnt from: **not private**. A loss of labels −1 and 1
 * has an AUC and an accuracy, one whose prediction is the margin an R².
 */
export function testScorer(loss: Resolved<Loss>, held: LabelledRows): (w: Vector) => TestScore {
  const task = taskOf(loss);
  const truth = task === 'binary' ? held.labels.map((label) => (label > 0 ? 1 : 0)) : held.labels;
  return (w) => {
    const risk = averageRisk(loss, held, w);
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

/** What a linear loss predicts: the sign of a margin, or a number where its slope is 0 at margin = label. */
function taskOf({ plugin: { linear, labels }, params }: Resolved<Loss>): 'binary' | 'number' | null {
  if (linear === null) return null;
  const takes = (label: number): boolean => labels.accepts(label, params);
  if (takes(-1) && takes(1) && !takes(0)) return 'binary';
  const isAtLabel = [-2, 0, 0.5, 3].every((y) => takes(y) && linear.slope(params, y, y) === 0);
  return isAtLabel ? 'number' : null;
}

const marginsOf = (held: LabelledRows, w: Vector): Float64Array =>
  margins(matrixOf(held, 'rows'), w, { from: 0, to: held.rows }, new Float64Array(held.rows));
