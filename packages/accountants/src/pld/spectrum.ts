import { neumaierSum } from '@lethe/numerics';
import { decayBeyond } from './decay.js';
import { fourierSums, manyFourierSums } from '../fourier/sums.js';
import { transform, transformError } from '../fourier/fft.js';
import type { TiltedDistribution } from './tilted-distribution.js';
import type { Spread } from './spread.js';

/**
 * The characteristic function of a product on a circle of `period` points, at the frequencies where it is not
 * negligible.
 */
export interface Spectrum {
  readonly period: number;
  /** 0 first, then others up to half the period. */
  readonly frequencies: Float64Array;
  readonly re: Float64Array;
  readonly im: Float64Array;
  /** Absolute errors. */
  readonly error: Float64Array;
  /** The same without the errors of transforms. */
  readonly rounding: Float64Array;
  /**
   * 2-norm, over the whole circle, of the errors of transforms; `Infinity` if only {@link Spectrum.error}
   * bounds them.
   */
  readonly lost: number;
  /** Upper bound on the modulus at the frequencies that were left out. */
  readonly beyond: number;
}

/** Logarithm of the modulus below which a frequency is negligible. */
const logNegligible = -42;
/** The longest transform; its arrays take 64 MiB. */
export const longest = 1 << 20;
const unit = 2 ** -53;

/** The most operations that a transform or sum may take, at some nanoseconds each. */
export const mostWork = 4e8;

const lengthFor = (period: number): number => 2 ** Math.ceil(Math.log2(Math.max(16, period)));

/** Number of operations to transform some distributions on a circle. */
export function transformWork(period: number, distributions: number): number {
  const length = lengthFor(period);
  return length > longest ? Infinity : length * (3 * Math.log2(length) + 60) * distributions;
}

/** The operations that the spectra would take, and the number of points of their circle. */
export interface Cost {
  readonly work: number;
  readonly period: number;
}

/**
 * The product of the factors' transforms, raised to their counts; `undefined` if `accepts` refuses the cost.
 */
export function spectraOf(
  sides: readonly (readonly TiltedDistribution[])[],
  period: number,
  accepts: (cost: Cost) => boolean = ({ work }) => work <= mostWork,
): readonly Spectrum[] | undefined {
  const reach = Math.max(...sides.map((distributions) => firstNegligible(distributions, period)));
  // What the members of an ensemble add is transformed, too.
  const mostOf = (size: (distribution: TiltedDistribution) => number): number =>
    Math.max(
      ...sides.map((distributions) =>
        distributions.reduce((sum, one) => sum + size(one) * (one.spread === undefined ? 1 : 2), 0),
      ),
    );
  const direct = 4 * reach * mostOf(({ nodes }) => nodes.length);
  const byTransform = transformWork(
    period,
    mostOf(() => 1),
  );
  if (!accepts({ work: Math.min(direct, byTransform), period })) return undefined;
  return direct <= byTransform
    ? sides.map((distributions) => directly(distributions, period, reach))
    : transformed(sides, lengthFor(period));
}

/** A frequency from which on the product is proved to be negligible, at most half the period. */
function firstNegligible(distributions: readonly TiltedDistribution[], period: number): number {
  const decay = decayBeyond(distributions);
  const half = Math.floor(period / 2);
  let low = 0;
  let high = 1;
  while (high < half && decay((2 * Math.PI * high) / period) > logNegligible) [low, high] = [high, 2 * high];
  if (high >= half) return half + 1;
  while (high - low > 1 + high / 50) {
    const middle = Math.floor((low + high) / 2);
    if (decay((2 * Math.PI * middle) / period) > logNegligible) low = middle;
    else high = middle;
  }
  return high;
}

interface Powers {
  readonly logSize: Float64Array;
  readonly logMost: Float64Array;
  readonly phase: Float64Array;
  readonly relative: Float64Array;
  readonly rounding: Float64Array;
}
const noPowers = (n: number): Powers => ({
  logSize: new Float64Array(n),
  logMost: new Float64Array(n),
  phase: new Float64Array(n),
  relative: new Float64Array(n),
  rounding: new Float64Array(n),
});

/**
 * A distribution with most of its mass at the node 0, as that atom and the rest. Only the rest is summed or
 * transformed, so errors are relative to it.
 */
interface Parted {
  readonly count: number;
  readonly atom: number;
  readonly rest: TiltedDistribution;
  readonly restTotal: number;
}

