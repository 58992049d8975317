import type { RandomSource } from '@lethe/core';
import { fails, holds } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { outcomeOf } from '../curator/outcomes.js';
import {
  acceptedLabels,
  dimensionOf,
  gradientAt,
  recordAt,
  valueAt,
  withoutLabels,
  withoutShape,
} from './points.js';

const lengths = [1, 2, 9, 16, 65, 300, 1100];
/** Entries of a point up to which each coordinate is tried. */
const most = 200;

/** The first and last coordinates of a long gradient, and some between; all of a shorter one. */
const coordinatesOf = (dimension: number, random: RandomSource): readonly number[] =>
  dimension <= most
    ? Array.from({ length: dimension }, (_, j) => j)
    : [
        0,
        dimension - 2,
        dimension - 1,
        ...Array.from({ length: 9 }, () => Math.floor(random.uniform() * dimension)),
      ];

/** Every coordinate of a long gradient counts. */
export const longGradient = defineLaw<'loss'>({
  id: 'loss/long-gradient',
  kind: 'loss',
  tier: 'exact',
  elsewhere: 1,
  statement: 'the gradient is the derivative in every coordinate, whatever the number of coordinates',
  power:
    'a derivative off by one part in 100 in any coordinate, with 1, 2, 9, 16 and 65 columns, ' +
    'and of twelve coordinates with 300 and 1 100',
  exempt: (subject) => withoutLabels(subject) ?? withoutShape(subject),
  check(subject, env) {
    const convex = subject.plugin.capabilities.convex === true;
    const step = 2 ** -9;
    let tried = 0;
    for (const length of lengths)
      for (const label of acceptedLabels(subject).slice(0, length > most ? 1 : 3)) {
        const dimension = outcomeOf(() => dimensionOf(subject, length));
        if ('refused' in dimension) continue;
        const random = env.random(`${length} ${label}`);
        const entries = (count: number): readonly number[] =>
          Array.from({ length: count }, () => (2 * random.uniform() - 1) / Math.sqrt(length));
        const [w, record] = [entries(dimension.value), recordAt(subject, { x: entries(length), label })];
        const here = valueAt(subject, w, record);
        const slope = gradientAt(subject, w, record);
        for (const j of coordinatesOf(w.length, random)) {
          tried++;
          const ahead = valueAt(subject, w.with(j, w[j] + step), record) - here;
          const behind = here - valueAt(subject, w.with(j, w[j] - step), record);
          // Between the quotients behind and ahead where it is convex,
          // near their mean where it is smooth, if only on bounded sets.
          const room =
            (convex ? 0 : 8 * Math.abs(ahead - behind)) / step +
            (1e-9 * (1 + Math.abs(here))) / step +
            0.01 * Math.abs(slope[j]);
          const [low, high] = [Math.min(ahead, behind) / step - room, Math.max(ahead, behind) / step + room];
          if (!(slope[j] >= low && slope[j] <= high))
            return fails(tried, {
              what:
                `with ${length} columns coordinate ${j} of the gradient is ${slope[j]}; ` +
                `differences of the loss lie from ${low} to ${high}`,
              measured: slope[j],
              input: { w, features: record.features, label },
            });
        }
      }
    return holds(tried);
  },
});
