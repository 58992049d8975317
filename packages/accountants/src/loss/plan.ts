import type { LossLaw } from '@lethe/core';
import type { Tiling } from './grid-law.js';
import { bestTilt, type Goal, logPeak, type Rough, tiltedMoments, tiltedShares, totalLogMoment } from './growth.js';
import { type Cell, isAtom, refined, roughCells } from './rough-cells.js';

/** A law that occurs `count` times. */
export interface Factor { readonly law: LossLaw; readonly count: number }

/** A first look at a product: how to tilt it, and where its mass then is. */
export interface Plan {
  readonly factors: readonly (Factor & Rough)[];
  readonly tilt: number;
  /** Standard deviation of the tilted product. */
  readonly deviation: number;
  /** The tilted product is farther than this above (below) its mean with small probability by Chernoff's bound at `rise` (`fall`). */
  readonly above: number;
  readonly rise: number;
  readonly below: number;
  readonly fall: number;
  /** About `log δ` and ε of the answer. */
  readonly logDelta: number;
  readonly epsilon: number;
}

/** `−log` of the tilted mass that may be outside the period. */
const outside = 26;

export function planOf(given: readonly Factor[], goal: Goal): Plan {
  const bulk = (cells: readonly Cell[]): readonly number[] => {
    const wholeP = cells.reduce((sum, { p }) => sum + p, 1e-300);
    const wholeQ = cells.reduce((sum, { q }) => sum + q, 1e-300);
    return cells.map(({ p, q }) => Math.max(p / wholeP, q / wholeQ));
  };
  let factors = given.map(({ law, count }) => ({ law, count, cells: refined(law, roughCells(law), bulk, 0.05) }));
  let tilt = bestTilt(factors, goal);
  for (const limit of [0.05, 0.02]) {
    factors = factors.map(({ law, count, cells }) => ({ law, count, cells: refined(law, cells, (all) => tiltedShares(all, tilt), limit) }));
    tilt = bestTilt(factors, goal, tilt);
  }
  // Also what lies at the ends of the tilted product must be known well.
  const spread = Math.sqrt(factors.reduce((sum, { cells, count }) => sum + count * tiltedMoments(cells, tilt).variance, 0));
  for (const theta of [6 / spread, -6 / spread]) {
    if (Math.abs(theta) < Infinity) factors = factors.map(({ law, count, cells }) => ({ law, count, cells: refined(law, cells, (all) => tiltedShares(all, tilt + theta), 0.04) }));
  }
  let variance = 0;
  let mean = 0;
  for (const { cells, count } of factors) {
    const moments = tiltedMoments(cells, tilt);
    mean += count * moments.mean;
    variance += count * moments.variance;
  }
  const deviation = Math.sqrt(variance);
  const growth = totalLogMoment(factors, tilt);
  const reach = (sign: 1 | -1): readonly [number, number] => {
    let best: readonly [number, number] = [Infinity, 0];
    for (const scale of [0.2, 0.35, 0.5, 0.7, 0.85, 1, 1.2]) {
      const theta = scale * Math.sqrt(2 * outside) / (deviation || 1);
      const bound = (totalLogMoment(factors, tilt + sign * theta) - growth - sign * theta * mean + outside) / theta;
      if (bound < best[0]) best = [bound, theta];
    }
    return best;
  };
  const [above, rise] = reach(1);
  const [below, fall] = reach(-1);
  const bound = growth + logPeak(tilt);
  return {
    factors, tilt, deviation, above, rise, below, fall,
    ...('delta' in goal ? { logDelta: Math.log(goal.delta), epsilon: Math.max(0, (bound - Math.log(goal.delta)) / tilt) } : { logDelta: Math.min(0, bound - tilt * goal.epsilon) - 4, epsilon: goal.epsilon }),
  };
}

/** Blocks for each factor of a product, on one grid but for where it starts. */
export interface Tilings { readonly step: number; readonly tilings: readonly Tiling[] }

/**
 * Chooses the blocks that make the interval about `width` wide with the fewest cells: a block of width `H` where the tilted
 * density is `ρ` adds about `ρ H³ (1 + tilt) / 8` to it, so that `H³` goes as `1/ρ`.
 */
export function tilingsOf(plan: Plan, width: number): Tilings {
  const { factors, tilt } = plan;
  const shares = factors.map(({ cells }) => tiltedShares(cells, tilt));
  const smooth = (cell: Cell): boolean => !isAtom(cell) && Math.abs(cell.left) + Math.abs(cell.right) < Infinity;
  let area = 0;
  factors.forEach(({ cells, count }, k) => cells.forEach((cell, i) => {
    const share = shares[k]![i]!;
    if (share > 1e-13 && smooth(cell)) area += Math.cbrt(count * share * (cell.right - cell.left) ** 2);
  }));
  const widest = 1.5 / (1 + tilt);
  const pace = area === 0 ? 0 : Math.sqrt((8 * width) / (1 + tilt) / area);
  const blockOf = (cell: Cell, share: number, count: number): number => (share === 0 ? widest : Math.min(widest, pace * Math.cbrt((cell.right - cell.left) / (count * share))));
  const lattices = factors.map(({ cells }, k) => latticeOf(cells, shares[k]!));
  let step = widest;
  const anchor = anchorOf(factors, shares, smooth);
  factors.forEach(({ cells, count }, k) => cells.forEach((cell, i) => {
    if (shares[k]![i]! > 0.004 && smooth(cell)) step = Math.min(step, blockOf(cell, shares[k]![i]!, count));
  }));
  // The grid hits the atoms of the law that weighs most.
  let spacing = 0;
  let weight = 0;
  lattices.forEach((lattice, k) => {
    if (lattice.spacing === 0) return;
    const mine = factors[k]!.count * lattice.share;
    if (mine > weight) [weight, spacing] = [mine, lattice.spacing];
  });
  if (spacing > 0) step = spacing / Math.ceil(spacing / step * (1 - 1e-12));
  return {
    step,
    tilings: factors.map(({ law, cells, count }, k) => tile(
      law, cells, cells.map((cell, i) => (smooth(cell) ? (k === anchor.index && shares[k]![i]! > anchor.density * (cell.right - cell.left) ? step : blockOf(cell, shares[k]![i]!, count)) : isAtom(cell) && cell.p > 0 ? 0 : widest)), shares[k]!,
      { base: lattices[k]!.base, step, tolerance: lattices[k]!.share > 0 ? 2 ** -40 : 0 }, plan, cells.reduce((n, { p }) => n + p, 0),
    )),
  };
}