function parted(distribution: TiltedDistribution): Parted {
  const { count, nodes, weights } = distribution;
  const at = nodes.indexOf(0);
  if (!(weights[at] > 0.5)) return { count, atom: 0, rest: distribution, restTotal: 1 };
  const others = weights.slice();
  others[at] = 0;
  const restTotal = neumaierSum(others);
  return { count, atom: 1 - restTotal, rest: { ...distribution, weights: others }, restTotal };
}

/**
 * Multiplies by the `count`-th power of a characteristic function's value; the part due to the rest is given,
 * with an absolute error.
 */
function multiply(
  powers: Powers,
  j: number,
  { atom, restTotal, count }: Parted,
  re: number,
  im: number,
  {
    error,
    transformed: byTransform,
    away: others = 0,
  }: {
    readonly error: number;
    readonly transformed: boolean;
    /** The mean distance of the members of an ensemble from their mean. */
    readonly away?: number;
  },
): void {
  if (powers.logMost[j] < logNegligible) return;
  const [x, y] = [re + atom, im];
  const size = Math.sqrt(x * x + y * y);
  if (size < 4 * error) {
    powers.logMost[j] += count * Math.log(Math.min(1, size + 1.01 * error + others));
    powers.relative[j] = Infinity;
    return;
  }
  // Near the atom, the logarithm is as exact as the rest is small.
  const away = atom > 0 ? (Math.abs(re) + Math.abs(im)) / atom : 1;
  const near = away < 0.25;
  const log = near
    ? Math.log1p(-restTotal) + 0.5 * Math.log1p((2 * re + (re * re + im * im) / atom) / atom)
    : Math.log(size);
  powers.logMost[j] += count * Math.min(0, log + (1.01 * error + others) / size);
  if (powers.logMost[j] < logNegligible) return;
  powers.logSize[j] += count * log;
  powers.phase[j] += (count * Math.atan2(y, x)) % (2 * Math.PI);
  const units = 24 * unit * (near ? 2 * away + restTotal : 1);
  powers.relative[j] += count * ((1.01 * error) / size + units);
  powers.rounding[j] += count * ((byTransform ? 0 : (1.01 * error) / size) + units);
}

/** A frequency's part of a difference of an ensemble, with its error. */
interface Apart {
  readonly re: number;
  readonly im: number;
  readonly error: number;
}

/**
 * How far members are from their mean, on average. The sizes of a product's factors are at most their mean
 * size, to the power of their number.
 */
const awayOf = (spread: Spread | undefined, { re, im, error }: Apart): number =>
  spread === undefined ? 0 : spread.usual * (Math.hypot(re, im) + error) * (1 + 2 ** -40);

/** Of larger relative differences the series of the logarithm is not used. */
const largestPart = 0.2;

/**
 * Multiplies by what the members of an ensemble add to the power of their mean, `mean` at this frequency:
 * `Σ log(1 + d z)` for `z = difference / mean`, as a series of the powers of `d`. {@link multiply}
 * comes first.
 */
function multiplySpread(
  powers: Powers,
  j: number,
  { powers: sums, most }: Spread,
  mean: Apart,
  { re, im, error }: Apart,
): void {
  if (powers.logMost[j] < logNegligible) return;
  const square = mean.re * mean.re + mean.im * mean.im;
  const size = Math.sqrt(square);
  const z = (Math.hypot(re, im) + error) / Math.max(0, size - 1.01 * mean.error);
  if (!(most * z < largestPart)) {
    powers.relative[j] = Infinity;
    return;
  }
  const [a, b] = [(re * mean.re + im * mean.im) / square, (im * mean.re - re * mean.im) / square];
  let [log, phase] = [0, 0];
  let [c, d] = [a, b];
  for (let k = 1; k < sums.length; k += 1) {
    const factor = ((k % 2 === 0 ? -1 : 1) * sums[k]) / k;
    log += factor * c;
    phase += factor * d;
    [c, d] = [c * a - d * b, c * b + d * a];
  }
  powers.logSize[j] += log;
  powers.phase[j] += phase;
  // What follows in the series is at most Σ|d z|^K/K/(1 − |d z|). The sum's change with z is at most
  // |Σ d| + 2 Σ d² |z|.
  const [count, sum, squares] = sums;
  const left = (squares * z * z * (most * z) ** (sums.length - 2)) / sums.length / (1 - largestPart);
  const wrong = (1.01 * (error + z * mean.error)) / size + 16 * unit * z;
  const moved = 1.01 * (left + (Math.abs(sum) + 2 * squares * z) * wrong) + 64 * unit * count * most * z;
  powers.relative[j] += moved;
  powers.rounding[j] += moved;
}

