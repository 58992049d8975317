import * as Plot from '@observablehq/plot';
import { choiceAxis, type LogAxis } from './axis.js';
import { axes, draw, frame, halo } from './drawing.js';
import type { Html } from './escape.js';
import { formatNumber, formatTick } from './format.js';
import { along as pointsAlong, boxOf, placeWord, type Place, type Spot } from './labels.js';
import type { Style } from './series.js';

/**
 * One setting of an optimizer: where it stands, what its seeds came to. Numbers are excess risks above the
 * floor.
 */
export interface Mark {
  readonly x: number;
  /** `NaN` where only its range is known. */ readonly median: number;
  readonly lowerQuartile: number;
  readonly upperQuartile: number;
  readonly seeds: readonly number[];
}
export interface Line {
  readonly name: string;
  readonly style: Style;
  readonly marks: readonly Mark[];
}

type Numbers = readonly { readonly x: number; readonly value: number }[];
/** Numbers that were computed, in a style of their own. */
export interface Curve {
  readonly name: string;
  readonly style: Style;
  readonly points: Numbers;
}

/** One small plot: excess risk against one number, for every optimizer. */
export interface Panel {
  readonly description: string;
  /** Label of the horizontal axis, and all values it may take. */
  readonly along: { readonly label: string; readonly values: readonly number[] };
  readonly y: LogAxis;
  /** Name of the vertical axis. @defaultValue excess risk */
  readonly up?: string;
  readonly lines: readonly Line[];
  /** Whether ranges are joined into bands. @defaultValue true */
  readonly banded?: boolean;
  /** Excess risk of the start; none when it cannot be shown, one when it is the same everywhere. */
  readonly start: Numbers;
  /** The lower bound. */
  readonly bound: Numbers;
  /** Whether upper bounds are thin lines without symbols. @defaultValue false */
  readonly sparing?: boolean;
  /** Upper bounds of the plans. */
  readonly upper: readonly Curve[];
  /** Theoretical rates, up to a constant. */
  readonly rates: readonly Curve[];
}

/** A panel as inline SVG, coloured by the page's custom properties. Text is escaped by the renderer. */
export function drawPanel(panel: Panel): Html {
  const {
    description,
    along,
    y,
    up = 'excess risk',
    lines,
    banded = true,
    sparing = false,
    start,
    bound,
    upper,
    rates,
  } = panel;
  const x = choiceAxis(along.values, (frame.right - frame.left) / 44);
  return draw({
    description,
    x: { type: 'log', domain: [...x.domain], label: null },
    y: { type: 'log', domain: [...y.domain], label: null },
    marks: [
      ...axes({ x: x.ticks, y: y.ticks, along: along.label, up }),
      ...startMarks(start),
      ...lines.flatMap(({ style }, i) => bandMarks(lines[i].marks, style, i, lines.length, banded)),
      ...rates.flatMap(rateMarks),
      ...upper.flatMap((curve) => upperMarks(curve, sparing && curve.points.length > 1)),
      ...boundMarks(bound),
      ...lines.flatMap((line, i) => lineMarks(line, i, lines.length)),
      ...words(panel, x),
    ],
  });
}

/** Series stand a few pixels beside each other, so that none hides another. */
const beside = (i: number, count: number): number => (i - (count - 1) / 2) * Math.min(7, 24 / count);

function bandMarks(
  marks: readonly Mark[],
  { colour }: Style,
  i: number,
  count: number,
  banded: boolean,
): Plot.Markish[] {
  const dx = beside(i, count);
  return [
    ...(banded
      ? [
          Plot.areaY(marks, {
            x: 'x',
            y1: 'lowerQuartile',
            y2: 'upperQuartile',
            fill: colour,
            fillOpacity: 0.16,
            dx,
          }),
        ]
      : []),
    Plot.ruleX(marks, {
      x: 'x',
      y1: 'lowerQuartile',
      y2: 'upperQuartile',
      stroke: colour,
      strokeOpacity: 0.5,
      strokeWidth: 1.5,
      dx,
    }),
    Plot.dot(
      marks.flatMap(({ x, seeds }) => seeds.map((y) => ({ x, y }))),
      { x: 'x', y: 'y', r: 1.4, fill: colour, fillOpacity: 0.55, dx: dx + 3.5 },
    ),
  ];
}

function lineMarks(
  { name, style: { colour, symbol, dash }, marks: all }: Line,
  i: number,
  count: number,
): Plot.Markish[] {
  const dx = beside(i, count);
  const marks = all.filter(({ median }) => Number.isFinite(median));
  const title = ({ x, median, lowerQuartile, upperQuartile }: Mark): string =>
    `${name} at ${formatTick(x)}: median ${formatNumber(median)}, quartiles ` +
    `${formatNumber(lowerQuartile)} to ${formatNumber(upperQuartile)}`;
  return [
    Plot.line(marks, { x: 'x', y: 'median', stroke: colour, strokeWidth: 1.75, strokeDasharray: dash, dx }),
    Plot.dot(marks, {
      x: 'x',
      y: 'median',
      symbol,
      r: 4.5,
      fill: colour,
      stroke: 'var(--paper)',
      strokeWidth: 1.25,
      dx,
      title,
    }),
  ];
}

