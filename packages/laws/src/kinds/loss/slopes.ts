import { defined } from '@lethe/numerics';
import { fails, holds } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { acceptedLabels, withoutLabels } from './points.js';

const heights = [0, 0.5, 1, 3, 10, 40, 700, 1e4, 1e8, 1e16, 1e60, 1e150, 1e200, 1e300];

/** The slope of a convex loss of a linear model does not fall. */
export const slopes = defineLaw<'loss'>({
  id: 'loss/slopes',
  kind: 'loss',
  tier: 'exact',
  statement:
    'the slope of a convex loss of a linear model does not fall as the margin grows, ' +
    'and is a number at every finite one',
  power: 'certain between 27 margins from −10³⁰⁰ to 10³⁰⁰',
  exempt: (subject) =>
    withoutLabels(subject) ??
    (subject.plugin.linear !== null && subject.plugin.capabilities.convex === true
      ? undefined
      : 'it is no convex loss of a linear model'),
  check(subject) {
    const { plugin, params } = subject;
    const ladder = [
      ...heights
        .slice(1)
        .map((height) => -height)
        .toReversed(),
      ...heights,
    ];
    for (const label of acceptedLabels(subject)) {
      let before = { margin: -Infinity, slope: -Infinity };
      for (const [i, margin] of ladder.entries()) {
        const slope = defined(plugin.linear).slope(params, margin, label);
        const allowed = Number.isFinite(before.slope)
          ? before.slope - 2 ** -44 * Math.abs(before.slope)
          : before.slope;
        if (!(slope >= allowed))
          return fails(i + 1, {
            what:
              `at the margin ${margin} with label ${label} the slope is ${slope}, ` +
              `at the margin ${before.margin} it was ${before.slope}`,
            measured: slope,
            allowed: before.slope,
            input: { margin, label },
          });
        before = { margin, slope };
      }
    }
    return holds(ladder.length);
  },
});
