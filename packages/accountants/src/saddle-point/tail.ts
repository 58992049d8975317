import { type Factor, type TotalTilt, unit } from './tilt.js';

/** Neighbouring atoms merged: their weights, the offsets of their means from the tilted mean. */
interface Bins {
  readonly weights: Float64Array;
  readonly offsets: Float64Array;
  /** The variance lost by merging. */
  readonly lost: number;
}

/** One tilted distribution, merged into more and more bins. */
interface Binned {
  readonly levels: readonly Bins[];
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
/** If the bound aimed at has a logarithm above this, the modulus recurs. */
const recurring = -1;
/**
 * The walk ends where no bound on the modulus can have a logarithm below this: a merged atom outweighs all
 * others, or the bins are too wide.
 */
const flat = -0.2;
/** The part of the gap between the modulus and 1 that wide bins may take. */
const mostBlurred = 0.02;
const mostSteps = 1500;
const fewestSteps = 30;
/** The most sines of one walk. */
const mostTerms = 120_000;
/** Where the modulus recurs, so many even steps are taken together, from one set of sines. */
const together = 64;
/** The most of these steps, for many atoms and for few, by their share of the frequency. */
const evenSteps = [16, 256] as const;
/** Even steps of a walk while the frequency grows as much as it is. */
const rotations = 1 << 17;
/** The walk takes at most this many times as many. */
const octaves = 8;

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
  const distributions = factors.map(({ atoms, count }, i): Binned => ({
    levels: levelsOf(binned(atoms.positions, parts[i].weights, parts[i].mean, size)),
    variance: parts[i].variance,
    count,
  }));
  const atoms = distributions.reduce((sum, one) => sum + finest(one).weights.length, 0);
  const most = distributions.map((one) => 2 * (1 - finest(one).weights.reduce((a, b) => Math.max(a, b), 0)));
  let terms = Math.max(mostTerms, fewestSteps * atoms);
  const lobe = variance > 0 ? 2 / Math.sqrt(variance) : start;
  const ranges: SlotRange[] = [];
  const gaps = new Float64Array(distributions.length);
  const used = distributions.map(() => 0);
  let t = start;
  const logSup = (length: number): number => {
    let sum = 0;
    for (let i = 0; i < gaps.length; i++) sum += supremum(distributions[i], gaps[i], t, length);
    return sum;
  };
  const isFlat = (): boolean => {
    for (let i = 0; i < gaps.length; i++)
      gaps[i] = gapFrom(most[i] - (t * t * finest(distributions[i]).lost) / 2);
    return logSup(0) > flat;
  };
  let longest = Infinity;
  /** The length of a range whose bound is nearly that at its start; `undefined` where the modulus recurs. */
  const shortBound = (): number | undefined => {
    for (const [i, { levels }] of distributions.entries()) {
      const found = gapAt(levels, t, used[i]);
      gaps[i] = found.gap;
      used[i] = found.level;
      terms -= found.terms;
    }
    const wanted = Math.max(negligible, 0.6 * logSup(0));
    if (wanted > recurring) return undefined;
    let length = Math.min(Math.max(lobe, t), longest);
    while (length > lobe / 8 && logSup(length) > wanted) length *= 0.8;
    return logSup(length) > wanted ? undefined : length;
  };
  const share = Math.max(evenSteps[0], Math.min(evenSteps[1], Math.floor(rotations / atoms)));
  for (let even = octaves * share; even > 0 && !isFlat();) {
    const length = terms > 0 && ranges.length < mostSteps ? shortBound() : undefined;
    if (length === undefined) {
      const step = Math.max(lobe / 4, t / share);
      for (const range of evenRanges(distributions, t, step)) ranges.push(range);
      t += together * step;
      even -= together;
      longest = lobe;
    } else {
      ranges.push({ from: t, length, most: Math.exp(logSup(length)) });
      t += length;
      longest = 2 * length;
    }
  }
  return [...ranges, { from: t, length: Infinity, most: 1 }];
}

/** The finest bins. */
const finest = ({ levels }: Binned): Bins => levels[levels.length - 1];

/**
 * Bounds on ranges of one length. From both of its ends, the gap inside a range is at least the mean of those
 * there less the slope times half of the length.
 */
