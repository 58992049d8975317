import { defined } from '@lethe/numerics';
import type { Cell, EvaluationResult, ProblemResult } from '../experiment/results.js';
import { isZcdpAtBudget } from '../run/bracket.js';
import { floorOf, valueAxis, type LogAxis } from './axis.js';
import { colours, seriesOf, styleAt, type Series, type Style } from './series.js';

/**
 * Curves further than this factor from the measurements are left out, since they would flatten the figure.
 */
const reach = 1e3;
/** Panels with more series are drawn with fewer marks. */
const crowd = 4;

/** Quantities of a horizontal axis. */
export type Axis = 'epsilon' | 'n' | 'dimension';
/** Coordinates of a number in a figure. */
export interface Place {
  readonly n: number;
  readonly epsilon: number;
  readonly dimension: number;
}
export interface Point extends Place {
  readonly value: number;
}
/** A computed curve. `style` is that of the series it belongs to, if any. */
export interface Computed {
  readonly kind: 'lower' | 'upper' | 'rate';
  readonly name: string;
  readonly style: Style;
  readonly points: readonly Point[];
}

/** Settings shared by the figures of some problems, so that they can be compared. */
export interface Frame {
  readonly title: string;
  readonly series: readonly Series[];
  readonly placeOf: (cell: Cell) => Place;
  readonly start: readonly Point[];
  readonly floor: number;
  readonly y: LogAxis;
  readonly curves: readonly Computed[];
  /** Computed curves that are too far away to be drawn, by kind. */
  readonly away: Readonly<Record<Computed['kind'], number>>;
  readonly explicit: boolean;
  /** Many optimizers: seeds, bands and upper bounds are left out. */
  readonly crowded: boolean;
  /** Upper bounds of plans exist and are left out. */
  readonly withheld: boolean;
  /** Optimizers that the lower bound does not bind. */
  readonly unbound: readonly string[];
  readonly label: string;
}

const ink: Style = { colour: 'var(--ink)', symbol: 'circle', dash: '5 4' };

/** Everything that figures of `problems` show, on one scale. */
export function frameOf(
  title: string,
  problems: readonly ProblemResult[],
  { label, experiment, problems: everything }: Pick<EvaluationResult, 'label' | 'experiment' | 'problems'>,
): Frame {
  const cells = problems.flatMap((problem) => problem.cells);
  const places = new Map(
    problems.flatMap((problem) =>
      problem.cells.map(
        (cell) => [cell, { n: cell.n, epsilon: cell.budget.epsilon, dimension: problem.dimension }] as const,
      ),
    ),
  );
  const placeOf = (cell: Cell): Place => defined(places.get(cell));
  const starts = problems
    .flatMap((problem) =>
      problem.cells.map((cell): Point => ({
        ...placeOf(cell),
        value: cell.startExcess ?? problem.startExcess,
      })),
    )
    .filter(({ value }) => value > 0 && Number.isFinite(value));
  const allRecords = everything.flatMap((problem) => problem.cells);
  const series = seriesOf({ cells }, allRecords);
  const taken = seriesOf({ cells: allRecords }).length;
  const crowded = series.length > crowd;
  const seeds = cells.flatMap(({ runs, excess }) => [
    ...(crowded ? [] : runs.map(({ excessRisk }) => excessRisk)),
    excess.median,
    excess.lowerQuartile,
    excess.upperQuartile,
  ]);
  const floor = floorOf(seeds, Math.max(0, ...problems.map(({ startExcess }) => startExcess)));
  const shown = [
    ...seeds.filter(Number.isFinite).map((value) => Math.max(value, floor)),
    ...starts.map(({ value }) => Math.max(value, floor)),
  ];
  const high = Math.max(...shown, floor);
  const low = Math.min(...shown, high);
  const isNear = ({ value }: Point): boolean => value > 0 && value >= low / reach && value <= high * reach;
  const upperBounds = crowded && experiment.upperBounds === 'near' ? 'never' : experiment.upperBounds;
  const isDrawn: Readonly<Record<Computed['kind'], (point: Point) => boolean>> = {
    lower: isNear,
    rate: isNear,
    upper: (point) =>
      upperBounds !== 'never' &&
      point.value > 0 &&
      Number.isFinite(point.value) &&
      (upperBounds === 'always' || isNear(point)),
  };
  const all = [...lowerBounds(problems), ...upperCurves(series, placeOf), ...rateCurves(problems, taken)];
  const curves = all
    .map((curve) => ({ ...curve, points: curve.points.filter(isDrawn[curve.kind]) }))
    .filter(({ points }) => points.length > 0);
  const count = (kind: Computed['kind'], from: readonly Computed[]): number =>
    from.reduce((sum, curve) => sum + (curve.kind === kind ? curve.points.length : 0), 0);
  const leftOut = (kind: Computed['kind']): number => count(kind, all) - count(kind, curves);
  const away = {
    lower: leftOut('lower'),
    upper: upperBounds === 'never' ? 0 : leftOut('upper'),
    rate: leftOut('rate'),
  };
  const y = valueAxis([...shown, ...curves.flatMap(({ points }) => points.map(({ value }) => value))]);
  const explicit = problems.every(
    ({ lowerBound }) => lowerBound === null || lowerBound.points.every((point) => point.explicit),
  );
  const withheld = upperBounds !== experiment.upperBounds && count('upper', all) > 0;
  return {
    title,
    series,
    placeOf,
    start: starts,
    floor,
    y,
    curves,
    away,
    explicit,
    crowded,
    withheld,
    unbound: [...new Set(problems.flatMap(unboundOn))],
    label,
  };
}

