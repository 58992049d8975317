import type { BoundPoint, Cell, EvaluationResult, ProblemResult } from '../experiment/results.js';
import { floorOf, valueAxis, type LogAxis } from './axis.js';
import { html, trusted, type Content, type Html } from './escape.js';
import { formatCount, formatNumber } from './format.js';
import { drawPanel, type Line, type Mark } from './panel.js';
import { seriesOf, type Series, type Style } from './series.js';

/** More seeds than this are drawn as quartiles only. */
const drawnSeeds = 60;
/** A lower bound further than this factor from the measurements is left out of the figure rather than flatten it. */
const reach = 1e3;

type Axis = 'epsilon' | 'n';

/** What all figures of one problem share, so that they can be compared. */
interface Frame {
  readonly problem: ProblemResult;
  readonly series: readonly Series[];
  readonly floor: number;
  readonly y: LogAxis;
  readonly bound: readonly BoundPoint[];
  readonly label: string;
}

/** The figures of a problem: excess risk against ε, one panel per n, and against n, one panel per ε. */
export function problemFigures(problem: ProblemResult, { label }: Pick<EvaluationResult, 'label'>): Html {
  const frame = frameOf(problem, label);
  const several = (axis: Axis): boolean => valuesOf(problem, axis).length > 1;
  const figures = (['epsilon', 'n'] as const).filter((axis) => several(axis) || (axis === 'epsilon' && !several('n')));
  return html`${figures.map((axis) => figure(frame, axis))}`;
}

function frameOf(problem: ProblemResult, label: string): Frame {
  const { cells, startExcess, lowerBound } = problem;
  const seeds = cells.flatMap(({ runs, excess }) => [...runs.map(({ excessRisk }) => excessRisk), excess.median, excess.lowerQuartile, excess.upperQuartile]);
  const floor = floorOf(seeds, startExcess);
  const shown = [...seeds.filter(Number.isFinite).map((value) => Math.max(value, floor)), ...(startExcess > 0 ? [Math.max(startExcess, floor)] : [])];
  const high = Math.max(...shown, floor);
  const bound = (lowerBound?.points ?? []).filter(({ value }) => value > 0 && value >= Math.min(...shown, high) / reach && value <= high * reach);
  return { problem, series: seriesOf(problem), floor, y: valueAxis([...shown, ...bound.map(({ value }) => value)]), bound, label };
}

const valuesOf = ({ cells }: ProblemResult, axis: Axis): readonly number[] => [...new Set(cells.map((cell) => at(cell, axis)))].toSorted((a, b) => a - b);
const at = ({ n, budget }: Cell, axis: Axis): number => (axis === 'n' ? n : budget.epsilon);
const other = (axis: Axis): Axis => (axis === 'n' ? 'epsilon' : 'n');
const named = (axis: Axis, value: number): string => (axis === 'n' ? `n = ${formatCount(value)}` : `ε = ${value}`);
const words: Readonly<Record<Axis, string>> = { epsilon: 'ε', n: 'records n' };

function figure(frame: Frame, axis: Axis): Html {
  const { problem, label } = frame;
  const title = `Excess risk against ${axis === 'n' ? 'the number of records' : 'the budget ε'}`;
  return html`<figure class="wide" aria-label="${`${problem.title}: ${title}. ${label}`}">
<div class="figure-head"><h4>${title}</h4><p class="stamp">${label}</p></div>
${legend(frame)}
<div class="panels">${valuesOf(problem, other(axis)).map((value) => panel(frame, axis, value))}</div>
<figcaption>${caption(frame, axis)}</figcaption>
</figure>
`;
}

function panel({ problem, series, floor, y, bound, label }: Frame, axis: Axis, value: number): Html {
  const fixed = other(axis);
  const lines = series.map(({ name, style, cells }): Line => ({
    name, style,
    marks: cells.filter((cell) => at(cell, fixed) === value && Number.isFinite(cell.excess.median)).map((cell) => markOf(cell, axis, floor)).toSorted((a, b) => a.x - b.x),
  }));
  const title = named(fixed, value);
  const drawing = drawPanel({
    description: `${problem.title}, ${title}: excess risk against ${words[axis]}, logarithmic axes, for ${series.map(({ name }) => name).join(', ')}. ${label}. The table below holds the numbers.`,
    along: { label: axis === 'n' ? 'records n' : 'privacy budget ε', values: valuesOf(problem, axis) },
    y, lines, start: problem.startExcess > 0 && Number.isFinite(problem.startExcess) ? Math.max(problem.startExcess, floor) : null,
    bound: curve(bound.filter((point) => point[fixed] === value), axis), label,
  });
  return html`<div class="panel"><h5>${title}</h5>${drawing}</div>`;
}

