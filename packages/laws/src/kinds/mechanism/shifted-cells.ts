import { gridDelta, type LossGrid, power } from '../../divergence/loss-grid.js';
import { quantileOf } from '../../engines/quantile.js';

/**
 * A partition of the line with the mass of each cell under a distribution (rounded down) and under its shift
 * (rounded up). Reducing outputs to cells is post-processing, so every divergence between the masses is at
 * most that of the distributions.
 */
export interface ShiftedCells {
  readonly law: Float64Array;
  readonly shifted: Float64Array;
}

/** Absolute error tolerance of a distribution function. */
const accuracy = 1e-13;

/** Layout of the cells. */
export interface CellOptions {
  /** Whether the distribution is integer-valued: cell edges then lie between integers. */
  readonly whole: boolean;
}

/** Quantiles of a distribution far into both tails. */
export const quantilesOf = (cdf: (x: number) => number): readonly number[] =>
  Array.from({ length: 225 }, (_, k) => quantileOf(cdf, 1 / (1 + Math.exp(28 - k / 4))));

/**
 * Cells at the quantiles of the distribution and of its shift.
 *
 * @param own - Quantiles of the distribution, by {@link quantilesOf}.
 */
export function shiftedCells(
  cdf: (x: number) => number,
  own: readonly number[],
  shift: number,
  { whole }: CellOptions,
): ShiftedCells {
  const all = whole
    ? wholeEdges(Math.min(...own), Math.max(...own), shift)
    : [...own, ...own.map((x) => x + shift), 0, shift];
  const edges = [...new Set(all)].toSorted((a, b) => a - b);
  const mass = (f: (x: number) => number): Float64Array => {
    const out = new Float64Array(edges.length + 1);
    let before = 0;
    for (let i = 0; i <= edges.length; i++) {
      const here = i === edges.length ? 1 : f(edges[i]);
      out[i] = here - before;
      before = here;
    }
    return out;
  };
  return {
    law: mass(cdf).map((p) => Math.max(0, p - accuracy)),
    shifted: mass((x) => cdf(x - shift)).map((q) => Math.max(0, q) + accuracy),
  };
}

function wholeEdges(from: number, to: number, shift: number): readonly number[] {
  const first = Math.floor(Math.min(from, from + shift)) - 0.5;
  const last = Math.ceil(Math.max(to, to + shift)) + 0.5;
  // More integers than this are merged into coarser cells, which are still a partition.
  const step = Math.max(1, Math.ceil((last - first) / 2000));
  return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, k) => first + k * step);
}

/** Lower bound of `sup_S P(S) − e^ε Q(S)` for `copies` independent coordinates, each shifted alike. */
export function productDelta(cells: ShiftedCells, copies: number): (epsilon: number) => number {
  const { law, shifted } = cells;
  if (copies === 1)
    return (epsilon) => law.reduce((sum, p, i) => sum + Math.max(0, p - Math.exp(epsilon) * shifted[i]), 0);
  const grid = power(lossGrid(cells), copies);
  return (epsilon) => gridDelta(grid, epsilon, 'down');
}

function lossGrid({ law, shifted }: ShiftedCells): LossGrid {
  const losses = Array.from(law, (p, i) => Math.log(p / shifted[i]))
    .map((loss, i) => ({ loss, p: law[i] }))
    .filter(({ p }) => p > 0);
  const least = Math.min(...losses.map(({ loss }) => loss));
  const most = Math.max(...losses.map(({ loss }) => loss));
  const step = Math.max(2 ** -8, (most - least) / 500);
  const first = Math.floor(least / step);
  const masses = new Float64Array(Math.floor(most / step) - first + 1);
  for (const { loss, p } of losses) masses[Math.floor(loss / step) - first] += p;
  return { step, first, masses };
}

/**
 * Lower bound of the Rényi divergence of order `alpha` for
 * `copies` independent coordinates, each shifted alike.
 */
export function productRenyi({ law, shifted }: ShiftedCells, copies: number, alpha: number): number {
  let moment = 0;
  for (let i = 0; i < law.length; i++)
    if (law[i] > 0) moment += Math.exp(alpha * Math.log(law[i]) + (1 - alpha) * Math.log(shifted[i]));
  return (copies * Math.log(moment)) / (alpha - 1);
}
