import type { PrivacyLossDistribution } from '@lethe/core';
import { addUp, divideDown, expUp } from '@lethe/numerics';
import { binomialWindow } from './binomial.js';
import { discreteDistribution } from './discrete-distribution.js';

/** Larger numbers of users are priced as this number, an upper bound. */
const mostUsers = 2 ** 32;
/** A number with many divisors, so that atoms of small numbers of clones lie exactly on the grid. */
const cells = 5040;
const outerCells = 420;
/** Maximum relative difference of clone counts in one group. */
const groupWidth = 2e-4;
const negligible = 1e-300;

/**
 * Dominating pair, for both directions, of the shuffled messages of `users` users with `ε`-private local
 * randomisers.
 *
 * Each other user is a clone with probability `2/(e^ε + 1)`: it sends a message of one of the two kinds, by
 * a fair coin. `docs/decisions/0081` has the proof, for all randomisers, chosen adaptively too. With `C`
 * clones and `m = C + 1` messages, let `u` be the number of messages of one kind, `x = 2u/m − 1` and
 * `T = tanh(ε/2)`. The two distributions are `1 ± Tx` times `Binomial(m, ½)`: the loss is `2 artanh(Tx)`.
 *
 * Fewer clones give a larger loss, so a group of neighbouring counts is priced as its smallest. Both
 * densities are linear in `x`, so binomial masses may move to the ends of the cells of a grid in `x`.
 * @see Feldman, McMillan, Talwar 2021 and 2023.
 *
 * @param epsilon - Positive.
 */
export function clonesLossDistribution(epsilon: number, users: number): PrivacyLossDistribution {
  const rate = divideDown(2, addUp(1, expUp(epsilon)));
  const others = Math.min(users, mostUsers) - 1;
  const reach = Math.min(1, 24 / Math.sqrt(others * rate + 1));
  const grid = gridOf(reach);
  const weights = new Float64Array(grid.x.length);
  let grain = 2 ** -40;
  const { first, masses, below, error } =
    others === 0 || rate === 0
      ? { first: 0, masses: Float64Array.of(1), below: 0, error: 0 }
      : binomialWindow(others, rate);
  for (let i = 0; i < masses.length;) {
    const least = first + i;
    const end = Math.min(masses.length, i + 1 + Math.floor(least * groupWidth));
    let weight = 0;
    for (; i < end; i++) weight += masses[i];
    addBinomial(weights, grid, least + 1, weight);
  }
  if (below > 0) addBinomial(weights, grid, 1, below);
  grain += error + (8 * 40 * Math.sqrt(others + 1) + 2 * masses.length) * 2 ** -53;
  return atomsOf(epsilon, grid.x, weights, grain);
}

interface Grid {
  readonly x: Float64Array;
  readonly reach: number;
}

/** Grid of `x` from −1 to 1: even and fine within `±reach`, coarse outside. */
function gridOf(reach: number): Grid {
  if (reach === 1)
    return { reach, x: Float64Array.from({ length: cells + 1 }, (_, i) => (2 * i - cells) / cells) };
  const side = Array.from({ length: outerCells }, (_, i) => 1 - (i / outerCells) * (1 - reach));
  const middle = Array.from({ length: cells + 1 }, (_, i) => ((2 * i - cells) / cells) * reach);
  return { reach, x: Float64Array.from([...side.map((x) => -x), ...middle, ...side.toReversed()]) };
}

/** Adds `weight · Binomial(m, ½)`, as a distribution of `x = 2u/m − 1`, to the grid. */
function addBinomial(weights: Float64Array, { x, reach }: Grid, m: number, weight: number): void {
  if (weight === 0) return;
  const outer = reach === 1 ? 0 : outerCells;
  const start = Math.floor(m / 2);
  const least = negligible / weight;
  let total = 0;
  let rest = 0;
  // From the middle downwards; the other half is symmetric.
  let term = 1;
  for (let u = start; u >= 0; u--) {
    total += 2 * u === m ? term : 2 * term;
    if (term < least) {
      rest = term;
      break;
    }
    term *= u / (m - u + 1);
  }
  const unit = weight / total;
  const top = x.length - 1;
  const add = (position: number, k: number, mass: number): void => {
    const share = mass * (position - k);
    weights[k + 1] += share;
    weights[k] += mass - share;
    weights[top - k - 1] += share;
    weights[top - k] += mass - share;
  };
  term = unit;
  for (let u = start; u >= 0 && term >= least * unit; u--) {
    const at = (2 * u - m) / m;
    const mass = 2 * u === m ? term / 2 : term;
    if (at >= -reach) {
      const position = ((at / reach + 1) / 2) * cells;
      const k = Math.min(cells - 1, Math.floor(position));
      add(position + outer, k + outer, mass);
    } else {
      const position = ((at + 1) / (1 - reach)) * outerCells;
      add(position, Math.min(outerCells - 1, Math.floor(position)), mass);
    }
    term *= u / (m - u + 1);
  }
  // Bound on the omitted mass, placed at the ends, where the loss is largest.
  weights[0] += rest * unit * m;
  weights[top] += rest * unit * m;
}

function atomsOf(
  epsilon: number,
  x: Float64Array,
  weights: Float64Array,
  grain: number,
): PrivacyLossDistribution {
  const slope = Math.tanh(epsilon / 2);
  const little = 2 / (1 + Math.exp(epsilon));
  const losses = x.map((at) => (Math.abs(at) === 1 ? at * epsilon : 2 * Math.atanh(slope * at)));
  // Avoids cancellation in 1 − T at the ends.
  const p = weights.map((weight, i) => weight * (x[i] === -1 ? little : 1 + slope * x[i]));
  const q = weights.map((weight, i) => weight * (x[i] === 1 ? little : 1 - slope * x[i]));
  return discreteDistribution({ losses, p, q, infinite: 0, grain });
}