const isLevel = (start: Numbers): boolean =>
  start.length > 0 && start.every(({ value }) => value === start[0].value);

function startMarks(start: Numbers): Plot.Markish[] {
  if (isLevel(start)) return [Plot.ruleY([start[0].value], { stroke: 'var(--quiet)', strokeWidth: 1.25 })];
  return start.length === 0
    ? []
    : [Plot.line(start, { x: 'x', y: 'value', stroke: 'var(--quiet)', strokeWidth: 1.25 })];
}

function upperMarks({ name, style: { colour }, points }: Curve, thin: boolean): Plot.Markish[] {
  if (thin)
    return [
      Plot.line(points, {
        x: 'x',
        y: 'value',
        stroke: colour,
        strokeWidth: 0.75,
        title: () => `${name}: upper bound`,
      }),
    ];
  return [
    Plot.line(points, { x: 'x', y: 'value', stroke: colour, strokeWidth: 1 }),
    Plot.dot(points, {
      x: 'x',
      y: 'value',
      symbol: 'triangle',
      rotate: 180,
      r: 3.5,
      fill: 'var(--paper)',
      stroke: colour,
      strokeWidth: 1.25,
      title: ({ x, value }: Numbers[number]) =>
        `${name} at ${formatTick(x)}: upper bound ${formatNumber(value)}`,
    }),
  ];
}

function rateMarks({ name, style: { colour, dash }, points }: Curve): Plot.Markish[] {
  return [
    Plot.line(points, { x: 'x', y: 'value', stroke: colour, strokeWidth: 1.25, strokeDasharray: dash }),
    Plot.dot(points, {
      x: 'x',
      y: 'value',
      r: 3,
      fill: colour,
      fillOpacity: points.length < 2 ? 1 : 0,
      title: ({ x, value }: Numbers[number]) =>
        `${name} at ${formatTick(x)}: rate ${formatNumber(value)}, up to a constant`,
    }),
  ];
}

function boundMarks(bound: Numbers): Plot.Markish[] {
  return bound.length === 0
    ? []
    : [
        Plot.line(bound, {
          x: 'x',
          y: 'value',
          stroke: 'var(--ink)',
          strokeWidth: 1.5,
          strokeDasharray: '5 4',
        }),
      ];
}

/** Names at the start's line and at the lower bound, where they hide least. */
function words({ start, bound, upper, rates, y, lines }: Panel, x: LogAxis): Plot.Markish[] {
  const spot = (at: number, value: number): Spot => ({
    x: frame.left + share(at, x) * (frame.right - frame.left),
    y: frame.bottom - share(value, y) * (frame.bottom - frame.top),
  });
  const curve = bound.map((point) => spot(point.x, point.value));
  const level = pointsAlong(
    isLevel(start)
      ? [spot(x.domain[0], start[0].value), spot(x.domain[1], start[0].value)]
      : start.map((point) => spot(point.x, point.value)),
  );
  const drawn = [
    ...pointsAlong(curve),
    ...level,
    ...[...upper, ...rates].flatMap(({ points }) =>
      pointsAlong(points.map((point) => spot(point.x, point.value))),
    ),
    ...lines.flatMap(({ marks }) => [
      ...(['median', 'lowerQuartile', 'upperQuartile'] as const).flatMap((key) =>
        pointsAlong(
          marks.filter((mark) => Number.isFinite(mark[key])).map((mark) => spot(mark.x, mark[key])),
        ),
      ),
      ...marks.flatMap((mark) => mark.seeds.map((seed) => spot(mark.x, seed))),
    ]),
  ];
  const startPlace =
    level.length === 0
      ? null
      : placeWord(
          'start',
          beyond([
            { ...level[level.length - 1], anchor: 'end' },
            { ...level[0], ...(isLevel(start) ? { x: frame.left + 4 } : {}), anchor: 'start' },
          ]),
          drawn,
          frame,
        );
  const ends: Place[] =
    curve.length === 0
      ? []
      : [
          { ...curve[curve.length - 1], anchor: 'end' },
          { ...curve[0], anchor: 'start' },
          { ...curve[Math.floor(curve.length / 2)], anchor: 'middle' },
        ];
  const boundPlace = placeWord(
    'lower bound',
    beyond(ends),
    [...drawn, ...(startPlace === null ? [] : boxOf('start', startPlace))],
    frame,
  );
  return [...write('start', startPlace, 'var(--quiet)'), ...write('lower bound', boundPlace, 'var(--ink)')];
}

const share = (value: number, { domain: [low, high] }: LogAxis): number =>
  Math.log(value / low) / Math.log(high / low);
/** Above and below a place, near and less near. */
const beyond = (places: readonly Place[]): readonly Place[] =>
  [-11, 13, -20, 22].flatMap((dy) => places.map((place) => ({ ...place, y: place.y + dy })));
const write = (word: string, place: Place | null, fill: string): Plot.Markish[] =>
  place === null
    ? []
    : [
        Plot.text([word], {
          frameAnchor: 'top-left',
          dx: place.x - frame.left,
          dy: place.y - frame.top,
          lineAnchor: 'middle',
          textAnchor: place.anchor,
          fill,
          ...halo,
        }),
      ];
