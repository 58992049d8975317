import { defined } from '@lethe/numerics';
import { gaussLegendre } from '../../divergence/gauss-legendre.js';
import { fails, holds } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { acceptedLabels, valueRounding, withoutLabels } from './points.js';

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

/** Margins around labels, cells of them that are looked at first, and the width of the last. */
const [reach, cells, finest] = [4, 128, 2 ** -24];
/** Cells of the least width in which a slope may jump. */
const jumps = 8;
const rule = gaussLegendre(6);

/** The value grows by the integral of the slope: also around kinks, wherever they are. */
export const slopeOfValue = defineLaw<'loss'>({
  id: 'loss/slope-of-value',
  kind: 'loss',
  tier: 'exact',
  statement:
    'between two margins the value of a loss of a linear model grows by the integral of its slope, but for ' +
    'up to eight jumps in a sixteenth',
  power:
    'a slope that is wrong by a ten-thousandth on an interval of 10⁻⁷ margins, from 4 below each label ' +
    'to 4 above, that ends where the slope jumps or bends',
  exempt: (subject) =>
    withoutLabels(subject) ??
    (subject.plugin.linear === null ? 'it is no loss of a linear model' : undefined),
  check(subject) {
    const { plugin, params } = subject;
    const form = defined(plugin.linear);
    let samples = 0;
    for (const label of acceptedLabels(subject).filter((one) => Math.abs(one) <= 100)) {
      const slope = (margin: number): number => form.slope(params, margin, label);
      const value = (margin: number): number => form.value(params, margin, label);
      for (let cell = 0; cell < cells; cell++) {
        samples++;
        const [from, to] = [cell, cell + 1].map((k) => label - reach + (2 * reach * k) / cells) as [
          number,
          number,
        ];
        const wrong = graded(from, to)
          .map(([a, b]) => mismatches(value, slope, a, b)[jumps])
          .find((one) => one !== undefined);
        if (wrong === undefined) continue;
        return fails(samples, {
          what:
            `from the margin ${wrong.from} to ${wrong.to} with label ${label} the value grows by ` +
            `${wrong.grown}; the integral of the slope is ${wrong.expected}`,
          measured: wrong.grown,
          allowed: wrong.expected,
          input: { label, from: wrong.from, to: wrong.to },
        });
      }
    }
    return holds(samples);
  },
});

/** Parts of a cell, ever smaller towards its ends, where kinks are likely. */
function graded(from: number, to: number): readonly (readonly [number, number])[] {
  const width = to - from;
  const ends = Array.from({ length: 20 }, (_, k) => width * 2 ** (-k - 1));
  const places = [from, ...ends.toReversed().map((d) => from + d), ...ends.slice(1).map((d) => to - d), to];
  return places.slice(1).map((b, i) => [places[i], b] as const);
}

interface Mismatch {
  readonly from: number;
  readonly to: number;
  readonly grown: number;
  readonly expected: number;
}

/** The finest cells in which value and slope do not agree, found by halves: no more than needed. */
function mismatches(
  value: (margin: number) => number,
  slope: (margin: number) => number,
  from: number,
  to: number,
): readonly Mismatch[] {
  const width = to - from;
  const at = rule.nodes.map((node) => slope(from + (width * (1 + node)) / 2));
  const expected = (at.reduce((sum, one, i) => sum + rule.weights[i] * one, 0) * width) / 2;
  const grown = value(to) - value(from);
  const size = at.reduce((most, one) => Math.max(most, Math.abs(one)), 0);
  const rounding = valueRounding * (1 + Math.abs(value(to)) + Math.abs(value(from)));
  if (Math.abs(grown - expected) <= 1e-4 * (width <= finest ? 1 : 1e-4) * width * (1 + size) + rounding)
    return [];
  if (width <= finest) return [{ from, to, grown, expected }];
  const middle = from + width / 2;
  const left = mismatches(value, slope, from, middle);
  return left.length > jumps ? left : [...left, ...mismatches(value, slope, middle, to)];
}

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