function finished(
  { logSize, logMost, phase, relative, rounding }: Powers,
  period: number,
  beyond: number,
  lost = Infinity,
): Spectrum {
  let n = 0;
  for (let j = 0; j < logSize.length; j += 1) if (j === 0 || logMost[j] > logNegligible) n += 1;
  const [frequencies, re, im, error, rounded] = [0, 1, 2, 3, 4].map(() => new Float64Array(n));
  for (let j = 0, i = 0; j < logSize.length; j += 1) {
    if (j > 0 && !(logMost[j] > logNegligible)) continue;
    frequencies[i] = j;
    if (relative[j] < 0.3) {
      const size = Math.exp(logSize[j]);
      re[i] = size * Math.cos(phase[j]);
      im[i] = size * Math.sin(phase[j]);
      error[i] = size * 1.2 * (relative[j] + 16 * unit);
      rounded[i] = size * 1.2 * (rounding[j] + 16 * unit);
    } else {
      error[i] = 1.01 * Math.exp(logMost[j]);
      rounded[i] = error[i];
    }
    i += 1;
  }
  return {
    period,
    frequencies,
    re,
    im,
    error,
    rounding: rounded,
    lost,
    beyond: n < logSize.length ? Math.max(beyond, Math.exp(logNegligible)) : beyond,
  };
}

function directly(distributions: readonly TiltedDistribution[], period: number, reach: number): Spectrum {
  const n = Math.min(reach, Math.floor(period / 2) + 1);
  const powers = noPowers(n);
  // The widest distribution first: where it is negligible, at higher frequencies, the others need not be
  // evaluated.
  let alive = n;
  const byNodes = new Map<Float64Array, TiltedDistribution[]>();
  for (const distribution of distributions) {
    const same = byNodes.get(distribution.nodes) ?? [];
    same.push(distribution);
    byNodes.set(distribution.nodes, same);
  }
  const groups = [...byNodes.values()].toSorted((a, b) => spreadOf(b) - spreadOf(a));
  for (const group of groups) {
    const [distribution] = group;
    if (group.length > 1 || distribution.spread !== undefined) continue;
    while (alive > 1 && powers.logMost[alive - 1] < logNegligible) alive -= 1;
    const part = parted(distribution);
    const { re, im, error } = fourierSums(part.rest, period, alive);
    const wrong = { error: error * part.restTotal, transformed: false };
    for (let j = 0; j < alive; j += 1) multiply(powers, j, part, re[j], im[j], wrong);
  }
  for (const group of groups) {
    if (group.length === 1 && group[0].spread === undefined) continue;
    while (alive > 1 && powers.logMost[alive - 1] < logNegligible) alive -= 1;
    multiplyEnsemble(powers, group, period, alive);
  }
  return finished(powers, period, reach <= Math.floor(period / 2) ? Math.exp(logNegligible) : 0);
}

const spreadOf = (distributions: readonly TiltedDistribution[]): number =>
  distributions.reduce((sum, distribution) => sum + distribution.count * variance(distribution), 0);

/** Multiplies by all intervals of an ensemble, which have the same nodes. */
function multiplyEnsemble(
  powers: Powers,
  distributions: readonly TiltedDistribution[],
  period: number,
  count: number,
): void {
  const parts = distributions.map(parted);
  const { re, im, errors } = manyFourierSums(
    distributions[0].nodes,
    [
      ...parts.map(({ rest }) => rest.weights),
      ...distributions.flatMap(({ spread }) => (spread === undefined ? [] : [spread.difference])),
    ],
    period,
    count,
    [
      ...parts.map(({ restTotal }) => restTotal),
      // Errors of differences matter far less than those of means.
      ...distributions.flatMap(({ spread }, i) =>
        spread === undefined ? [] : [spread.size + parts[i].restTotal / 8],
      ),
    ],
  );
  let next = distributions.length;
  distributions.forEach(({ spread }, i) => {
    const part = parts[i];
    const wrong = errors[i];
    if (spread === undefined) {
      for (let j = 0; j < count; j += 1)
        multiply(powers, j, part, re[i][j], im[i][j], { error: wrong, transformed: false });
      return;
    }
    const difference = next++;
    const [mineRe, mineIm, apartRe, apartIm] = [re[i], im[i], re[difference], im[difference]];
    for (let j = 0; j < count; j += 1) {
      const apart = { re: apartRe[j], im: apartIm[j], error: errors[difference] + 8 * unit };
      const mean = { re: mineRe[j] + part.atom, im: mineIm[j], error: wrong + 4 * unit };
      multiply(powers, j, part, mineRe[j], mineIm[j], {
        error: wrong,
        transformed: false,
        away: awayOf(spread, apart),
      });
      multiplySpread(powers, j, spread, mean, apart);
    }
  });
}

