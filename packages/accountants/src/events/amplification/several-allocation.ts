import type { PrivacyLossDistribution } from '@lethe/core';
import { transform, transformError } from '../../fourier/fft.js';
import { reachOf, type Summand } from '../../fourier/reach.js';
import { manyFourierSums } from '../../fourier/sums.js';
import { type Allocated, cells, mostSteps } from './allocation.js';
import { discreteDistribution } from './discrete-distribution.js';
import { lazyLossDistribution } from './lazy-distribution.js';
import { mergedRatioDistribution, type RatioDistribution } from './ratio-distribution.js';

/** Largest number of grid points between contributions of one step. */
const farthestNode = 4096;
/** The most points of a circle. */
const longestCircle = 2 ** 15;
/** How far sums are tilted, in units of one over their standard deviation. */
const tilts = [0, 2, 4, 6, 9, -2, -4, -6, -9];
/** Minus the logarithm of the mass that may be farther from the mean than a circle reaches. */
const outside = 42;
const unit = 2 ** -53;

/**
 * What a sum over all steps shows, for removal and addition of a record that is in a uniformly random set of
 * `times` of `steps` batches. `undefined` if `distribution` has no finite approximation, or the number of
 * steps is too large.
 *
 * With `c = times/steps` and a step's likelihood ratio `r`, every step contributes `log(1 + c (r − 1))`,
 * rounded at random to a grid, coarser for large contributions, so that its mean stays. The sum, modulo the
 * circle's length, has the same distribution whichever steps have the record: the sum of `times`
 * contributions under `P` and the others under `Q`, independently. That is post-processing, so every
 * divergence of the two sums is a lower bound.
 *
 * Both are found by Fourier transforms, tilted several times. A point's probability is the largest of the
 * proved lower bounds where less mass lowers the profile, and the smallest of the upper bounds elsewhere.
 *
 * @param distribution - Privacy-loss distribution of one step that some neighbours attain, with the record in
 * `P`.
 * @param times - Less than `steps`.
 */
export function severalWitnesses(
  distribution: PrivacyLossDistribution,
  steps: number,
  times: number,
): Allocated | undefined {
  const single = steps > mostSteps ? undefined : mergedRatioDistribution(distribution, cells);
  if (single === undefined) return undefined;
  let found: Sums | undefined;
  const sums = (): Sums => (found ??= sumsOver(contributionsOf(single, steps, times), single.grain));
  return {
    remove: lazyLossDistribution(() => ratioOf(sums().present, sums().absent, sums().grain)),
    add: lazyLossDistribution(() => ratioOf(sums().absent, sums().present, sums().grain)),
  };
}

/** What one step contributes, on a grid, with the record (`P`) and without it (`Q`). */
interface Contributions {
  readonly steps: number;
  readonly times: number;
  readonly nodes: Float64Array;
  readonly p: Float64Array;
  readonly q: Float64Array;
}

function contributionsOf({ ratios, q }: RatioDistribution, steps: number, times: number): Contributions {
  const share = times / steps;
  const values = ratios.map((ratio) => Math.log1p(share * (ratio - 1)));
  const p = q.map((mass, i) => mass * ratios[i]);
  const variance = share * spreadOf(values, p) + (1 - share) * spreadOf(values, q) || 1;
  // Rounding at random adds about a two-hundredth to the variance.
  const width = Math.max(Math.sqrt(variance) / 6, (values[values.length - 1] - values[0]) / farthestNode);
  const nodes = [Math.floor(values[0] / width)];
  while (nodes[nodes.length - 1] * width <= values[values.length - 1])
    nodes.push(nodes[nodes.length - 1] + Math.max(1, Math.floor(Math.abs(nodes[nodes.length - 1]) / 64)));
  const onGrid = (masses: Float64Array): Float64Array => {
    const sums = new Float64Array(nodes.length);
    let above = 1;
    for (let i = 0; i < values.length; i++) {
      const at = values[i] / width;
      while (above < nodes.length - 1 && nodes[above] < at) above++;
      const [low, high] = [nodes[above - 1], nodes[above]];
      const up = masses[i] * Math.min(1, Math.max(0, (at - low) / (high - low)));
      sums[above - 1] += masses[i] - up;
      sums[above] += up;
    }
    return sums;
  };
  return { steps, times, nodes: Float64Array.from(nodes), p: onGrid(p), q: onGrid(q) };
}

