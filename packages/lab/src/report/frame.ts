import { defined } from '@lethe/numerics';
import type { Cell, EvaluationResult, ProblemResult } from '../experiment/results.js';
import { isZcdpAtBudget } from '../run/bracket.js';
import { floorOf, valueAxis, type LogAxis } from './axis.js';
import { colours, seriesOf, styleAt, type Series, type Style } from './series.js';

/**
 * A curve of numbers further than this factor from the
 * measurements is left out of the figure rather than flatten it.
 */
const reach = 1e3;
/** More series than this in one panel hide each other unless they are drawn sparingly. */
const crowd = 4;

/** What a figure's horizontal axis may stand for. */
export type Axis = 'epsilon' | 'n' | 'dimension';
/** Where a number of a figure belongs. */
export interface Place {
  readonly n: number;
  readonly epsilon: number;
  readonly dimension: number;
}
export interface Point extends Place {
  readonly value: number;
}
/** Numbers that were computed, not measured. `style` is that of a series where it is the series' own. */
export interface Computed {
  readonly kind: 'lower' | 'upper' | 'rate';
  readonly name: string;
  readonly style: Style;
  readonly points: readonly Point[];
}

/** What all figures of some problems share, so that they can be compared. */
export interface Frame {
  readonly title: string;
  readonly series: readonly Series[];
  readonly placeOf: (cell: Cell) => Place;
  readonly start: readonly Point[];
  readonly floor: number;
  readonly y: LogAxis;
  readonly curves: readonly Computed[];
  /** Computed numbers that are too far away to be drawn, by kind. */
  readonly away: Readonly<Record<Computed['kind'], number>>;
  readonly explicit: boolean;
  /** More optimizers than can be drawn with all there is of each: seeds, bands and bounds of plans are left out. */
  readonly crowded: boolean;
  /** Bounds of plans are left out though there are some. */
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
  const away = Object.fromEntries(
    (['lower', 'upper', 'rate'] as const).map((kind) => [
      kind,
      kind === 'upper' && upperBounds === 'never' ? 0 : count(kind, all) - count(kind, curves),
    ]),
  ) as unknown as Frame['away'];
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

/** Rates keep colours that no optimizer has, and are quiet where there are none left. */
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
