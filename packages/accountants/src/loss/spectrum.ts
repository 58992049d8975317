import { decayBeyond } from './decay.js';
import { fourierSums } from './fourier-sums.js';
import { transform, transformError } from './fft.js';
import type { TiltedLaw } from './tilted-law.js';

/** The characteristic function of a product on a circle of `period` points, where it matters. */
export interface Spectrum {
  readonly period: number;
  /** 0 first, then others up to half of the period. */
  readonly frequencies: Float64Array;
  readonly re: Float64Array;
  readonly im: Float64Array;
  /** Absolute errors. */
  readonly error: Float64Array;
  /** Nothing that was left out is larger. */
  readonly beyond: number;
}

/** `log` of what counts as nothing. */
const nothing = -42;
/** Longest transform: its arrays take 64 MiB. */
export const longest = 1 << 20;
const unit = 2 ** -53;

/** Operations that a transform or sum may take: some nanoseconds each. */
export const mostWork = 4e8;

const lengthFor = (period: number): number => 2 ** Math.ceil(Math.log2(Math.max(16, period)));

/** What the transforms of some laws on a circle take. */
export function transformWork(period: number, laws: number): number {
  const length = lengthFor(period);
  return length > longest ? Infinity : length * (3 * Math.log2(length) + 60) * laws;
}

/** What spectra would take, and the points of their circle. */
export interface Cost { readonly work: number; readonly period: number }

/** The product of the factors' transforms, raised to their counts; `undefined` unless what it takes is accepted. */
export function spectraOf(sides: readonly (readonly TiltedLaw[])[], period: number, accepts: (cost: Cost) => boolean = ({ work }) => work <= mostWork): readonly Spectrum[] | undefined {
  const reach = Math.max(...sides.map((laws) => firstNegligible(laws, period)));
  const points = Math.max(...sides.map((laws) => laws.reduce((sum, { nodes }) => sum + nodes.length, 0)));
  const direct = 4 * reach * points;
  const byTransform = transformWork(period, Math.max(...sides.map((laws) => laws.length)));
  if (!accepts({ work: Math.min(direct, byTransform), period })) return undefined;
  return direct <= byTransform ? sides.map((laws) => directly(laws, period, reach)) : transformed(sides, lengthFor(period));
}

/** A frequency from which on the product is proved to be negligible: at most half of the period. */
function firstNegligible(laws: readonly TiltedLaw[], period: number): number {
  const decay = decayBeyond(laws);
  const half = Math.floor(period / 2);
  let low = 0;
  let high = 1;
  while (high < half && decay((2 * Math.PI * high) / period) > nothing) [low, high] = [high, 2 * high];
  if (high >= half) return half + 1;
  while (high - low > 1 + high / 50) {
    const middle = Math.floor((low + high) / 2);
    if (decay((2 * Math.PI * middle) / period) > nothing) low = middle;
    else high = middle;
  }
  return high;
}

interface Powers { readonly logSize: Float64Array; readonly logMost: Float64Array; readonly phase: Float64Array; readonly relative: Float64Array }
const noPowers = (n: number): Powers => ({ logSize: new Float64Array(n), logMost: new Float64Array(n), phase: new Float64Array(n), relative: new Float64Array(n) });

/** Multiplies by the `count`-th power of a value with an absolute error. */
function multiply(powers: Powers, j: number, re: number, im: number, count: number, error: number): void {
  if (powers.logMost[j]! < nothing) return;
  const size = Math.sqrt(re * re + im * im);
  if (size < 4 * error) {
    powers.logMost[j]! += count * Math.log(Math.min(1, size + 1.01 * error));
    powers.relative[j] = Infinity;
    return;
  }
  const log = Math.log(size);
  powers.logMost[j]! += count * Math.min(0, log + 1.01 * error / size);
  if (powers.logMost[j]! < nothing) return;
  powers.logSize[j]! += count * log;
  powers.phase[j]! += (count * Math.atan2(im, re)) % (2 * Math.PI);
  powers.relative[j]! += count * (1.01 * error / size + 24 * unit);
}

function finished({ logSize, logMost, phase, relative }: Powers, period: number, beyond: number): Spectrum {
  const frequencies = Float64Array.from(logSize.keys()).filter((j) => j === 0 || logMost[j]! > nothing);
  const n = frequencies.length;
  const [re, im, error] = [new Float64Array(n), new Float64Array(n), new Float64Array(n)];
  frequencies.forEach((j, i) => {
    if (relative[j]! < 0.3) {
      const size = Math.exp(logSize[j]!);
      re[i] = size * Math.cos(phase[j]!);
      im[i] = size * Math.sin(phase[j]!);
      error[i] = size * 1.2 * relative[j]!;
    } else {
      error[i] = 1.01 * Math.exp(logMost[j]!);
    }
  });
  return { period, frequencies, re, im, error, beyond: n < logSize.length ? Math.max(beyond, Math.exp(nothing)) : beyond };
}

function directly(laws: readonly TiltedLaw[], period: number, reach: number): Spectrum {
  const n = Math.min(reach, Math.floor(period / 2) + 1);
  const powers = noPowers(n);
  // The widest law first: what it leaves of the higher frequencies is nothing, and the others need not be asked there.
  let alive = n;
  for (const law of laws.toSorted((a, b) => b.count * variance(b) - a.count * variance(a))) {
    while (alive > 1 && powers.logMost[alive - 1]! < nothing) alive -= 1;
    const { re, im, error } = fourierSums(law, period, alive);
    for (let j = 0; j < alive; j += 1) multiply(powers, j, re[j]!, im[j]!, law.count, error);
  }
  return finished(powers, period, reach <= Math.floor(period / 2) ? Math.exp(nothing) : 0);
}

const variance = ({ nodes, weights, mean }: TiltedLaw): number => weights.reduce((sum, weight, i) => sum + weight * (nodes[i]! - mean) ** 2, 0);

/** Both sides at once, one as the real and one as the imaginary part. */
function transformed(sides: readonly (readonly TiltedLaw[])[], period: number): readonly Spectrum[] {
  const n = period / 2 + 1;
  const all = sides.map(() => noPowers(n));
  const [re, im] = [new Float64Array(period), new Float64Array(period)];
  const most = Math.max(...sides.map((laws) => laws.length));
  for (let k = 0; k < most; k += 1) {
    const [first, second] = [sides[0]?.[k], sides[1]?.[k]];
    re.fill(0);
    im.fill(0);
    const norm = Math.hypot(first === undefined ? 0 : fold(re, first), second === undefined ? 0 : fold(im, second));
    transform(re, im);
    const error = 2 * transformError(period) * Math.sqrt(period) * norm;
    for (let j = 0; j < n; j += 1) {
      const other = (period - j) % period;
      if (first !== undefined) multiply(all[0]!, j, (re[j]! + re[other]!) / 2, -(im[j]! - im[other]!) / 2, first.count, error);
      if (second !== undefined) multiply(all[1]!, j, (im[j]! + im[other]!) / 2, (re[j]! - re[other]!) / 2, second.count, error);
    }
  }
  return all.map((powers) => finished(powers, period, 0));
}

/** Adds a law to a circle; returns the 2-norm of what is on it. */
function fold(circle: Float64Array, { nodes, weights }: TiltedLaw): number {
  const n = circle.length;
  for (let i = 0; i < nodes.length; i += 1) circle[((nodes[i]! % n) + n) % n]! += weights[i]!;
  let square = 0;
  for (const x of circle) square += x * x;
  return Math.sqrt(square);
}
