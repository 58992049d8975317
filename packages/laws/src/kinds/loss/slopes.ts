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

const near = [0, 0.3, -0.7, 1.5, -2.5, 4, -6, 11];
/** Step of differences, and how much of a curvature may be that of the step. */
const step = 2 ** -10;
const share = 0.1;

/** The second derivative is that of the slope. */
export const curvature = defineLaw<'loss'>({
  id: 'loss/curvature',
  kind: 'loss',
  tier: 'exact',
  statement:
    'the declared second derivative in the margin lies between the differences of the slope on either side',
  power: 'an error of a fifth at one of 8 margins near each of up to 14 labels',
  exempt: (subject) =>
    withoutLabels(subject) ??
    (subject.plugin.linear?.curvature === undefined ? 'it declares no second derivative' : undefined),
  check(subject) {
    const { plugin, params } = subject;
    const form = defined(plugin.linear);
    let samples = 0;
    for (const label of acceptedLabels(subject).filter((one) => Math.abs(one) <= 1e3))
      for (const margin of near.flatMap((height) => [height, height + label])) {
        const slope = (at: number): number => form.slope(params, at, label);
        const sides = [slope(margin) - slope(margin - step), slope(margin + step) - slope(margin)].map(
          (rise) => rise / step,
        );
        const declared = defined(form.curvature)(params, margin, label);
        const size = Math.max(...sides.map(Math.abs), Math.abs(declared));
        const room = share * size + (2 ** -50 * (1 + Math.abs(slope(margin)))) / step;
        samples++;
        if (declared >= Math.min(...sides) - room && declared <= Math.max(...sides) + room) continue;
        return fails(samples, {
          what:
            `at the margin ${margin} with label ${label} the second derivative is declared as ${declared}; ` +
            `the slope rises by ${sides[0]} per unit before it and by ${sides[1]} after`,
          measured: declared,
          allowed: Math.max(...sides),
          input: { margin, label },
        });
      }
    return holds(samples);
  },
});
