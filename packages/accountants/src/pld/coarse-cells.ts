import type { PrivacyLossDistribution } from '@lethe/core';
import { type Composable, isProfileOnly } from './split-distribution.js';

/** A cell of losses with its masses, and the loss of the merged cell. */
export interface Cell {
  readonly left: number;
  readonly right: number;
  readonly p: number;
  readonly q: number;
  readonly loss: number;
  readonly logP: number;
}

/** Half of the relative width of cells for atoms. */
const narrow = 2 ** -39;
const isNarrow = ({ left, right, loss }: Cell): boolean => right - left <= 3 * narrow * (1 + Math.abs(loss));

/** Whether cells are atoms: narrow, and far denser than their neighbours. */
export function atomsAmong(cells: readonly Cell[]): readonly boolean[] {
  const density = (cell: Cell | undefined): number =>
    cell === undefined || cell.p === 0 ? 0 : cell.p / (cell.right - cell.left);
  return cells.map(
    (cell, i) =>
      isNarrow(cell) &&
      cell.p > 0 &&
      density(cell) > 1000 * Math.max(density(cells[i - 1]), density(cells[i + 1])),
  );
}

const shells = Array.from({ length: 37 }, (_, j) => 4 ** (j - 16));
const standardEdges = [-Infinity, ...shells.toReversed().map((x) => -x), 0, ...shells, Infinity];
const mostCells = 1500;

/**
 * Initial cells: shells about 0 that grow by a factor of four, with separate cells for the ends of the
 * support.
 */
export function coarseCells(distribution: Composable): readonly Cell[] {
  const { least, most } = distribution.support;
  const ends = [least, most].filter((end) => Math.abs(end) < Infinity).flatMap((end) => around(end));
  const edges = [...new Set([...standardEdges, ...ends])].toSorted((a, b) => a - b);
  return measured(distribution, Float64Array.from(edges));
}

const around = (loss: number): readonly number[] => [
  loss - narrow * (1 + Math.abs(loss)),
  loss + narrow * (1 + Math.abs(loss)),
];

/**
 * Splits cells whose share of the total is above `limit`, until there are none or they cannot be split.
 *
 * @param weigh - Weights of cells; shares are relative to their sum.
 */
export function refined(
  distribution: Composable,
  cells: readonly Cell[],
  weigh: (cells: readonly Cell[]) => readonly number[],
  limit: number,
): readonly Cell[] {
  let current = cells;
  for (let round = 0; round < 24 && current.length < mostCells; round += 1) {
    const weights = weigh(current);
    const total = weights.reduce((a, b) => a + b, 0);
    const heavy = current.map(
      (cell, i) =>
        weights[i] > limit * total &&
        !isNarrow(cell) &&
        Math.abs(cell.left) + Math.abs(cell.right) < Infinity,
    );
    if (!heavy.includes(true)) break;
    const edges: number[] = [];
    current.forEach((cell, i) => {
      if (!heavy[i]) return;
      for (const edge of splitting(cell)) if (edge !== edges.at(-1)) edges.push(edge);
    });
    const fresh = measured(distribution, Float64Array.from(edges));
    // The measured cells between two split cells are dropped.
    let next = 0;
    current = current.flatMap((cell, i) => {
      if (!heavy[i]) return [cell];
      while (fresh[next].left < cell.left) next += 1;
      const first = next;
      while (next < fresh.length && fresh[next].right <= cell.right) next += 1;
      return fresh.slice(first, next);
    });
  }
  return current;
}

/** Edges that split a cell in four and isolate an atom. */
function splitting({ left, right, loss }: Cell): readonly number[] {
  const width = right - left;
  return [
    left,
    left + width / 4,
    left + width / 2,
    left + 0.75 * width,
    right,
    ...around(loss).filter((edge) => edge > left && edge < right),
  ].toSorted((a, b) => a - b);
}

/** The cells between edges. */
export function measured(distribution: Composable, edges: Float64Array): readonly Cell[] {
  const length = edges.length - 1;
  const p = new Float64Array(length);
  const q = new Float64Array(length);
  if (isProfileOnly(distribution)) profileMasses(distribution, edges, p, q);
  else distribution.massesInto(p, q, edges);
  const cells: Cell[] = [];
  for (let i = 0; i < length; i += 1) {
    const left = edges[i];
    const right = edges[i + 1];
    let ratio: number;
    if (p[i] > 0 && q[i] > 0) ratio = Math.log(p[i] / q[i]);
    else if (p[i] > 0) {
      if (left === -Infinity) ratio = right;
      else ratio = left;
    } else ratio = right;
    cells.push({
      left,
      right,
      p: p[i],
      q: q[i],
      loss: Math.min(right, Math.max(left, ratio)),
      logP: Math.log(p[i]),
    });
  }
  return cells;
}

/** Masses of cells from a profile: `Q` is the decrease of its slope in `e^ε`. */
function profileMasses(
  distribution: PrivacyLossDistribution,
  edges: Float64Array,
  p: Float64Array,
  q: Float64Array,
): void {
  const values = edges.map((edge) => {
    if (edge === Infinity) return distribution.infinite;
    return edge === -Infinity ? 1 : distribution.hockeyStick(edge).upper;
  });
  let above = 0;
  for (let i = edges.length - 2; i >= 0; i -= 1) {
    const left = edges[i];
    const right = edges[i + 1];
    const slope =
      left === -Infinity || right === Infinity
        ? above
        : (Math.max(0, values[i] - values[i + 1]) / -Math.expm1(left - right)) * Math.exp(-right);
    q[i] = left === -Infinity ? Math.max(0, 1 - above) : Math.max(0, slope - above);
    const exponent = () => {
      if (left === -Infinity) return right;
      return right === Infinity ? left : right;
    };
    p[i] = q[i] * Math.exp(exponent());
    above = Math.max(above, slope);
    if (!(p[i] <= 1)) p[i] = 0;
  }
}
