import type { PrivacyLossDistribution } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { discreteDistribution } from './discrete-distribution.js';
import { lazyLossDistribution } from './lazy-distribution.js';
import {
  cut,
  evenly,
  mergedRatioDistribution,
  ratioDistribution,
  type RatioDistribution,
} from './ratio-distribution.js';

/** Cells of the likelihood ratios of one step, and of combined steps. */
export const cells = 1500;
const coarsely = 150;
/**
 * Larger numbers of steps are priced as this number, an upper bound, and have no witness, since rounding
 * errors grow with the number.
 */
export const mostSteps = 2 ** 22;

/**
 * Dominating privacy-loss distributions of random allocation over `steps` batches, for removal and addition
 * of a record; computed lazily. `undefined` if `distribution` has no finite approximation.
 *
 * @param distribution - Privacy-loss distribution of one step, with the record in `P`.
 */
export function allocatedLossDistributions(
  distribution: PrivacyLossDistribution,
  steps: number,
): Allocated | undefined {
  const single = ratioDistribution(distribution, cells);
  return single && bothWays(() => recently(single, Math.min(steps, mostSteps), convolve));
}

/**
 * The same pair from below: what a release shows after outcomes of about the same likelihood ratio are
 * merged. `undefined` if `distribution` has no finite approximation, or the number of steps is too large.
 *
 * Merging is post-processing. That of `s + t` steps merges what two releases show that were merged already,
 * so that their ratio is the weighted mean of two ratios here too.
 *
 * @param distribution - Privacy-loss distribution of one step that some neighbours attain, with the record in
 * `P`.
 */
export function allocatedWitnesses(
  distribution: PrivacyLossDistribution,
  steps: number,
): Allocated | undefined {
  const single = steps > mostSteps ? undefined : mergedRatioDistribution(distribution, cells);
  return single && bothWays(() => recently(single, steps, merge));
}

/** Privacy-loss distributions for removal and addition of a record. */
export interface Allocated {
  readonly remove: PrivacyLossDistribution;
  readonly add: PrivacyLossDistribution;
}

function bothWays(compute: () => RatioDistribution): Allocated {
  let found: RatioDistribution | undefined;
  const columns = (): RatioDistribution & { readonly p: Float64Array } => {
    found ??= compute();
    return { ...found, p: found.q.map((mass, i) => mass * defined(found).ratios[i]) };
  };
  return {
    remove: lazyLossDistribution(() => {
      const { ratios, p, q, infinite, grain } = columns();
      return discreteDistribution({ losses: ratios.map(Math.log), p, q, infinite, grain });
    }),
    add: lazyLossDistribution(() => {
      const { ratios, p, q, nothing, grain } = columns();
      return discreteDistribution({
        losses: ratios.map((ratio) => -Math.log(ratio)),
        p: q,
        q: p,
        infinite: nothing,
        grain,
      });
    }),
  };
}

/** Combines two distributions: outcomes are put on a grid of ratios. */
type Join = (
  a: RatioDistribution,
  alpha: number,
  b: RatioDistribution,
  beta: number,
  grid: Float64Array,
) => RatioDistribution;

/** The last results, for other accountants and questions about the same event. */
let recent: readonly {
  readonly single: RatioDistribution;
  readonly steps: number;
  readonly join: Join;
  readonly result: RatioDistribution;
}[] = [];
const mostRecent = 8;

/** {@link allocated}, or what it gave before for the same numbers. */
function recently(single: RatioDistribution, steps: number, join: Join): RatioDistribution {
  const known = recent.find(
    (one) => one.steps === steps && one.join === join && isSame(one.single, single),
  )?.result;
  if (known !== undefined) return known;
  const result = allocated(single, steps, join);
  recent = [{ single, steps, join, result }, ...recent.slice(0, mostRecent - 1)];
  return result;
}

const isSame = (one: RatioDistribution, other: RatioDistribution): boolean =>
  one.infinite === other.infinite &&
  one.nothing === other.nothing &&
  one.grain === other.grain &&
  one.ratios.length === other.ratios.length &&
  one.ratios.every((ratio, i) => ratio === other.ratios[i]) &&
  one.q.every((mass, i) => mass === other.q[i]);

/**
 * Finite pair for `P` in one uniform step and `Q` in all others, against `Q` in all steps. It dominates if
 * `single` dominates the pair of one step and outcomes move to the ends of cells; it is dominated if `single`
 * is and outcomes are merged.
 *
 * The likelihood ratio of `s + t` steps is the weighted mean of the ratios of `s` and of `t` steps, which are
 * independent under `Q`. So `O(log steps)` combinations suffice, each on a new grid.
 */
