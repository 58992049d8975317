import { rowNorms } from '@lethe/numerics';
import type { Vector } from '@lethe/core';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { sameBits } from '../curator/outcomes.js';
import { columns, dimensionOf, points, recordAt, withoutLabels, type At } from './points.js';

/** All that a loss makes of a point: value, gradient, and its fused sum of one record. */
function madeOf({ plugin, params }: Subject<'loss'>, w: Vector, at: At): Vector {
  const record = recordAt({ plugin, params }, at);
  const gradient = new Float64Array(w.length);
  plugin.gradientInto(params, gradient, w, record);
  const fused = (plugin.linear ?? plugin.multiOutput)?.fused?.(params);
  const sum = new Float64Array(w.length);
  if (fused !== undefined) {
    const X = { data: record.features, rows: 1, columns, offset: 0, rowStride: columns, columnStride: 1 };
    const labels = record.labels ?? Float64Array.of(record.label);
    const norms = rowNorms(X, new Float64Array(1));
    const job = { X, labels, norms, rows: { from: 0, to: 1 }, radius: 1, out: sum };
    fused.clippedSum({ ...job, w });
    fused.clippedTerms?.({
      ...job,
      terms: [
        { weight: 2, at: w },
        { weight: -1, at: new Float64Array(w.length).fill(0.5) },
      ],
    });
  }
  return Float64Array.of(plugin.value(params, w, record), ...gradient, ...sum);
}

/** A curator reads one query after another into the same memory. */
export const lentPoints = defineLaw<'loss'>({
  id: 'loss/lent-points',
  kind: 'loss',
  tier: 'search',
  statement:
    'a point is lent for a call: when its array holds another point later, that array, and any other ' +
    'array with that point, get the value, gradient and fused sum of the point they hold, to the last bit',
  power:
    'what is remembered of a point by its array, or by what its array holds later, at 60 pairs of points',
  exempt: withoutLabels,
  check: (subject, env) =>
    env.forAll(
      points(subject),
      (at): Violation | undefined => {
        const [before, after] = [Float64Array.from(at.w), Float64Array.from(at.w, (entry) => 0.5 - entry)];
        const expected = madeOf(subject, after.slice(), at);
        const lent = new Float64Array(dimensionOf(subject));
        for (const [what, other] of [
          ['the same array', lent],
          ['another array with the point that the first now holds', after.slice()],
        ] as const) {
          lent.set(before);
          madeOf(subject, lent, at);
          lent.set(after);
          const again = madeOf(subject, other, at);
          if (!sameBits(again, expected))
            return {
              what:
                `after the array of a point holds another, ${what} gets [${again.join(', ')}]; that point ` +
                `has [${expected.join(', ')}]: the loss keeps an array that it was lent`,
              input: at,
            };
        }
        return undefined;
      },
      { runs: 60 },
    ),
});
