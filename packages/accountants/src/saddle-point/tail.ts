import { type Factor, type TotalTilt, unit } from './tilt.js';

/**
 * Neighbouring atoms merged: their weights, the offsets of their means from the tilted mean, and the variance
 * lost by merging.
 */
interface Binned {
  readonly weights: Float64Array;
  readonly offsets: Float64Array;
  readonly lost: number;
  readonly variance: number;
  readonly count: number;
}

/** A range of frequencies, and a bound on the modulus of the tilted sum's characteristic function there. */
export interface SlotRange {
  readonly from: number;
  readonly length: number;
  readonly most: number;
}

/** Below this logarithm, a bound on the modulus is not improved further. */
const negligible = -24;
/**
 * If the bound aimed at has a logarithm above this, a whole lobe is taken as the range, whatever its bound
 * is.
 */
const recurring = -1;
const mostSteps = 1500;
const fewestSteps = 30;
const mostTerms = 120_000;

/**
 * Bounds on the modulus of the tilted sum's characteristic function on consecutive ranges of frequencies from
 * `start` on. The last range is unbounded.
 *
 * The variance limits how fast the modulus can change: with `D` the difference of two tilted copies of one
 * loss, `|φ₁(t)|² = E cos tD`, whose slope is at most `min(t E D², E|D|)`.
 */
export function rangesFrom(
  factors: readonly Factor[],
  { parts, variance }: TotalTilt,
  start: number,
): readonly SlotRange[] {
  const size = Math.min(512, Math.max(8, Math.floor(4096 / factors.length)));
  const distributions = factors.map(({ atoms, count }, i) =>
    binned(atoms.positions, parts[i].weights, parts[i].mean, parts[i].variance, count, size),
  );
  const terms = distributions.reduce((sum, { weights }) => sum + weights.length, 0);
  const lobe = variance > 0 ? 2 / Math.sqrt(variance) : start;
  const ranges: SlotRange[] = [];
  let t = start;
  for (
    let step = Math.min(mostSteps, Math.max(fewestSteps, Math.floor(mostTerms / terms)));
    step > 0;
    step--
  ) {
    const gaps = distributions.map((distribution) => gapAt(distribution, t));
    const logSup = (length: number): number =>
      distributions.reduce((sum, distribution, i) => sum + supremum(distribution, gaps[i], t, length), 0);
    const wanted = Math.max(negligible, 0.6 * logSup(0));
    let length = Math.max(lobe, t);
    while (length > lobe / 8 && logSup(length) > wanted) length *= 0.8;
    if (wanted > recurring || logSup(length) > wanted) length = Math.max(length, lobe);
    ranges.push({ from: t, length, most: Math.exp(logSup(length)) });
    t += length;
  }
  return [...ranges, { from: t, length: Infinity, most: 1 }];
}

/** Upper bound of `count · log|φ₁|` on `[t, t + length]`, from `1 − |φ₁(t)|²`. */
function supremum({ variance, count }: Binned, gap: number, t: number, length: number): number {
  const slope = Math.min(2 * variance * (t + length), Math.sqrt(2 * variance)) * 1.000_01;
  const left = gap - slope * length;
  return left > 0 ? (count / 2) * Math.log1p(-left) : 0;
}

/** Lower bound of `1 − |φ₁(t)|²`. */
function gapAt({ weights, offsets, lost }: Binned, t: number): number {
  let real = 0;
  let imaginary = 0;
  for (let i = 0; i < weights.length; i++) {
    const half = Math.sin((t * offsets[i]) / 2);
    real += weights[i] * half * half;
    imaginary += weights[i] * Math.sin(t * offsets[i]);
  }
  const square = 4 * real - 4 * real * real - imaginary * imaginary;
  const short = square / (1 + Math.sqrt(Math.max(0, 1 - square))) - (t * t * lost) / 2;
  const safe = short * (1 - 1e-6) - 64 * unit;
  return safe > 0 ? Math.min(1, safe * (2 - safe)) : 0;
}

function binned(
  positions: Float64Array,
  weights: Float64Array,
  mean: number,
  variance: number,
  count: number,
  size: number,
): Binned {
  const width = Math.ceil(positions.length / size);
  const bins = Math.ceil(positions.length / width);
  const held = new Float64Array(bins);
  const offsets = new Float64Array(bins);
  let lost = 0;
  for (let bin = 0; bin < bins; bin++) {
    const end = Math.min(positions.length, (bin + 1) * width);
    for (let i = bin * width; i < end; i++) {
      held[bin] += weights[i];
      offsets[bin] += weights[i] * (positions[i] - mean);
    }
    if (held[bin] === 0) continue;
    offsets[bin] /= held[bin];
    for (let i = bin * width; i < end; i++) lost += weights[i] * (positions[i] - mean - offsets[bin]) ** 2;
  }
  return { weights: held, offsets, lost: lost * 1.000_001, variance, count };
}
