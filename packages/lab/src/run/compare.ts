import { defined } from '@lethe/numerics';
import type {
  Cell,
  ComparedCell,
  ComparedRatio,
  Comparison,
  MeasuredBeside,
  PlannedBeside,
} from '../experiment/results.js';
import type { ExpectationSpec } from '../experiment/schema.js';
import { roundingShare, spreadOf } from './spread.js';

/**
 * Number of standard errors beyond which a comparison disagrees. The false-alarm probability is about 10⁻⁶
 * with a hundred runs, and 10⁻⁴ with twenty runs as skewed as a squared normal variable.
 */
const farthest = 5;
/** Relative tolerance for numbers of a plan, since expectations have a few digits. */
const planShare = 1e-3;

/** Agreement counts as wide with fewer runs, or with a larger relative standard error. */
const fewRuns = 10;
const largeShare = 1 / 3;

const rule =
  `A measured mean agrees with what is expected when they are at most ${farthest} standard errors apart, ` +
  'after Hall’s correction for the skewness of the runs and Student’s for their number; a ratio of two ' +
  'when the runs of each, divided by what is expected of it, differ by no more, seed by seed; a number ' +
  `of a plan when it is within ${100 * planShare} %. Fewer than ${fewRuns} runs that vary, or a standard ` +
  'error above a third of what is expected, would agree with much else too: within, but wide.';

/** The expectation for a cell, out of those of its optimizer. */
export const expectationOf = (
  expected: readonly ExpectationSpec[],
  problem: string,
  { n, budget }: Pick<Cell, 'n' | 'budget'>,
): ExpectationSpec | undefined =>
  expected.find(
    (one) =>
      one.problem === problem && (one.epsilon ?? budget.epsilon) === budget.epsilon && (one.n ?? n) === n,
  );

/**
 * Compares the cells of a problem, and their ratios to the first cell of each setting, with the expectations
 * of the experiment; `null` without expectations.
 */
export function compare(
  cells: readonly Cell[],
  expectationFor: (cell: Cell) => ExpectationSpec | undefined,
): Comparison | null {
  const found = cells.flatMap((cell) => {
    const expectation = expectationFor(cell);
    return expectation === undefined ? [] : [{ cell, expectation }];
  });
  if (found.length === 0) return null;
  const compared = found.map(({ cell, expectation }): ComparedCell => ({
    ...settingOf(cell),
    source: expectation.source,
    excess:
      expectation.excessRisk === undefined
        ? null
        : meanBeside(
            cell.runs.map(({ excessRisk }) => excessRisk),
            expectation.excessRisk,
            expectation.tolerance,
          ),
    plan: Object.entries({
      ...(expectation.bound === undefined ? {} : { 'utility.bound': expectation.bound }),
      ...expectation.plan,
    }).map(([at, number]) => planBeside(cell, at, number)),
  }));
  const ratios = found.flatMap(({ cell, expectation }) => {
    const first = found.find(
      (other) => sameSetting(other.cell, cell) && other.expectation.excessRisk !== undefined,
    );
    return first === undefined || first.cell === cell || expectation.excessRisk === undefined
      ? []
      : [ratioOf(first, { cell, expectation })];
  });
  const verdicts = [
    ...compared.flatMap(({ excess, plan }) => [excess?.agrees, ...plan.map(({ agrees }) => agrees)]),
    ...ratios.map(({ agrees }) => agrees),
  ];
  return { rule, cells: compared, ratios, agrees: !verdicts.includes(false) };
}

const settingOf = ({ label, n, budget }: Cell): Pick<ComparedCell, 'label' | 'n' | 'budget'> => ({
  label,
  n,
  budget,
});
const sameSetting = (a: Cell, b: Cell): boolean =>
  a.n === b.n && a.budget.epsilon === b.budget.epsilon && a.budget.delta === b.budget.delta;