function meanOf(values: Float64Array, masses: Float64Array): number {
  let total = 0;
  let sum = 0;
  for (let i = 0; i < values.length; i++) {
    total += masses[i];
    sum += masses[i] * values[i];
  }
  return sum / total;
}

function spreadOf(values: Float64Array, masses: Float64Array): number {
  const mean = meanOf(values, masses);
  return meanOf(
    values.map((value) => (value - mean) ** 2),
    masses,
  );
}

/** Logarithms of proved bounds on the probabilities of sums, by point of the grid. */
interface Bounded {
  readonly lower: Map<number, number>;
  readonly upper: Map<number, number>;
}

interface Sums {
  readonly present: Bounded;
  readonly absent: Bounded;
  /** Relative error of all probabilities beside their bounds. */
  readonly grain: number;
}

const noBounds = (): Bounded => ({ lower: new Map(), upper: new Map() });

function sumsOver(one: Contributions, grain: number): Sums {
  const present = noBounds();
  const absent = noBounds();
  const { steps, times, nodes, p, q } = one;
  const variance = times * spreadOf(nodes, p) + (steps - times) * spreadOf(nodes, q);
  let farthest = 0;
  for (const tilt of tilts) {
    const theta = tilt / Math.sqrt(variance);
    const tilted = tiltedSums(one, theta);
    if (tilted === undefined) continue;
    farthest = Math.max(farthest, tilted.exponent);
    const { start, length } = tilted;
    for (let i = 0; i < length; i++) {
      const sum = start + i;
      const at = ((sum % length) + length) % length;
      take(present, sum, tilted.present, at, theta);
      take(absent, sum, tilted.absent, at, theta);
    }
  }
  return { present, absent, grain: steps * (grain + (8 * farthest + 32) * unit) };
}

/** Probabilities of tilted sums on a circle. */
interface Circle {
  /** Logarithm of the total before it was 1. */
  readonly scale: number;
  readonly masses: Float64Array;
  /** Bound on the absolute error of each. */
  readonly error: number;
}

function take(
  bounds: Bounded,
  sum: number,
  { scale, masses, error }: Circle,
  at: number,
  theta: number,
): void {
  const back = scale - theta * sum;
  const lower = masses[at] > error ? back + Math.log(masses[at] - error) : -Infinity;
  const upper = back + Math.log(Math.max(0, masses[at]) + error);
  if (lower > (bounds.lower.get(sum) ?? -Infinity)) bounds.lower.set(sum, lower);
  if (upper < (bounds.upper.get(sum) ?? Infinity)) bounds.upper.set(sum, upper);
}

/** One factor of a product of distributions, tilted, with total 1. */
interface Factor extends Summand {
  readonly scale: number;
  /** Largest exponent of a weight that matters. */
  readonly exponent: number;
}

function factorOf(nodes: Float64Array, masses: Float64Array, theta: number, count: number): Factor {
  const logs = masses.map((mass, i) => (mass > 0 ? Math.log(mass) + theta * nodes[i] : -Infinity));
  const most = logs.reduce((a, b) => Math.max(a, b), -Infinity);
  const weights = logs.map((log) => Math.exp(log - most));
  let total = 0;
  for (const weight of weights) total += weight;
  return {
    count,
    nodes,
    weights: weights.map((weight) => weight / total),
    mean: meanOf(nodes, weights),
    scale: most + Math.log(total),
    exponent: Math.max(Math.abs(theta * nodes[0]), Math.abs(theta * nodes[nodes.length - 1])) + 750,
  };
}

