import type { PrivacyLossDistribution } from '@lethe/core';
import { type Composable, isProfileOnly } from './split-distribution.js';

/** Adjacent cells of losses in ascending order: their ends, masses, and the loss of each merged cell. */
export interface Cells {
  readonly left: Float64Array;
  readonly right: Float64Array;
  readonly p: Float64Array;
  readonly q: Float64Array;
  readonly loss: Float64Array;
  readonly logP: Float64Array;
}

const empty = (length: number): Cells => ({
  left: new Float64Array(length),
  right: new Float64Array(length),
  p: new Float64Array(length),
  q: new Float64Array(length),
  loss: new Float64Array(length),
  logP: new Float64Array(length),
});

/** The first cells. */
export const firstCells = ({ left, right, p, q, loss, logP }: Cells, count: number): Cells => ({
  left: left.subarray(0, count),
  right: right.subarray(0, count),
  p: p.subarray(0, count),
  q: q.subarray(0, count),
  loss: loss.subarray(0, count),
  logP: logP.subarray(0, count),
});

function copyCell(from: Cells, i: number, to: Cells, at: number): void {
  to.left[at] = from.left[i];
  to.right[at] = from.right[i];
  to.p[at] = from.p[i];
  to.q[at] = from.q[i];
  to.loss[at] = from.loss[i];
  to.logP[at] = from.logP[i];
}

/** Half of the relative width of cells for atoms. */
const narrow = 2 ** -39;
const isNarrow = ({ left, right, loss }: Cells, i: number): boolean =>
  right[i] - left[i] <= 3 * narrow * (1 + Math.abs(loss[i]));

/** Whether cells are atoms: narrow, and far denser than their neighbours. */
export function atomsAmong(cells: Cells): readonly boolean[] {
  const { left, right, p } = cells;
  const density = (i: number): number => (p[i] > 0 ? p[i] / (right[i] - left[i]) : 0);
  return Array.from(
    p,
    (mass, i) =>
      mass > 0 && isNarrow(cells, i) && density(i) > 1000 * Math.max(density(i - 1), density(i + 1)),
  );
}

const shells = Array.from({ length: 37 }, (_, j) => 4 ** (j - 16));
const standardEdges = [-Infinity, ...shells.toReversed().map((x) => -x), 0, ...shells, Infinity];
const mostCells = 1500;

/**
 * Initial cells: shells about 0 that grow by a factor of four, with separate cells for the ends of the
 * support.
 */
export function coarseCells(distribution: Composable): Cells {
  const { least, most } = distribution.support;
  const ends = [least, most].filter((end) => Math.abs(end) < Infinity).flatMap((end) => around(end));
  return measured(distribution, Float64Array.from(new Set([...standardEdges, ...ends])).toSorted());
}

const around = (loss: number): readonly [number, number] => [
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
  cells: Cells,
  weigh: (cells: Cells) => Float64Array,
  limit: number,
): Cells {
  let current = cells;
  for (let round = 0; round < 24 && current.p.length < mostCells; round += 1) {
    const { left, right } = current;
    const weights = weigh(current);
    let total = 0;
    for (const weight of weights) total += weight;
    const heavy: number[] = [];
    for (let i = 0; i < weights.length; i += 1)
      if (
        weights[i] > limit * total &&
        !isNarrow(current, i) &&
        Math.abs(left[i]) + Math.abs(right[i]) < Infinity
      )
        heavy.push(i);
    if (heavy.length === 0) break;
    const edges: number[] = [];
    for (const i of heavy) addSplit(current, i, edges);
    current = replaced(current, heavy, measured(distribution, Float64Array.from(edges)));
  }
  return current;
}

/** The cells with some of them replaced by those of `fresh` between their ends. */
function replaced(cells: Cells, places: readonly number[], fresh: Cells): Cells {
  const found = empty(cells.p.length + fresh.p.length);
  let length = 0;
  let place = 0;
  let next = 0;
  for (let i = 0; i < cells.p.length; i += 1) {
    if (place >= places.length || places[place] !== i) {
      copyCell(cells, i, found, length);
      length += 1;
      continue;
    }
    place += 1;
    // The measured cells between two split cells are dropped.
    while (fresh.left[next] < cells.left[i]) next += 1;
    for (; next < fresh.p.length && fresh.right[next] <= cells.right[i]; next += 1) {
      copyCell(fresh, next, found, length);
      length += 1;
    }
  }
  return firstCells(found, length);
}

/** Adds edges that split a cell in four and isolate an atom. */
function addSplit({ left: lefts, right: rights, loss: losses }: Cells, i: number, edges: number[]): void {
  const [left, right] = [lefts[i], rights[i]];
  const width = right - left;
  const [below, above] = around(losses[i]);
  let hasBelow = !(below > left && below < right);
  let hasAbove = !(above > left && above < right);
  for (let k = 0; k <= 4; k += 1) {
    const edge = k === 4 ? right : left + (k / 4) * width;
    if (!hasBelow && below <= edge) {
      addEdge(edges, below);
      hasBelow = true;
    }
    if (!hasAbove && above <= edge) {
      addEdge(edges, above);
      hasAbove = true;
    }
    addEdge(edges, edge);
  }
}

function addEdge(edges: number[], edge: number): void {
  if (edges.length === 0 || edge !== edges[edges.length - 1]) edges.push(edge);
}

/** The cells between edges. */
export function measured(distribution: Composable, edges: Float64Array): Cells {
  const length = edges.length - 1;
  const p = new Float64Array(length);
  const q = new Float64Array(length);
  if (isProfileOnly(distribution)) profileMasses(distribution, edges, p, q);
  else distribution.massesInto(p, q, edges);
  const loss = new Float64Array(length);
  const logP = new Float64Array(length);
  for (let i = 0; i < length; i += 1) {
    const left = edges[i];
    const right = edges[i + 1];
    let ratio: number;
    if (p[i] > 0 && q[i] > 0) ratio = Math.log(p[i] / q[i]);
    else if (p[i] > 0) {
      if (left === -Infinity) ratio = right;
      else ratio = left;
    } else ratio = right;
    loss[i] = Math.min(right, Math.max(left, ratio));
    logP[i] = Math.log(p[i]);
  }
  return { left: edges.subarray(0, length), right: edges.subarray(1), p, q, loss, logP };
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
