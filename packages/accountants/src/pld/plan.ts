import { defined } from '@lethe/numerics';
import { commonStep, type Offset } from './common-step.js';
import { type Composable, isPart, isProfileOnly } from './split-distribution.js';
import { baseAbout } from './grid-base.js';
import type { Tiling } from './grid-distribution.js';
import {
  bestTilt,
  type Goal,
  logMoment,
  logPeak,
  mostTilted,
  type CoarseFactor,
  tiltedMoments,
  tiltedShares,
  totalLogMoment,
} from './growth.js';
import { atomsAmong, type Cells, firstCells, refined, coarseCells } from './coarse-cells.js';

/** A distribution that occurs `count` times. */
export interface Factor {
  readonly distribution: Composable;
  readonly count: number;
}

/** A coarse analysis of a product: how to tilt it, and where its mass then is. */
export interface Plan {
  readonly factors: readonly (Factor & CoarseFactor)[];
  readonly tilt: number;
  /** Standard deviation of the tilted product. */
  readonly deviation: number;
  /** Approximations to `log δ` and ε of the answer. */
  readonly logDelta: number;
  readonly epsilon: number;
}

/** Cells that are narrow where masses are; parts of a distribution are in the plans of several terms. */
const known = new WeakMap<Composable, Cells>();

function cellsOf(distribution: Composable): Cells {
  let cells = known.get(distribution);
  if (cells === undefined) {
    cells = refined(distribution, coarseCells(distribution), shareOfBoth, 0.05);
    known.set(distribution, cells);
  }
  return cells;
}

/** The larger share of each cell, under `P` or `Q`. */
function shareOfBoth({ p, q }: Cells): Float64Array {
  const wholeP = p.reduce((sum, mass) => sum + mass, 1e-300);
  const wholeQ = q.reduce((sum, mass) => sum + mass, 1e-300);
  return p.map((mass, i) => Math.max(mass / wholeP, q[i] / wholeQ));
}

export function planOf(given: readonly Factor[], goal: Goal): Plan {
  const limits = given.length > 8 ? [0.04] : [0.05, 0.02];
  const first = given.map(({ distribution, count }) => ({
    distribution,
    count,
    cells: cellsOf(distribution),
  }));
  const whole = tiltedPlan(first, goal, limits);
  const ceiling = ceilingOf(whole);
  const shares = whole.factors.map(({ cells, count }) => {
    const weights = tiltedShares(cells, whole.tilt);
    return weights.reduce((sum, weight, i) => (cells.left[i] >= ceiling ? sum + count * weight : sum), 0);
  });
  if (!(shares.reduce((a, b) => a + b, 0) > 1e-6)) return whole;
  // Losses far above ε are treated as infinite, which changes the result little and keeps the grid and the
  // tilt to the others.
  const lost = whole.factors.reduce(
    (sum, { cells, count }) =>
      sum + count * cells.p.reduce((mass, p, i) => (cells.left[i] >= ceiling ? mass + p : mass), 0),
    0,
  );
  const rest = 'delta' in goal ? { delta: goal.delta - lost } : goal;
  if ('delta' in rest && !(rest.delta > 0.01 * (goal as { readonly delta: number }).delta)) return whole;
  const near = whole.factors.map(({ distribution, count, cells }) => ({
    distribution,
    count,
    cells: firstCells(cells, cells.left.filter((left) => left < ceiling).length),
  }));
  if (near.some(({ cells }) => cells.p.length === 0)) return whole;
  const plan = tiltedPlan(near, rest, limits);
  return 'delta' in goal ? { ...plan, logDelta: Math.log(goal.delta) } : plan;
}

/** Relative change below which a tilt has settled. */
const settled = 0.01;
/** The most rounds until a tilt has settled. */
const mostRounds = 12;

const deviationOf = (factors: Plan['factors'], tilt: number): number =>
  Math.sqrt(factors.reduce((sum, { cells, count }) => sum + count * tiltedMoments(cells, tilt).variance, 0));