function evenRanges(distributions: readonly Binned[], from: number, length: number): readonly SlotRange[] {
  const logs = new Float64Array(together);
  for (const distribution of distributions) {
    const gaps = gapsAlong(finest(distribution), from, length);
    for (let i = 0; i < together; i++)
      logs[i] += supremum(distribution, (gaps[i] + gaps[i + 1]) / 2, from + i * length, length, length / 2);
  }
  return Array.from(logs, (log, i) => ({ from: from + i * length, length, most: Math.exp(log) }));
}

/**
 * Upper bound of `count · log|φ₁|` on `[t, t + length]`, from a lower bound of `1 − |φ₁|²` at frequencies no
 * farther than `away`.
 */
function supremum(
  { variance, count }: Binned,
  gap: number,
  t: number,
  length: number,
  away = length,
): number {
  const slope = Math.min(2 * variance * (t + length), Math.sqrt(2 * variance)) * 1.000_01;
  const left = gap - slope * away;
  return left > 0 ? (count / 2) * Math.log1p(-left) : 0;
}

interface Gap {
  /** Lower bound of `1 − |φ₁(t)|²`. */
  readonly gap: number;
  readonly level: number;
  readonly terms: number;
}

/** The gap from the fewest bins, at `level` or finer, that blur it little, and how many terms it took. */
function gapAt(levels: readonly Bins[], t: number, level: number, before = 0): Gap {
  const { weights, offsets, lost } = levels[level];
  const blurred = (t * t * lost) / 2;
  const isLast = level === levels.length - 1;
  // The gap is at most 1.
  if (!isLast && blurred > mostBlurred) return gapAt(levels, t, level + 1, before);
  let real = 0;
  let imaginary = 0;
  for (let i = 0; i < weights.length; i++) {
    const half = Math.sin((t * offsets[i]) / 2);
    real += weights[i] * half * half;
    imaginary += weights[i] * Math.sin(t * offsets[i]);
  }
  const terms = before + weights.length;
  const square = 4 * real - 4 * real * real - imaginary * imaginary;
  const gap = square / (1 + Math.sqrt(Math.max(0, 1 - square)));
  return isLast || blurred <= mostBlurred * gap
    ? { gap: gapFrom(gap - blurred), level, terms }
    : gapAt(levels, t, level + 1, terms);
}

/** More than the rounding errors of {@link gapsAlong}, which are those of angles and of 64 rotations. */
const turned = 1e-6;

/** Lower bounds of `1 − |φ₁|²` at `from` and after each even step, by rotation. */
function gapsAlong({ weights, offsets, lost }: Bins, from: number, step: number): Float64Array {
  const real = weights.map((weight, i) => weight * Math.cos(from * offsets[i]));
  const imaginary = weights.map((weight, i) => weight * Math.sin(from * offsets[i]));
  const stepReal = offsets.map((offset) => Math.cos(step * offset));
  const stepImaginary = offsets.map((offset) => Math.sin(step * offset));
  const gaps = new Float64Array(together + 1);
  for (let j = 0; j <= together; j++) {
    const t = from + j * step;
    let [sum, side] = [0, 0];
    for (let i = 0; i < real.length; i++) {
      const x = real[i];
      const y = imaginary[i];
      sum += x;
      side += y;
      real[i] = x * stepReal[i] - y * stepImaginary[i];
      imaginary[i] = x * stepImaginary[i] + y * stepReal[i];
    }
    gaps[j] = gapFrom(1 - turned - Math.sqrt(sum * sum + side * side) - (t * t * lost) / 2);
  }
  return gaps;
}

/** `1 − |φ|²`, rounded down, for a lower bound of `1 − |φ|`. */
function gapFrom(short: number): number {
  const safe = Math.min(1, short) * (1 - 1e-6) - 64 * unit;
  return safe > 0 ? safe * (2 - safe) : 0;
}

function binned(positions: Float64Array, weights: Float64Array, mean: number, size: number): Bins {
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
  return { weights: held, offsets, lost: lost * 1.000_001 };
}

/** Bins merged by fours, the widest first. */
function levelsOf(bins: Bins): readonly Bins[] {
  if (bins.weights.length < 32) return [bins];
  const { weights, offsets, lost } = binned(
    bins.offsets,
    bins.weights,
    0,
    Math.ceil(bins.weights.length / 4),
  );
  return [...levelsOf({ weights, offsets, lost: lost + bins.lost }), bins];
}