function markOf(cell: Cell, axis: Axis, floor: number): Mark {
  const { excess: { median, lowerQuartile, upperQuartile }, runs } = cell;
  const clip = (value: number): number => Math.max(value, floor);
  const finite = (value: number): number => clip(Number.isFinite(value) ? value : median);
  return {
    x: at(cell, axis), median: clip(median), lowerQuartile: finite(lowerQuartile), upperQuartile: finite(upperQuartile),
    seeds: runs.length > drawnSeeds ? [] : runs.map(({ excessRisk }) => excessRisk).filter(Number.isFinite).map(clip),
  };
}

/** One value per place: the smallest, which holds whatever distinguishes the points. */
function curve(points: readonly BoundPoint[], axis: Axis): readonly { readonly x: number; readonly value: number }[] {
  const least = new Map<number, number>();
  for (const { value, ...point } of points) least.set(point[axis], Math.min(value, least.get(point[axis]) ?? Infinity));
  return [...least].map(([x, value]) => ({ x, value })).toSorted((a, b) => a.x - b.x);
}

function legend({ series, bound }: Frame): Html {
  const entry = (key: Html, text: Content): Html => html`<li>${key}<span>${text}</span></li>`;
  return html`<ul class="legend">${series.map(({ name, style }) => entry(sample(style), name))}${bound.length === 0 ? null : entry(trusted('<svg class="key" viewBox="0 0 34 14" aria-hidden="true"><path d="M1 7H33" stroke="var(--ink)" stroke-width="1.5" stroke-dasharray="5 4"/></svg>'), constantOf(bound))}${entry(trusted('<svg class="key" viewBox="0 0 34 14" aria-hidden="true"><path d="M1 7H33" stroke="var(--quiet)" stroke-width="1.25"/></svg>'), 'start: learning nothing')}</ul>`;
}

/** Whether the height of a lower bound means something, in words. */
export const constantOf = (points: readonly BoundPoint[]): string =>
  (points.every(({ explicit }) => explicit) ? 'lower bound (constant explicit)' : 'lower bound (constant not explicit: only its shape counts)');

const shapes: Readonly<Record<Style['symbol'], string>> = {
  circle: 'M21.5 7A4.5 4.5 0 1 1 12.5 7A4.5 4.5 0 1 1 21.5 7Z', square: 'M13 3H21V11H13Z', triangle: 'M17 1.5L22 10.5H12Z',
  diamond: 'M17 1L21.5 7L17 13L12.5 7Z', star: 'M17 1L18.4 5.2H22.8L19.2 7.8L20.6 12L17 9.4L13.4 12L14.8 7.8L11.2 5.2H15.6Z', cross: 'M15.5 2H18.5V5.5H22V8.5H18.5V12H15.5V8.5H12V5.5H15.5Z',
};
/** A line and a symbol, as a legend shows them. */
export const sample = ({ colour, symbol, dash }: Style): Html =>
  trusted(`<svg class="key" viewBox="0 0 34 14" aria-hidden="true"><path d="M1 7H33" stroke="${colour}" stroke-width="1.75" stroke-dasharray="${dash}"/><path d="${shapes[symbol]}" fill="${colour}"/></svg>`);

function caption({ problem, floor, bound }: Frame, axis: Axis): Content {
  const runs = problem.cells.map((cell) => cell.runs.length);
  const most = Math.max(0, ...runs);
  const measured = problem.cells.flatMap((cell) => cell.runs.map(({ excessRisk }) => excessRisk));
  const clipped = measured.filter((value) => value < floor).length;
  const lost = measured.filter((value) => !Number.isFinite(value) && value !== -Infinity).length;
  const away = (problem.lowerBound?.points.length ?? 0) - bound.length;
  return [
    `Risk above the non-private optimum, against ${axis === 'n' ? 'the number of records learnt from' : 'ε'}; all axes are logarithmic and shared by the panels. `,
    most > 1 ? `Symbols and lines: medians over ${most} seeds. Bands: from the lower to the upper quartile. ` : 'Symbols: a single seed. ',
    most > drawnSeeds ? 'Single seeds are too many to draw. ' : most > 1 ? 'Small dots: single seeds. ' : null,
    clipped === 0 ? null : html`<strong>${clipped} of ${measured.length} values at or below the floor of ${formatNumber(floor)} are drawn on it</strong>, since a logarithmic axis has no zero. `,
    lost === 0 ? null : html`<strong>${lost} of ${measured.length} values are not finite and are not drawn.</strong> `,
    away <= 0 ? null : `${away} of ${away + bound.length} points of the lower bound lie off the figure; the table has them.`,
  ];
}
