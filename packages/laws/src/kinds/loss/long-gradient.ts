import { fails, holds } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { acceptedLabels, gradientAt, recordAt, valueAt, withoutLabels, withoutShape } from './points.js';

/** Every coordinate of a long gradient counts. */
export const longGradient = defineLaw<'loss'>({
  id: 'loss/long-gradient', kind: 'loss', tier: 'exact',
  statement: 'the gradient is the derivative in every coordinate, whatever the number of coordinates',
  power: 'a derivative off by one part in 100 in any coordinate, in dimensions 1, 2, 9, 16 and 65',
  exempt: (subject) => withoutLabels(subject) ?? withoutShape(subject),
  check(subject, env) {
    const convex = subject.plugin.capabilities.convex === true, step = 2 ** -9;
    let tried = 0;
    for (const length of [1, 2, 9, 16, 65]) for (const label of acceptedLabels(subject.plugin).slice(0, 3)) {
      const random = env.random(`${length} ${label}`), entries = (): readonly number[] => Array.from({ length }, () => (2 * random.uniform() - 1) / Math.sqrt(length));
      const [w, record] = [entries(), recordAt({ x: entries(), label })], here = valueAt(subject, w, record), slope = gradientAt(subject, w, record);
      for (let j = 0; j < length; j++) {
        tried++;
        const ahead = valueAt(subject, w.with(j, w[j]! + step), record) - here, behind = here - valueAt(subject, w.with(j, w[j]! - step), record);
        // Between the quotients behind and ahead where it is convex, near their mean where it is smooth, if only on bounded sets.
        const room = (convex ? 0 : 8 * Math.abs(ahead - behind)) / step + 1e-9 * (1 + Math.abs(here)) / step + 0.01 * Math.abs(slope[j]!);
        const [low, high] = [Math.min(ahead, behind) / step - room, Math.max(ahead, behind) / step + room];
        if (!(slope[j]! >= low && slope[j]! <= high)) return fails(tried, { what: `in dimension ${length} coordinate ${j} of the gradient is ${slope[j]}; differences of the loss lie from ${low} to ${high}`, measured: slope[j]!, input: { w, features: record.features, label } });
      }
    }
    return holds(tried);
  },
});