/** A tilt, and cells that are fine where the tilted mass is. */
function tiltedPlan(given: Plan['factors'], goal: Goal, limits: readonly number[]): Plan {
  let factors = given;
  let tilt = bestTilt(factors, goal);
  const refine = (limit: number): void => {
    factors = factors.map(({ distribution, count, cells }) => ({
      distribution,
      count,
      cells: refined(
        distribution,
        cells,
        (all) => (isPart(distribution) ? frequentTilted(all, tilt, count, limit) : mostTilted(all, tilt)),
        limit,
      ),
    }));
  };
  for (const limit of limits) {
    refine(limit);
    tilt = bestTilt(factors, goal, { tilt, within: 4 });
  }
  // A tilt that is off by a share s costs about (s · tilt · deviation)²/2 of log δ, hundreds where δ is tiny:
  // cells and tilt take turns until it settles. Cells of a distribution that is known by its profile alone
  // cost too much for that.
  const most = given.some(({ distribution }) => isProfileOnly(distribution)) ? 0 : mostRounds;
  let change = Infinity;
  for (let round = 0; round < most && change > settled * tilt; round += 1) {
    refine(limits[limits.length - 1]);
    const next = bestTilt(factors, goal, { tilt, within: 1.5 });
    change = Math.abs(next - tilt);
    tilt = next;
  }
  const deviation = deviationOf(factors, tilt);
  const growth = totalLogMoment(factors, tilt);
  const bound = growth + logPeak(tilt);
  return {
    factors,
    tilt,
    deviation,
    ...('delta' in goal
      ? { logDelta: Math.log(goal.delta), epsilon: nearOf(growth, bound, tilt, deviation, goal.delta) }
      : { logDelta: Math.min(0, bound - tilt * goal.epsilon) - 4, epsilon: goal.epsilon }),
  };
}

/**
 * If the expected number of a cell's losses in the tilted product is at least this, the cell must be narrow
 * relative to the tilt.
 */
const frequentCount = 0.1;

/**
 * {@link mostTilted}, and also wide cells whose losses are frequent in the product though rare in a single
 * release.
 */
function frequentTilted(cells: Cells, tilt: number, count: number, limit: number): Float64Array {
  const weights = mostTilted(cells, tilt);
  const total = weights.reduce((a, b) => a + b, 0);
  return weights.map((weight, i) =>
    count * weight > frequentCount * total && tilt * (cells.right[i] - cells.left[i]) > 0.5
      ? Math.max(weight, 4 * limit * total)
      : weight,
  );
}

/** Minus the logarithm of the share of δ that may change when losses are treated as infinite. */
const farAbove = 11;

/**
 * The least loss that brings the sum far above ε whatever the others are; `Infinity` if the others are
 * unbounded from below.
 */
const ceilingOf = ({ epsilon, factors }: Plan): number =>
  epsilon +
  farAbove +
  factors.reduce((sum, { distribution, count }) => sum + count * Math.max(0, -distribution.support.least), 0);

/** The saddle-point approximation of ε where it is valid, at most Chernoff's bound. */
function nearOf(growth: number, bound: number, tilt: number, deviation: number, delta: number): number {
  const spread = Math.sqrt(2 * Math.PI) * deviation * tilt * (1 + tilt);
  const approximate = growth - Math.log(Math.max(spread, 1e-300));
  return Math.max(
    0,
    (Math.min(bound, deviation * tilt > 0.5 ? approximate : bound) - Math.log(delta)) / tilt,
  );
}

/** The most releases of a product for which the grid is fine where each share is small. */
const mostFineTimes = 1e10;

/** The most nodes of one distribution. */
const mostNodes = 1 << 18;

/** Blocks for each factor of a product, on grids with the same step and different starting points. */
export interface Tilings {
  readonly step: number;
  readonly tilings: readonly Tiling[];
}

