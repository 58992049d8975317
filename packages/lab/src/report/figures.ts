import type { Cell, EvaluationResult, ProblemResult } from '../experiment/results.js';
import { html, type Content, type Html } from './escape.js';
import { formatCount, formatNumber } from './format.js';
import { alongAxis, frameOf, type Axis, type Frame, type Place } from './frame.js';
import { legend } from './legend.js';
import { drawPanel, type Line, type Mark } from './panel.js';

/** More seeds than this are drawn as quartiles only. */
const drawnSeeds = 60;

type Made = Pick<EvaluationResult, 'label' | 'experiment' | 'problems'>;

/** The figures of a problem: excess risk against ε, one panel per n, and against n, one panel per ε. */
export function problemFigures(problem: ProblemResult, made: Made): Html {
  const frame = frameOf(problem.title, [problem], made);
  const several = (axis: Axis): boolean => valuesOf(frame, axis).length > 1;
  const figures = (['epsilon', 'n'] as const).filter(
    (axis) => several(axis) || (axis === 'epsilon' && !several('n')),
  );
  return html`${figures.map((axis) => figure(frame, axis))}`;
}

/**
 * Excess risk against the dimension, one panel per n and ε;
 * `null` unless problems of several dimensions are compared.
 */
export function dimensionFigure({ problems, experiment, label }: Made): Html | null {
  if (experiment.vary !== 'dimension' || new Set(problems.map(({ dimension }) => dimension)).size < 2)
    return null;
  return figure(frameOf('All problems', problems, { experiment, label, problems }), 'dimension');
}

const cellsOf = ({ series }: Pick<Frame, 'series'>): readonly Cell[] => series.flatMap(({ cells }) => cells);
const valuesOf = (frame: Frame, axis: Axis): readonly number[] =>
  [...new Set(cellsOf(frame).map((cell) => frame.placeOf(cell)[axis]))].toSorted((a, b) => a - b);
const fixedBy: Readonly<Record<Axis, readonly Axis[]>> = {
  epsilon: ['n'],
  n: ['epsilon'],
  dimension: ['n', 'epsilon'],
};
const along: Readonly<
  Record<
    Axis,
    { readonly label: string; readonly words: string; readonly title: string; readonly caption: string }
  >
> = {
  epsilon: { label: 'privacy budget ε', words: 'ε', title: 'the budget ε', caption: 'ε' },
  n: {
    label: 'records n',
    words: 'records n',
    title: 'the number of records',
    caption: 'the number of records learnt from',
  },
  dimension: { label: 'dimension d', words: 'dimension d', title: 'the dimension', caption: 'the dimension' },
};

function figure(frame: Frame, axis: Axis): Html {
  const { label } = frame;
  const title = `Excess risk against ${along[axis].title}`;
  return html`<figure class="wide" aria-label="${`${frame.title}: ${title}. ${label}`}">
<div class="figure-head"><h4>${title}</h4></div>
${legend(frame)}
<div class="panels">${settingsOf(frame, axis).map((setting) => panel(frame, axis, setting))}</div>
<figcaption>${caption(frame, axis)}</figcaption>
</figure>
`;
}

/** Values of the axes that are constant within a panel. */
const settingsOf = (frame: Frame, axis: Axis): readonly Partial<Place>[] =>
  fixedBy[axis].reduce<readonly Partial<Place>[]>(
    (settings, fixed) =>
      settings.flatMap((setting) => valuesOf(frame, fixed).map((value) => ({ ...setting, [fixed]: value }))),
    [{}],
  );

const named = (setting: Partial<Place>): string =>
  [
    ...(setting.n === undefined ? [] : [`n = ${formatCount(setting.n)}`]),
    ...(setting.epsilon === undefined ? [] : [`ε = ${setting.epsilon}`]),
  ].join(', ');