function allocated(single: RatioDistribution, steps: number, join: Join): RatioDistribution {
  let distribution = single;
  let count = 1;
  for (const bit of steps.toString(2).slice(1)) {
    distribution = combined(distribution, count, distribution, count, join);
    count *= 2;
    if (bit === '1') {
      distribution = combined(distribution, count, single, 1, join);
      count += 1;
    }
  }
  return distribution;
}

/** Ratio distribution of `s + t` steps from those of `s` and of `t` steps. */
function combined(
  a: RatioDistribution,
  s: number,
  b: RatioDistribution,
  t: number,
  join: Join,
): RatioDistribution {
  const alpha = s / (s + t);
  const beta = t / (s + t);
  // Coarse copies locate the outcomes.
  const lowest = (one: RatioDistribution, other: RatioDistribution, weight: number, others: number): number =>
    weight * one.ratios[0] + (other.nothing > cut ? 0 : others * other.ratios[0]);
  const least = Math.log(Math.min(lowest(a, b, alpha, beta), lowest(b, a, beta, alpha)));
  const most = Math.log(alpha * last(a.ratios) + beta * last(b.ratios));
  const fewA = coarsened(a);
  const fewB = a === b ? fewA : coarsened(b);
  const coarse = convolve(fewA, alpha, fewB, beta, evenly(least, most, 3 * coarsely).map(Math.exp));
  return join(a, alpha, b, beta, gridFor(coarse));
}

const last = (values: Float64Array): number => values[values.length - 1];

/**
 * Grid of ratios that covers all but mass `cut` at each end, denser where the mass is. The error of a cell is
 * proportional to its mass times its squared width, so the total is minimal for a density proportional to the
 * cube root of the mass.
 */
function gridFor({ ratios, q }: RatioDistribution): Float64Array {
  let first = 0;
  let end = ratios.length - 1;
  for (let mass = q[0]; mass < cut && first < end; mass += q[first]) first++;
  for (let mass = q[end] * ratios[end]; mass < cut && end > first; mass += q[end] * ratios[end]) end--;
  first = Math.max(0, first - 1);
  end = Math.min(ratios.length - 1, end + 1);
  const density = new Float64Array(end - first);
  let most = 0;
  for (let i = first; i < end; i++)
    most = Math.max(
      most,
      (density[i - first] = Math.cbrt(q[i] * (1 + ratios[i]) + q[i + 1] * (1 + ratios[i + 1]))),
    );
  let total = 0;
  for (let i = 0; i < density.length; i++) {
    density[i] += 0.02 * most;
    total += density[i];
  }
  const grid = new Float64Array(cells + 1);
  let cell = 0;
  let cumulative = 0;
  for (let k = 0; k <= cells; k++) {
    const goal = (total * k) / cells;
    while (cell < density.length - 1 && cumulative + density[cell] < goal) cumulative += density[cell++];
    const low = Math.log(ratios[first + cell]);
    const high = Math.log(ratios[first + cell + 1]);
    grid[k] = Math.exp(low + Math.min(1, (goal - cumulative) / density[cell]) * (high - low));
  }
  // If all ratios are close, some grid points coincide.
  const apart = grid.filter((ratio, k) => k === 0 || ratio - grid[k - 1] > 2 ** -48 * ratio);
  return apart.length === grid.length
    ? grid
    : evenly(Math.log(grid[0]), Math.log(grid[cells]), cells).map(Math.exp);
}

/** A dominating distribution on a subset of the ratios, with a fixed stride. */
function coarsened(distribution: RatioDistribution): RatioDistribution {
  if (distribution.ratios.length <= coarsely) return distribution;
  const stride = Math.ceil(distribution.ratios.length / coarsely);
  const kept = distribution.ratios.filter((_, i) => i % stride === 0 || i === distribution.ratios.length - 1);
  const one: RatioDistribution = {
    ratios: Float64Array.of(1),
    q: Float64Array.of(1),
    infinite: 0,
    nothing: 0,
    grain: 0,
  };
  return convolve(distribution, 1, one, 0, kept);
}

/** The pairs of outcomes in each cell of a grid: below its first point, from that point on, and so on. */
interface Cells {
  /** Masses under `Q`. */
  readonly masses: Float64Array;
  /** Masses times how far ratios are above the start of the cell, which is 0 for the first. */
  readonly excess: Float64Array;
  /** Bound on the relative errors of these sums. */
  readonly rounding: number;
}