/**
 * Chooses the blocks that give bounds about `width` apart with the fewest cells. A block of width `H` where
 * the tilted density is `ρ` adds about `ρ H³ (1 + tilt) / 8` to that width, so `H³` is proportional to `1/ρ`.
 * `undefined` if this takes too many nodes.
 *
 * @param coarse - Given if a transform has to hold the whole range, so that no block should be narrower than
 * necessary. It maps the largest possible width of the narrowest blocks, when half of the error is left to
 * the others, to the width to use, or to `undefined` to give up.
 */
export function tilingsOf(
  plan: Plan,
  width: number,
  coarse?: (step: number) => number | undefined,
): Tilings | undefined {
  const { factors, tilt } = plan;
  const shares = factors.map(({ cells }) => tiltedShares(cells, tilt));
  const atoms = factors.map(({ cells }) => atomsAmong(cells));
  const smooth = (k: number, i: number): boolean => {
    const { left, right } = factors[k].cells;
    return !atoms[k][i] && Math.abs(left[i]) + Math.abs(right[i]) < Infinity;
  };
  const lengths = factors.map(({ cells: { left, right } }) => right.map((end, i) => end - left[i]));
  let area = 0;
  factors.forEach(({ count }, k) =>
    shares[k].forEach((share, i) => {
      if (!(share > 1e-13 && smooth(k, i))) return;
      area += Math.cbrt(count * share * lengths[k][i] ** 2);
      // The half block next to an atom has nothing that balances it and moves down: 3 ρ H²/8 below the atom,
      // a quarter of that above.
      const beside = (atoms[k][i + 1] ? 3 : 0) + (atoms[k][i - 1] ? 0.75 : 0);
      if (beside > 0) area += (beside / (1 + tilt)) * Math.cbrt((count * share) / lengths[k][i]);
    }),
  );
  const widest = 1.5 / (1 + tilt);
  const pace = area === 0 ? 0 : Math.sqrt(((coarse ? 4 : 8) * width) / (1 + tilt) / area);
  const blocks = factors.map(({ count }, k) =>
    lengths[k].map((length, i) =>
      shares[k][i] === 0 ? widest : Math.min(widest, pace * Math.cbrt(length / (count * shares[k][i]))),
    ),
  );
  const lattices = factors.map(({ cells }, k) => latticeOf(cells, shares[k], atoms[k]));
  let step = widest;
  const anchor = coarse ? { index: -1, density: 0 } : anchorOf(factors, shares, smooth);
  const moved: Block[] = [];
  factors.forEach(({ distribution, cells, count }, k) => {
    // A node is on the peak, so mass near it is not moved far.
    const peak =
      coarse && lattices[k].share === 0 && isPart(distribution) ? peakOf(cells, shares[k]) : Infinity;
    const counts = coarse !== undefined || !isProfileOnly(distribution);
    shares[k].forEach((share, i) => {
      if (!(share > 1e-13 && smooth(k, i))) return;
      const block = blocks[k][i];
      if (!coarse && share > 0.004) step = Math.min(step, block);
      if (!counts) return;
      const away = Math.max(Math.abs(cells.left[i] - peak), Math.abs(cells.right[i] - peak));
      moved.push({ weight: count * share, width: block, away });
    });
  });
  if (coarse) {
    const wanted = coarse(widestStep(moved, (8 * width) / (1 + tilt)));
    if (wanted === undefined) return undefined;
    step = Math.min(widest, wanted);
  } else {
    // Shares that are small one by one may be large together, as between the atoms of many small losses. Of
    // more releases a transform loses by rounding what a finer grid gains.
    const times = factors.reduce((sum, { count }) => sum + count, 0);
    const most = (32 * width) / (1 + tilt);
    if (times <= mostFineTimes && movedBy(moved, step) > most) step = widestStep(moved, most / 2);
  }
  // The grid contains the atoms of the distribution with the largest weight.
  let spacing = 0;
  let weight = 0;
  lattices.forEach((lattice, k) => {
    if (lattice.spacing === 0) return;
    const mine = factors[k].count * lattice.share;
    if (mine > weight) [weight, spacing] = [mine, lattice.spacing];
  });
  if (spacing > 0)
    step = commonStep(
      spacing,
      step,
      lattices.flatMap(({ offsets }, k) =>
        offsets.map((atom) => ({ distance: atom.distance, weight: factors[k].count * atom.weight })),
      ),
    );
  const tilings: Tiling[] = [];
  for (const [k, { distribution, cells }] of factors.entries()) {
    const tiling = tile(
      distribution,
      cells,
      blocks[k].map((block, i) => {
        if (!smooth(k, i)) return atoms[k][i] ? 0 : widest;
        return k === anchor.index && shares[k][i] > anchor.density * lengths[k][i] ? step : block;
      }),
      {
        base:
          lattices[k].share === 0 &&
          distribution.massesInto &&
          (coarse || (isPart(distribution) && isPeak(cells, shares[k], step)))
            ? baseAbout(distribution, peakOf(cells, shares[k]), step, tilt)
            : lattices[k].base,
        step,
        tolerance: lattices[k].share > 0 ? 2 ** -40 : 0,
      },
      plan,
      { mass: cells.p.reduce((n, p) => n + p, 0), whole: logMoment(cells, tilt) },
    );
    if (tiling === undefined) return undefined;
    tilings.push(tiling);
  }
  return { step, tilings };
}