function panel(frame: Frame, axis: Axis, setting: Partial<Place>): Html {
  const { series, floor, y, placeOf, crowded } = frame;
  const belongs = (place: Place): boolean =>
    Object.entries(setting).every(([fixed, value]) => place[fixed as Axis] === value);
  const computed = (kind: string) =>
    frame.curves
      .filter((curve) => curve.kind === kind)
      .map(({ name, style, points }) => ({ name, style, points: alongAxis(points.filter(belongs), axis) }))
      .filter(({ points }) => points.length > 0);
  const lines = series.map(({ name, style, cells }): Line => ({
    name,
    style,
    marks: cells
      .filter((cell) => belongs(placeOf(cell)) && Number.isFinite(cell.excess.median))
      .map((cell) => markOf(cell, placeOf(cell)[axis], floor, !crowded && cell.runs.length <= drawnSeeds))
      .toSorted((a, b) => a.x - b.x),
  }));
  const title = named(setting);
  const drawing = drawPanel({
    description:
      `${frame.title}, ${title}: excess risk against ${along[axis].words}, logarithmic axes, ` +
      `for ${series.map(({ name }) => name).join(', ')}. The table below holds the numbers.`,
    along: { label: along[axis].label, values: valuesOf(frame, axis) },
    y,
    lines,
    banded: !crowded,
    sparing: crowded,
    start: alongAxis(frame.start.filter(belongs), axis).map(({ x, value }) => ({
      x,
      value: Math.max(value, floor),
    })),
    bound: computed('lower')[0]?.points ?? [],
    upper: computed('upper'),
    rates: computed('rate'),
  });
  return html`<div class="panel"><h5>${title}</h5>${drawing}</div>`;
}

function markOf(
  { excess: { median, lowerQuartile, upperQuartile }, runs }: Cell,
  x: number,
  floor: number,
  withSeeds: boolean,
): Mark {
  const clip = (value: number): number => Math.max(value, floor);
  const finite = (value: number): number => clip(Number.isFinite(value) ? value : median);
  return {
    x,
    median: clip(median),
    lowerQuartile: finite(lowerQuartile),
    upperQuartile: finite(upperQuartile),
    seeds: withSeeds
      ? runs
          .map(({ excessRisk }) => excessRisk)
          .filter(Number.isFinite)
          .map(clip)
      : [],
  };
}

function caption(frame: Frame, axis: Axis): Content {
  const { floor, away, curves, crowded, withheld, unbound } = frame;
  const cells = cellsOf(frame);
  const most = Math.max(0, ...cells.map(({ runs }) => runs.length));
  const measured = cells.flatMap(({ runs }) => runs.map(({ excessRisk }) => excessRisk));
  const drawnValues = crowded
    ? cells.flatMap(({ excess: { median, lowerQuartile, upperQuartile } }) => [
        median,
        lowerQuartile,
        upperQuartile,
      ])
    : measured;
  const clipped = drawnValues.filter((value) => value < floor).length;
  const lost = measured.filter((value) => !Number.isFinite(value) && value !== -Infinity).length;
  const drawn = (kind: string): number =>
    curves.reduce((sum, curve) => sum + (curve.kind === kind ? curve.points.length : 0), 0);
  const far = (
    [
      ['lower', 'the lower bound'],
      ['upper', 'the upper bounds'],
      ['rate', 'the rates'],
    ] as const
  ).filter(([kind]) => away[kind] > 0);
  const seedsNote = () => {
    if (most > drawnSeeds || (crowded && most > 1)) return 'Single seeds are too many to draw. ';
    return most > 1 ? 'Small dots: single seeds. ' : null;
  };
  return [
    `Risk above the non-private optimum, against ${along[axis].caption}; ` +
      'all axes are logarithmic and shared by the panels. ',
    most > 1
      ? `Symbols and lines: medians over ${most} seeds. ${crowded ? 'Bars' : 'Bands'}: ` +
        'from the lower to the upper quartile. '
      : 'Symbols: a single seed. ',
    seedsNote(),
    clipped === 0
      ? null
      : html`<strong>${clipped} of ${drawnValues.length} values at or below the floor of ${formatNumber(floor)} are drawn on it</strong>, since a logarithmic axis has no zero. `,
    lost === 0
      ? null
      : html`<strong>${lost} of ${measured.length} values are not finite and are not drawn.</strong> `,
    withheld
      ? 'The upper bounds of the plans are in the table: a figure of so many optimizers shows them when ' +
        'they are asked for, with upperBounds: always. '
      : null,
    drawn('lower') === 0 || unbound.length === 0
      ? null
      : html`<strong>The lower bound does not bind ${unbound.join(', ')}</strong>: it is for methods that are ρ-zCDP at the budget’s ρ. `,
    far.map(
      ([kind, words]) =>
        `${away[kind]} of ${away[kind] + drawn(kind)} points of ${words} lie off the figure; ` +
        `${kind === 'rate' ? 'the results have them' : 'the table has them'}. `,
    ),
  ];
}