/**
 * All pairs of outcomes, by the cell of `grid` that the sum of `alpha` and `beta` times their ratios is in.
 * Pairs with the ratio 0 are left out.
 *
 * Rounding: outcomes ascend in a row, so each entry is a sum of at most one number per row and two runs.
 */
function pairsIn(
  grid: Float64Array,
  a: RatioDistribution,
  alpha: number,
  b: RatioDistribution,
  beta: number,
): Cells {
  const masses = new Float64Array(grid.length + 1);
  const excess = new Float64Array(grid.length + 1);
  const isSquare = a === b && alpha === beta;
  // Outcomes of ratio 0 come first.
  const whole = !isSquare && b.nothing > 0;
  const ratios = whole ? Float64Array.of(0, ...b.ratios) : b.ratios;
  const shares = whole ? Float64Array.of(b.nothing, ...b.q) : b.q;
  /** All outcomes from `start`; of the one at `once` half. */
  const row = (base: number, weight: number, start: number, once = -1): void => {
    let k = 0;
    let floor = 0;
    let mass = 0;
    let above = 0;
    for (let j = start; j < ratios.length; j++) {
      const ratio = base + beta * ratios[j];
      if (k < grid.length && ratio >= grid[k]) {
        masses[k] += mass;
        excess[k] += above;
        mass = 0;
        above = 0;
        do k++;
        while (k < grid.length && ratio >= grid[k]);
        floor = grid[k - 1];
      }
      const one = j === once ? 0.5 * weight * shares[j] : weight * shares[j];
      mass += one;
      above += one * (ratio - floor);
    }
    masses[k] += mass;
    excess[k] += above;
  };
  if (isSquare) {
    // Each unordered pair once, with double weight.
    if (a.nothing > 0) row(0, 2 * a.nothing, 0);
    for (let i = 0; i < a.ratios.length; i++) row(alpha * a.ratios[i], 2 * a.q[i], i, i);
  } else {
    if (a.nothing > 0) row(0, a.nothing, whole ? 1 : 0);
    for (let i = 0; i < a.ratios.length; i++) row(alpha * a.ratios[i], a.q[i], 0);
  }
  return { masses, excess, rounding: 2 * (a.ratios.length + b.ratios.length + 8) * 2 ** -53 };
}

/**
 * Convolution: all pairs of outcomes, moved to the ends of the cells of `grid`. The shares correspond to a
 * ratio with an error of a few units in the last place.
 */
function convolve(
  a: RatioDistribution,
  alpha: number,
  b: RatioDistribution,
  beta: number,
  grid: Float64Array,
): RatioDistribution {
  const { masses, excess, rounding } = pairsIn(grid, a, alpha, b, beta);
  const top = grid.length - 1;
  const q = new Float64Array(grid.length);
  for (let k = 0; k < top; k++) {
    const high = excess[k + 1] / (grid[k + 1] - grid[k]);
    q[k] += masses[k + 1] - high;
    q[k + 1] += high;
  }
  const lowest = excess[0] / grid[0];
  q[0] += lowest;
  q[top] += masses[top + 1];
  return {
    ratios: grid,
    q,
    infinite: alpha * a.infinite + beta * b.infinite + excess[top + 1],
    // More mass dominates.
    nothing: a.nothing * b.nothing + masses[0] * (1 + 2 * rounding) - lowest,
    grain: a.grain + b.grain + rounding,
  };
}

/** Masses of cells below this have fewer digits; they are left out. */
const faint = 2 ** -960;

/**
 * All pairs of outcomes, those of one cell of `grid` merged; the first and the last cell have what is beyond.
 * Without outcomes of ratio 0 or ∞.
 *
 * Leaving a cell out lowers the profile.
 */
function merge(
  a: RatioDistribution,
  alpha: number,
  b: RatioDistribution,
  beta: number,
  grid: Float64Array,
): RatioDistribution {
  const { masses, excess, rounding } = pairsIn(grid, a, alpha, b, beta);
  const q = masses.slice(1);
  const p = q.map((mass, k) => grid[k] * mass + excess[k + 1]);
  q[0] += masses[0];
  p[0] += excess[0];
  const kept = [...q.keys()].filter((k) => q[k] > faint);
  return {
    ratios: Float64Array.from(kept, (k) => p[k] / q[k]),
    q: Float64Array.from(kept, (k) => q[k]),
    infinite: 0,
    nothing: 0,
    grain: a.grain + b.grain + rounding,
  };
}