/** Compares the mean of the runs with `expected`, which is known up to `tolerance`. */
export function meanBeside(values: readonly number[], expected: number, tolerance: number): MeasuredBeside {
  const { mean, standardError } = spreadOf(values);
  return {
    measured: mean,
    standardError,
    expected,
    ratio: mean / expected,
    ratioError: standardError / expected,
    ...verdictOn(
      values.map((value) => value / expected - 1),
      tolerance / expected,
    ),
  };
}

/** Tests whether the mean of `shares` is 0 up to `tolerance`. */
function verdictOn(
  shares: readonly number[],
  tolerance: number,
): Pick<MeasuredBeside, 'score' | 'agrees' | 'isWide'> {
  const { mean, standardError } = spreadOf(shares);
  if (!Number.isFinite(mean)) return { score: null, agrees: false, isWide: false };
  const off = Math.sign(mean) * Math.max(0, Math.abs(mean) - tolerance);
  const n = shares.length;
  if (!(standardError > roundingShare))
    return { score: null, agrees: n < 2 ? null : Math.abs(off) <= 1e-9, isWide: false };
  const centred = (power: number): number =>
    shares.reduce((sum, share) => sum + (share - mean) ** power, 0) / n;
  const score = normalScore(withoutSkew(off / standardError, centred(3) / centred(2) ** 1.5, n), n - 1);
  return { score, agrees: Math.abs(score) <= farthest, isWide: n < fewRuns || standardError > largeShare };
}

/**
 * Johnson and Hall's monotone cubic of a studentised mean, which is normal up to terms of order 1/n whatever
 * the skewness. P. Hall 1992, On the removal of skewness by transformation.
 */
function withoutSkew(t: number, skewness: number, n: number): number {
  const a = skewness / Math.sqrt(n);
  return t + (a * t * t) / 3 + (a * a * t ** 3) / 27 + a / 6;
}

/**
 * Student's t as a normal score, to a few hundredths. D. L. Wallace 1959, Bounds on normal approximations to
 * Student's and the chi-square distributions.
 */
const normalScore = (t: number, freedom: number): number =>
  (Math.sign(t) * Math.sqrt(freedom * Math.log1p((t * t) / freedom)) * (8 * freedom + 1)) / (8 * freedom + 3);

function planBeside({ plan }: Cell, at: string, expected: number): PlannedBeside {
  const planned = at
    .split('.')
    .reduce<unknown>(
      (inner, name) =>
        typeof inner === 'object' && inner !== null && Object.hasOwn(inner, name)
          ? (inner as Readonly<Record<string, unknown>>)[name]
          : undefined,
      plan,
    );
  if (typeof planned !== 'number') return { at, planned: null, expected, ratio: null, agrees: false };
  return {
    at,
    planned,
    expected,
    ratio: expected === 0 ? null : planned / expected,
    agrees: Math.abs(planned - expected) <= planShare * Math.abs(expected),
  };
}

interface Found {
  readonly cell: Cell;
  readonly expectation: ExpectationSpec;
}

function ratioOf(first: Found, other: Found): ComparedRatio {
  const a = sideOf(first);
  const b = sideOf(other);
  const setting = {
    of: first.cell.label,
    to: other.cell.label,
    n: other.cell.n,
    budget: other.cell.budget,
    expected: a.expected / b.expected,
  };
  if (!(a.mean > 0) || !(b.mean > 0))
    return { ...setting, measured: null, standardError: null, score: null, agrees: false, isWide: false };
  const measured = a.mean / b.mean;
  return {
    ...setting,
    measured,
    standardError: measured * Math.hypot(a.error / a.mean, b.error / b.mean),
    ...verdictOn(
      a.shares.map((share, i) => share - b.shares[i]),
      a.tolerance + b.tolerance,
    ),
  };
}

function sideOf({ cell: { excess, runs }, expectation }: Found): {
  readonly mean: number;
  readonly error: number;
  readonly expected: number;
  readonly tolerance: number;
  readonly shares: readonly number[];
} {
  const expected = defined(expectation.excessRisk);
  return {
    mean: excess.mean,
    error: excess.standardError,
    expected,
    tolerance: expectation.tolerance / expected,
    shares: runs.map(({ excessRisk }) => excessRisk / expected),
  };
}