/** A part of a tilted distribution, the largest width of its blocks, and its largest distance from a node. */
interface Block {
  readonly weight: number;
  readonly width: number;
  readonly away: number;
}

/** The sum of `weight · width²`, or less near a node, on a grid with this step. */
const movedBy = (blocks: readonly Block[], step: number): number =>
  blocks.reduce((all, { weight, width, away }) => {
    const block = Math.max(step, width);
    return all + weight * block * Math.min(block, 4 * away);
  }, 0);

/** The step at which {@link movedBy} is `most`. */
function widestStep(blocks: readonly Block[], most: number): number {
  let [low, high] = [-60, 8];
  while (high - low > 0.05) {
    const middle = (low + high) / 2;
    if (movedBy(blocks, 2 ** middle) < most) low = middle;
    else high = middle;
  }
  return 2 ** low;
}

/** The loss at which a distribution's tilted density is largest. */
function peakOf({ left, right, loss }: Cells, shares: Float64Array): number {
  const density = (i: number): number => shares[i] / (right[i] - left[i]);
  return loss[shares.reduce((best, _, i) => (density(i) > density(best) ? i : best), 0)];
}

/**
 * Whether most of a distribution is within half a step of its peak, so that it is nearly an atom of the grid.
 */
function isPeak(cells: Cells, shares: Float64Array, step: number): boolean {
  const peak = peakOf(cells, shares);
  return (
    shares.reduce(
      (sum, share, i) =>
        cells.left[i] > peak - step / 2 && cells.right[i] < peak + step / 2 ? sum + share : sum,
      0,
    ) > 0.8
  );
}

/**
 * The smooth distribution with the largest count, and a fraction of its largest density. Above that density
 * its nodes should be consecutive, which shows that high frequencies are negligible.
 */
function anchorOf(
  factors: Plan['factors'],
  shares: readonly Float64Array[],
  smooth: (k: number, i: number) => boolean,
): { readonly index: number; readonly density: number } {
  let found = { index: -1, density: 0 };
  let most = 0;
  factors.forEach(({ cells, count }, index) => {
    const dense = Array.from(shares[index], (share, i) => ({
      share: smooth(index, i) ? share : 0,
      density: share / (cells.right[i] - cells.left[i]),
    })).filter(({ share }) => share > 0);
    const inside = dense.reduce((sum, { share }) => sum + share, 0);
    if (count * inside <= most) return;
    most = count * inside;
    dense.sort((a, b) => b.density - a.density);
    let part = 0;
    found = {
      index,
      density: defined(dense.find(({ share }) => (part += share) > 0.2 * inside)).density / 4,
    };
  });
  return found;
}

/**
 * The atoms of a distribution, if they are evenly spaced: one of them, their spacing, and their total share.
 */
