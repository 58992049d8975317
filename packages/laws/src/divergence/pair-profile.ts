import { addUp, type Bounds, defined, expDown, expUp } from '@lethe/numerics';
import { type DominatingPair, type PrivacyLossDistribution, type PairFactor } from '@lethe/core';
import { convolve, gridDelta, type LossGrid, power, type Side } from './loss-grid.js';

const mostPoints = 4000;
const mostRuns = 64;
/** Tolerance of a mass at the edges of its cell, relative to its loss. */
const edge = 2 ** -43;

/**
 * Bounds of the hockey-stick divergence of the two distributions
 * of a pair at every real ε; `undefined` for unsupported products.
 */
export function pairProfile({ factors }: DominatingPair): ((epsilon: number) => Bounds) | undefined {
  const [first] = factors;
  if (first === undefined)
    return (epsilon) => ({
      lower: Math.max(0, 1 - expUp(epsilon) - 2 ** -52),
      upper: Math.max(0, 1 - expDown(epsilon)),
    });
  if (factors.length === 1 && first.count === 1) return (epsilon) => first.distribution.hockeyStick(epsilon);
  const runs = factors.reduce((sum, { count }) => sum + count, 0);
  if (runs > mostRuns || factors.some(({ distribution }) => distribution.massesInto === undefined))
    return undefined;
  const ranges = factors.map(({ distribution }) => rangeOf(distribution));
  const step = stepFor(factors, ranges);
  // Losses that are huge relative to their dispersion do not fit these grids.
  if (ranges.some(([from, to]) => !(from <= to && Math.max(Math.abs(from), Math.abs(to)) < 2 ** 40 * step)))
    return undefined;
  let sides: { readonly [S in Side]: Rounded } | undefined;
  return (epsilon) => {
    sides ??= {
      down: composed(factors, { ranges, step }, 'down'),
      up: composed(factors, { ranges, step }, 'up'),
    };
    const slack = factors.reduce(
      (sum, { distribution, count }) =>
        sum +
        count *
          edge *
          (1 +
            Math.min(
              800,
              Math.max(Math.abs(distribution.support.least), Math.abs(distribution.support.most)),
            )),
      0,
    );
    return {
      lower: Math.min(
        1,
        Math.max(0, gridDelta(sides.down.grid, epsilon + slack, 'down') + sides.down.beyond * (1 - 2 ** -40)),
      ),
      upper: Math.min(1, addUp(gridDelta(sides.up.grid, epsilon - slack, 'up'), sides.up.beyond)),
    };
  };
}

type Range = readonly [from: number, to: number];
interface Rounded {
  readonly grid: LossGrid;
  readonly beyond: number;
}

/**
 * Losses of the product of all factors, each rounded to `side`
 * of its cell; `beyond` is the mass of infinite losses.
 */
function composed(
  factors: readonly PairFactor[],
  { ranges, step }: { readonly ranges: readonly Range[]; readonly step: number },
  side: Side,
): Rounded {
  let grid: LossGrid | undefined;
  let stays = 1;
  for (const [i, { distribution, count }] of factors.entries()) {
    const one = rounded(distribution, ranges[i], step, side);
    const run = power(one.grid, count);
    // The loss of a product is finite only if that of each factor is.
    stays *= (1 - one.beyond) ** count;
    grid = grid === undefined ? run : convolve(grid, run);
  }
  return {
    grid: defined(grid),
    beyond:
      side === 'up'
        ? Math.min(1, (1 - stays) * (1 + 2 ** -40) + 2 ** -52)
        : Math.max(0, 1 - stays - 2 ** -52),
  };
}

function stepFor(factors: readonly PairFactor[], ranges: readonly Range[]): number {
  const width = factors.reduce((sum, { count }, i) => sum + count * (ranges[i][1] - ranges[i][0]), 0);
  return Math.max(width, 1e-9) / mostPoints;
}

function rounded(
  distribution: PrivacyLossDistribution,
  [from, to]: Range,
  step: number,
  side: Side,
): Rounded {
  const first = Math.floor(from / step);
  const last = Math.ceil(to / step) + 1;
  const cells = last - first + 2;
  const edges = Float64Array.from({ length: cells + 1 }, (_, i) => {
    if (i === 0) return -Infinity;
    return i === cells ? Infinity : (first + i - 1) * step;
  });
  const [p, q] = [new Float64Array(cells), new Float64Array(cells)];
  defined(distribution.massesInto)(p, q, edges);
  const { grain = 2 ** -44 } = distribution;
  const masses = new Float64Array(last - first + 1);
  if (side === 'down') {
    for (let i = 1; i < cells; i++) masses[i - 1] += p[i] * (1 - grain);
    return { grid: { step, first, masses }, beyond: distribution.infinite * (1 - 2 ** -40) };
  }
  for (let i = 0; i + 1 < cells; i++) masses[i] += p[i] * (1 + grain);
  return {
    grid: { step, first, masses },
    beyond: Math.min(1, distribution.infinite + p[cells - 1] * (1 + grain)),
  };
}

/** Range of losses with nearly all the mass of P. */
function rangeOf(distribution: PrivacyLossDistribution): Range {
  const ends = Float64Array.from({ length: 1025 }, (_, i) => {
    if (i === 0) return -Infinity;
    return i === 1024 ? Infinity : ((i - 512) * Math.max(1, 0.25 * Math.abs(i - 512))) / 8;
  });
  const [p, q] = [new Float64Array(1024), new Float64Array(1024)];
  defined(distribution.massesInto)(p, q, ends);
  let [low, high] = [0, 1023];
  while (low < 1022 && !(p[low] > 1e-17)) low++;
  while (high > low && !(p[high] > 1e-17)) high--;
  return [
    Math.max(distribution.support.least, ends[Math.max(1, low)]),
    Math.min(distribution.support.most, ends[Math.min(1023, high + 1)]),
  ];
}
