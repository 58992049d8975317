import { InvalidParameter } from '@lethe/core';
import { nextDown } from '@lethe/numerics';
import { binOf } from './bins.js';
import type { EProcess } from './e-process.js';
import { mixture } from './mixture.js';
import { fedBy, wealth } from './wealth.js';

type Cdf = (x: number) => number;
/** A distribution on the bins between `edges` (see `binOf`). */
interface Binned {
  readonly edges: readonly number[];
  readonly masses: Float64Array;
}

const scales = [0.5, 0.7, 0.8, 0.9, 0.95, 1.05, 1.1, 1.25, 1.5, 2];
const shifts = [0.03, 0.1, 0.3, 1].flatMap((shift) => [shift, -shift]);
const tails = [1e-9, 1e-6, 1e-5, 1e-4, 1e-3, 4e-3];
/**
 * Error of a difference of two values of a distribution
 * function; added to the hypothesis, so that it stays valid.
 */
const slack = 2e-15;

/**
 * H0: draws are independent with distribution function `cdf`, atoms and gaps included. Bets on another scale
 * (half of the wealth), on shifts, and on another shape, which it learns from the draws. `reach` is that of
 * draws as the bets expect them, or which are all in the middle.
 *
 * @param cdf - `P(X ≤ x)`, non-decreasing from 0 to 1, to 1e-15.
 * @throws {InvalidParameter} for an invalid `cdf`, or for NaN.
 */
export function noiseDistribution({ cdf }: { readonly cdf: Cdf }): EProcess {
  const fine = cut(cdf, 64);
  const coarse = cut(cdf, 16);
  const unit = (quantile(cdf, 0.84) - quantile(cdf, 0.16)) / 2;
  const betOn = (other: Cdf): EProcess => {
    const masses = massesOf(other, fine.edges);
    const gains = masses.map((mass, bin) => Math.log(mass / (fine.masses[bin] + slack)));
    // What a draw gains on average where the bet is right.
    const growth = masses.reduce((sum, mass, bin) => sum + (mass > 0 ? mass * gains[bin] : 0), 0);
    return wealth(
      (fineBin: number) => gains[fineBin],
      (samples) => samples * growth,
    );
  };
  const known = mixture(
    [
      ...scales.map((scale) => betOn((x) => cdf(x / scale))),
      ...shifts.map((shift) => betOn((x) => cdf(x - shift * unit))),
    ],
    [...scales.map(() => 2 / scales.length), ...shifts.map(() => 1 / shifts.length)],
  );
  const placed = fedBy(known, (x: number) => binOf(fine.edges, x));
  const learned = fedBy(learnedShape(coarse.masses), (x: number) => binOf(coarse.edges, x));
  return fedBy(mixture([placed, learned], [3, 1]), (x: number) => {
    if (x === x) return x;
    throw new InvalidParameter('the draw is NaN, which no distribution function allows');
  });
}

/**
 * Bets on the histogram of the past, which starts as the distribution
 * itself, slightly smoothed, with the weight of `inertia` draws.
 */
function learnedShape(masses: Float64Array, inertia = 50): EProcess {
  const counts = masses.map((mass) => inertia * (0.99 * mass + 0.01 / masses.length));
  let total = inertia;
  return wealth((bin: number) => {
    const gain = Math.log(counts[bin] / (total * (masses[bin] + slack)));
    counts[bin]++;
    total++;
    return gain;
  }, reach);

  /** Wealth where all draws lie in the bin of the median. */
  function reach(samples: number): number {
    let [upTo, bin] = [masses[0], 0];
    while (upTo < 0.5 && bin + 1 < masses.length) upTo += masses[++bin];
    const first = inertia * (0.99 * masses[bin] + 0.01 / masses.length);
    let sum = 0;
    for (let k = 0; k < samples; k++) sum += Math.log((first + k) / ((inertia + k) * (masses[bin] + slack)));
    return sum;
  }
}

/** Cuts a distribution at equally spaced quantiles and far into its tails. */
function cut(cdf: Cdf, count: number): Binned {
  const inner = Array.from({ length: count - 1 }, (_, i) => (i + 1) / count);
  const edges = [
    ...new Set([...tails, ...inner, ...tails.map((tail) => 1 - tail)].map((level) => quantile(cdf, level))),
  ].toSorted((a, b) => a - b);
  return { edges, masses: massesOf(cdf, edges) };
}

function massesOf(cdf: Cdf, edges: readonly number[]): Float64Array {
  const upTo = [0, ...edges.map((edge) => probability(cdf, edge)), 1];
  return Float64Array.from({ length: edges.length + 1 }, (_, bin) => {
    const mass = upTo[bin + 1] - upTo[bin];
    if (mass >= -slack) return Math.max(mass, 0);
    throw new InvalidParameter(
      `the distribution function falls by ${-mass} before ${edges[bin]}; it must be non-decreasing`,
      { edge: edges[bin], mass },
    );
  });
}

/** A point just above the first at which the distribution function reaches `level`. */
function quantile(cdf: Cdf, level: number): number {
  let low = -1;
  let high = 1;
  while (probability(cdf, low) >= level) low = twice(low, level);
  while (probability(cdf, high) < level) high = twice(high, level);
  for (let halvings = 0; halvings < 200 && low < nextDown(high); halvings++) {
    const middle = low + (high - low) / 2;
    if (probability(cdf, middle) < level) low = middle;
    else high = middle;
  }
  return high;
}

function twice(end: number, level: number): number {
  if (Math.abs(end) < 1e300) return 2 * end;
  throw new InvalidParameter(
    `the distribution function does not pass ${level} before ${end}; it must go from 0 to 1`,
    { level, end },
  );
}

function probability(cdf: Cdf, x: number): number {
  const value = cdf(x);
  if (value >= 0 && value <= 1) return value;
  throw new InvalidParameter(`the distribution function is ${value} at ${x}; it must be a probability`, {
    x,
    value,
  });
}