function latticeOf(
  cells: Cells,
  shares: Float64Array,
  isAtom: readonly boolean[],
): {
  readonly base: number;
  readonly spacing: number;
  readonly share: number;
  readonly offsets: readonly Offset[];
} {
  const atoms = Array.from(cells.loss, (loss, i) => ({ loss, share: shares[i] })).filter(
    ({ share }, i) => isAtom[i] && share > 1e-9,
  );
  if (atoms.length === 0) return { base: 0, spacing: 0, share: 0, offsets: [] };
  const share = atoms.reduce((sum, atom) => sum + atom.share, 0);
  const first = atoms[0].loss;
  const last = atoms[atoms.length - 1].loss;
  let gap = Infinity;
  for (let i = 1; i < atoms.length; i += 1) gap = Math.min(gap, atoms[i].loss - atoms[i - 1].loss);
  const heaviest = atoms.reduce((a, b) => (b.share > a.share ? b : a)).loss;
  const offsets = (base: number): readonly Offset[] =>
    atoms
      .filter(({ loss }) => loss !== base)
      .map((atom) => ({ distance: atom.loss - base, weight: atom.share }));
  if (gap === Infinity) return { base: heaviest, spacing: 0, share, offsets: [] };
  const spacing = (last - first) / Math.round((last - first) / gap);
  const even = atoms.every(({ loss }) => {
    const k = (loss - first) / spacing;
    return Math.abs(k - Math.round(k)) * spacing < 2 ** -41 * (1 + Math.abs(loss));
  });
  return even
    ? { base: first, spacing, share, offsets: offsets(first) }
    : { base: heaviest, spacing: 0, share, offsets: offsets(heaviest) };
}

function tile(
  distribution: Composable,
  { left: lefts, right: rights, p }: Cells,
  blocks: Float64Array,
  grid: { base: number; step: number; tolerance: number },
  plan: Plan,
  { mass, whole }: { readonly mass: number; readonly whole: number },
): Tiling | undefined {
  const { base, step } = grid;
  const times = plan.factors.reduce((sum, { count }) => sum + count, 0);
  // Cut off below where the tilted share is negligible even when it is moved up, and above where the
  // probability is negligible.

  let low = 0;
  let dropped = 0;
  while (low + 1 < p.length && Math.log((dropped += p[low]) * times) + plan.tilt * rights[low] - whole < -18)
    low += 1;
  let high = p.length - 1;
  let risked = 0;
  while (high > low && Math.log((risked += p[high] / mass) * times) < plan.logDelta - 18) high -= 1;
  const from = lefts[low] === -Infinity ? rights[low] : lefts[low];
  const to = rights[high] === Infinity ? lefts[high] : rights[high];
  // If the distribution is only an upper bound, the lower bound is a release of nothing: the loss 0.
  const unsplit = distribution.massesInto === undefined;
  const left = Math.max(unsplit ? Math.min(0, from) : from, distribution.support.least);
  const right = Math.max(left, Math.min(to, distribution.support.most));
  const nodes: number[] = [];
  const widths: number[] = [];
  let node = Math.floor((left - base) / step + 1e-6);
  const lastNode = Math.max(node, Math.ceil((right - base) / step - 1e-6));
  let k = low;
  let previous = 1;
  nodes.push(node);
  widths.push(1);
  while (node < lastNode) {
    if (nodes.length >= mostNodes) return undefined;
    const start = base + step * (node + previous / 2);
    while (k < high && rights[k] <= start) k += 1;
    let block = Math.max(step, Math.min(blocks[k], (rights[k] - lefts[k]) / 6));
    for (let j = k + 1; j <= high && lefts[j] < start + block && block > step; j += 1)
      block = Math.max(step, lefts[j] - start, Math.min(block, blocks[j]));
    const width = 2 * Math.floor((block / step - 1) / 2 + 1e-9) + 1;
    node += (previous + width) / 2;
    nodes.push(node);
    widths.push(width);
    previous = width;
  }
  return { ...grid, nodes: Float64Array.from(nodes), widths: Float64Array.from(widths) };
}