function tiltedSums(
  { steps, times, nodes, p, q }: Contributions,
  theta: number,
):
  | {
      readonly present: Circle;
      readonly absent: Circle;
      readonly start: number;
      readonly length: number;
      readonly exponent: number;
    }
  | undefined {
  const chosen = factorOf(nodes, p, theta, times);
  const others = factorOf(nodes, q, theta, steps - times);
  const all = { ...others, count: steps };
  const sides = [[chosen, others], [all]];
  const least = Math.min(
    ...sides.map((factors) => meanOfSum(factors) - reachOf(factors, 1, -1, outside).distance),
  );
  const most = Math.max(
    ...sides.map((factors) => meanOfSum(factors) + reachOf(factors, 1, 1, outside).distance),
  );
  const length = 2 ** Math.ceil(Math.log2(Math.max(16, most - least + 2)));
  if (!(length <= longestCircle)) return undefined;
  const frequencies = length / 2 + 1;
  const { re, im, errors } = manyFourierSums(nodes, [chosen.weights, others.weights], length, frequencies);
  const transformed: Transformed[] = [
    { re: re[0], im: im[0], error: errors[0] },
    { re: re[1], im: im[1], error: errors[1] },
  ];
  const spectra = [
    product(transformed, [times, steps - times], frequencies),
    product(transformed, [0, steps], frequencies),
  ];
  // One complex transform of both: the real part is that of the first.
  const x = new Float64Array(length);
  const y = new Float64Array(length);
  let norm = 0;
  for (let j = 0; j < length; j++) {
    const mirrored = j > length / 2;
    const k = mirrored ? length - j : j;
    const sign = mirrored ? -1 : 1;
    const [first, second] = spectra;
    x[j] = first.re[k] - sign * second.im[k];
    y[j] = sign * first.im[k] + second.re[k];
    norm += x[j] * x[j] + y[j] * y[j];
  }
  transform(x, y);
  const byTransform = (1.01 * transformError(length) * Math.sqrt(norm)) / Math.sqrt(length);
  const circle = (masses: Float64Array, lost: number, scale: number): Circle => ({
    scale,
    masses: masses.map((mass) => mass / length),
    // What is beyond the circle on either side comes back to some point of it.
    error: 1.01 * (lost / Math.sqrt(length) + byTransform) + 2.1 * Math.exp(-outside),
  });
  return {
    present: circle(x, spectra[0].lost, times * chosen.scale + (steps - times) * others.scale),
    absent: circle(y, spectra[1].lost, steps * others.scale),
    start: Math.floor(least),
    length,
    exponent: Math.max(chosen.exponent, others.exponent),
  };
}

const meanOfSum = (factors: readonly Factor[]): number =>
  factors.reduce((sum, { count, mean }) => sum + count * mean, 0);

/** Values of a characteristic function, at the frequencies from 0 to half the circle. */
interface Values {
  readonly re: Float64Array;
  readonly im: Float64Array;
}
interface Transformed extends Values {
  /** Bound on the absolute error of each value. */
  readonly error: number;
}
interface Product extends Values {
  /** Bound on the 2-norm of the errors, over the whole circle. */
  readonly lost: number;
}

/** Product of powers of characteristic functions. */
function product(factors: readonly Transformed[], counts: readonly number[], frequencies: number): Product {
  const re = new Float64Array(frequencies);
  const im = new Float64Array(frequencies);
  let squares = 0;
  for (let j = 0; j < frequencies; j++) {
    let log = 0;
    let phase = 0;
    let most = 0;
    let relative = 16 * unit;
    for (const [f, { re: x, im: y, error }] of factors.entries()) {
      const count = counts[f];
      if (count === 0) continue;
      const size = Math.hypot(x[j], y[j]);
      most += count * Math.min(0, Math.log(size + 1.01 * error));
      if (size < 4 * error) {
        relative = Infinity;
        continue;
      }
      log += count * Math.log(size);
      phase += (count * Math.atan2(y[j], x[j])) % (2 * Math.PI);
      relative += count * ((1.01 * error) / size + 24 * unit);
    }
    let error = 1.01 * Math.exp(most);
    if (relative < 0.3) {
      const size = Math.exp(log);
      re[j] = size * Math.cos(phase);
      im[j] = size * Math.sin(phase);
      error = 1.2 * size * relative;
    }
    // All frequencies but the first and the last stand for two.
    squares += (j === 0 || j === frequencies - 1 ? 1 : 2) * error * error;
  }
  return { re, im, lost: Math.sqrt(squares) };
}

/** From lower bounds of the first and upper bounds of the second; points without either are left out. */
function ratioOf({ lower }: Bounded, { upper }: Bounded, grain: number): PrivacyLossDistribution {
  const points: { readonly log: number; readonly against: number }[] = [];
  for (const [sum, log] of lower) {
    const against = upper.get(sum) ?? Infinity;
    if (log > -600 && against > -600 && against < 1) points.push({ log, against });
  }
  points.sort((a, b) => a.log - a.against - (b.log - b.against));
  return discreteDistribution({
    losses: Float64Array.from(points, ({ log, against }) => log - against),
    p: Float64Array.from(points, ({ log }) => Math.exp(log)),
    q: Float64Array.from(points, ({ against }) => Math.exp(against)),
    infinite: 0,
    grain,
  });
}