const variance = ({ nodes, weights, mean }: TiltedDistribution): number =>
  weights.reduce((sum, weight, i) => sum + weight * (nodes[i] - mean) ** 2, 0);

/** Transforms both sides at once, one as the real and the other as the imaginary part. */
function transformed(sides: readonly (readonly TiltedDistribution[])[], period: number): readonly Spectrum[] {
  const n = period / 2 + 1;
  const all = sides.map(() => noPowers(n));
  const lost = sides.map(() => 0);
  const [re, im] = [new Float64Array(period), new Float64Array(period)];
  const most = Math.max(...sides.map((distributions) => distributions.length));
  for (let k = 0; k < most; k += 1) {
    const parts = sides.map((distributions) =>
      distributions[k] === undefined ? undefined : parted(distributions[k]),
    );
    const [first, second] = parts;
    re.fill(0);
    im.fill(0);
    const norm = Math.hypot(
      first === undefined ? 0 : fold(re, first.rest),
      second === undefined ? 0 : fold(im, second.rest),
    );
    transform(re, im);
    const whole = transformError(period) * Math.sqrt(period) * norm;
    // Raising a modulus of at most 1 to a power multiplies its error at most by the count; if that is large,
    // the other bound is used.
    const spreads = sides.map((distributions) => distributions[k]?.spread);
    const differences = differencesOf(sides, k, period);
    parts.forEach((part, i) => {
      if (part !== undefined) lost[i] += spreads[i] === undefined ? 1.7 * part.count * whole : Infinity;
    });
    const wrong = { error: 2 * whole, transformed: true };
    parts.forEach((part, i) => {
      if (part === undefined) return;
      const powers = all[i];
      const spread = spreads[i];
      // The first side has the even part of `re` and the odd part of `im`; the second the others.
      const [even, odd, sign] = i === 0 ? [re, im, -1] : [im, re, 1];
      for (let j = 0; j < n; j += 1) {
        const other = (period - j) % period;
        const x = (even[j] + even[other]) / 2;
        const y = (sign * (odd[j] - odd[other])) / 2;
        const apart = spread === undefined ? undefined : differences?.(i, j);
        // No object for each frequency where there is no ensemble.
        multiply(
          powers,
          j,
          part,
          x,
          y,
          apart === undefined ? wrong : { ...wrong, away: awayOf(spread, apart) },
        );
        if (spread !== undefined && apart !== undefined)
          multiplySpread(powers, j, spread, { re: x + part.atom, im: y, error: 2 * whole + 4 * unit }, apart);
      }
    });
  }
  return all.map((powers, i) => finished(powers, period, 0, lost[i]));
}

/** The transforms of the differences of an ensemble on both sides; `undefined` where there is no ensemble. */
function differencesOf(
  sides: readonly (readonly TiltedDistribution[])[],
  k: number,
  period: number,
): ((side: number, j: number) => Apart) | undefined {
  if (sides.every((distributions) => distributions[k]?.spread === undefined)) return undefined;
  const circles = [new Float64Array(period), new Float64Array(period)] as const;
  const norm = Math.hypot(
    ...sides.map((distributions, i) => {
      const distribution = distributions[k];
      return distribution?.spread === undefined
        ? 0
        : fold(circles[i], { ...distribution, weights: distribution.spread.difference });
    }),
  );
  const [re, im] = circles;
  transform(re, im);
  const error = 2 * transformError(period) * Math.sqrt(period) * norm + 8 * unit;
  return (side, j) => {
    const other = (period - j) % period;
    return side === 0
      ? { re: (re[j] + re[other]) / 2, im: -(im[j] - im[other]) / 2, error }
      : { re: (im[j] + im[other]) / 2, im: (re[j] - re[other]) / 2, error };
  };
}

/** Adds a distribution to a circle; returns the 2-norm of the circle. */
function fold(circle: Float64Array, { nodes, weights }: TiltedDistribution): number {
  const n = circle.length;
  for (let i = 0; i < nodes.length; i += 1) circle[((nodes[i] % n) + n) % n] += weights[i];
  let square = 0;
  for (const x of circle) square += x * x;
  return Math.sqrt(square);
}