function lowerBounds(problems: readonly ProblemResult[]): readonly Computed[] {
  const points = problems.flatMap(({ lowerBound, dimension }) =>
    (lowerBound?.points ?? []).map(({ n, epsilon, value }) => ({ n, epsilon, dimension, value })),
  );
  return points.length === 0 ? [] : [{ kind: 'lower', name: 'lower bound', style: ink, points }];
}

const upperCurves = (series: readonly Series[], placeOf: Frame['placeOf']): readonly Computed[] =>
  series.map(({ name, style, cells }) => ({
    kind: 'upper',
    name,
    style,
    points: cells.flatMap((cell) =>
      cell.plan.utility === null ? [] : [{ ...placeOf(cell), value: cell.plan.utility.bound }],
    ),
  }));

/**
 * Labels of the optimizers that the lower bound of a problem does
 * not bind: it is for ρ-zCDP at the budget's ρ, and they are not.
 */
export const unboundOn = ({ lowerBound, cells }: ProblemResult): readonly string[] =>
  lowerBound === null || lowerBound.binds === 'every-algorithm'
    ? []
    : [...new Set(cells.filter((cell) => !isZcdpAtBudget(cell)).map(({ label }) => label))];

/** Styles of rates: colours that no optimizer uses, grey if none is left. */
function rateCurves(problems: readonly ProblemResult[], taken: number): readonly Computed[] {
  const labels = [...new Set(problems.flatMap(({ rates = [] }) => rates.map(({ label }) => label)))];
  return labels.map((name, i) => ({
    kind: 'rate',
    name,
    style: taken + i < colours ? styleAt(taken + i) : { ...styleAt(i + 1), colour: 'var(--quiet)' },
    points: problems.flatMap(({ rates = [], dimension }) =>
      rates
        .filter(({ label }) => label === name)
        .flatMap(({ points }) => points.map((point) => ({ ...point, dimension }))),
    ),
  }));
}

/** One value per place along an axis: the smallest, which holds whatever distinguishes the points. */
export function alongAxis(
  points: readonly Point[],
  axis: Axis,
): readonly { readonly x: number; readonly value: number }[] {
  const least = new Map<number, number>();
  for (const point of points)
    least.set(point[axis], Math.min(point.value, least.get(point[axis]) ?? Infinity));
  return [...least].map(([x, value]) => ({ x, value })).toSorted((a, b) => a.x - b.x);
}