/** The smooth law that occurs most, and a part of its largest density: there its points shall be in rows, which shows that high frequencies vanish. */
function anchorOf(factors: Plan['factors'], shares: readonly (readonly number[])[], smooth: (cell: Cell) => boolean): { readonly index: number; readonly density: number } {
  let found = { index: -1, density: 0 };
  let most = 0;
  factors.forEach(({ cells, count }, index) => {
    const inside = cells.reduce((sum, cell, i) => sum + (smooth(cell) ? shares[index]![i]! : 0), 0);
    if (count * inside <= most) return;
    most = count * inside;
    const densities = cells.map((cell, i) => (smooth(cell) && shares[index]![i]! > 0.002 ? shares[index]![i]! / (cell.right - cell.left) : 0));
    found = { index, density: Math.max(...densities) / 4 };
  });
  return found;
}

/** The atoms of a law, if they are evenly spaced: one of them, how far apart they are, and the share of all. */
function latticeOf(cells: readonly Cell[], shares: readonly number[]): { readonly base: number; readonly spacing: number; readonly share: number } {
  const atoms = cells.map((cell, i) => ({ cell, share: shares[i]! })).filter(({ cell, share }) => isAtom(cell) && share > 1e-9);
  if (atoms.length === 0) return { base: 0, spacing: 0, share: 0 };
  const share = atoms.reduce((sum, atom) => sum + atom.share, 0);
  const first = atoms[0]!.cell.loss;
  const last = atoms.at(-1)!.cell.loss;
  let gap = Infinity;
  for (let i = 1; i < atoms.length; i += 1) gap = Math.min(gap, atoms[i]!.cell.loss - atoms[i - 1]!.cell.loss);
  const heaviest = atoms.reduce((a, b) => (b.share > a.share ? b : a)).cell.loss;
  if (gap === Infinity) return { base: heaviest, spacing: 0, share };
  const spacing = (last - first) / Math.round((last - first) / gap);
  const even = atoms.every(({ cell }) => { const k = (cell.loss - first) / spacing; return Math.abs(k - Math.round(k)) * spacing < 2 ** -41 * (1 + Math.abs(cell.loss)); });
  return even ? { base: first, spacing, share } : { base: heaviest, spacing: 0, share };
}

function tile(law: LossLaw, cells: readonly Cell[], blocks: readonly number[], shares: readonly number[], grid: { base: number; step: number; tolerance: number }, plan: Plan, mass: number): Tiling {
  const { base, step } = grid;
  const times = plan.factors.reduce((sum, { count }) => sum + count, 0);
  // Below, mass whose tilted share does not matter; above, mass whose probability does not.
  let low = 0;
  let dropped = 0;
  while (low + 1 < cells.length && (dropped += shares[low]!) * times < 1e-8) low += 1;
  let high = cells.length - 1;
  let risked = 0;
  while (high > low && Math.log((risked += cells[high]!.p / mass) * times) < plan.logDelta - 18) high -= 1;
  const from = cells[low]!.left === -Infinity ? cells[low]!.right : cells[low]!.left;
  const to = cells[high]!.right === Infinity ? cells[high]!.left : cells[high]!.right;
  // Of a law that only dominates, its opposite releases nothing: the loss 0.
  const whole = law.massesInto === undefined;
  const left = Math.max(whole ? Math.min(0, from) : from, law.support.least);
  const right = Math.max(left, Math.min(to, law.support.most));
  const nodes: number[] = [];
  const widths: number[] = [];
  let node = Math.floor((left - base) / step + 1e-6);
  const lastNode = Math.max(node, Math.ceil((right - base) / step - 1e-6));
  let k = low;
  let previous = 1;
  nodes.push(node);
  widths.push(1);
  while (node < lastNode) {
    const start = base + step * (node + previous / 2);
    while (k < high && cells[k]!.right <= start) k += 1;
    let block = Math.max(step, Math.min(blocks[k]!, (cells[k]!.right - cells[k]!.left) / 6));
    for (let j = k + 1; j <= high && cells[j]!.left < start + block && block > step; j += 1) block = Math.max(step, cells[j]!.left - start, Math.min(block, blocks[j]!));
    const width = 2 * Math.floor((block / step - 1) / 2 + 1e-9) + 1;
    node += (previous + width) / 2;
    nodes.push(node);
    widths.push(width);
    previous = width;
  }
  return { ...grid, nodes: Float64Array.from(nodes), widths: Float64Array.from(widths) };
}
