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
/**
 * If the bound aimed at has a logarithm above this, a whole lobe is taken as the range, whatever its bound
 * is.
 */
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
/** Sines of one walk, by whether there are several distributions. */
const mostTerms = [80_000, 120_000] as const;
/**
 * After this many whole lobes of one distribution in turn, more and more of them are one range; after the
 * second number, all. Of several distributions one may begin to decay where another returned to 1.
 */
const patience = [6, 48] as const;

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
  const finest = distributions.map(({ levels }) => levels[levels.length - 1]);
  const most = finest.map(({ weights }) => 2 * (1 - weights.reduce((a, b) => Math.max(a, b), 0)));
  const atoms = finest.reduce((sum, { weights }) => sum + weights.length, 0);
  let terms = Math.max(mostTerms[factors.length > 1 ? 1 : 0], fewestSteps * atoms);
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
  let longest = Infinity;
  let lobes = 0;
  const [fewLobes, mostLobes] = factors.length > 1 ? [Infinity, Infinity] : patience;
  for (let step = 0; step < mostSteps && terms > 0; step++) {
    for (let i = 0; i < gaps.length; i++) gaps[i] = gapFrom(most[i] - (t * t * finest[i].lost) / 2);
    if (lobes === mostLobes || logSup(0) > flat) break;
    for (const [i, { levels }] of distributions.entries()) {
      const found = gapAt(levels, t, used[i]);
      gaps[i] = found.gap;
      used[i] = found.level;
      terms -= found.terms;
    }
    const wanted = Math.max(negligible, 0.6 * logSup(0));
    let length = Math.min(Math.max(lobe, t), longest);
    while (length > lobe / 8 && logSup(length) > wanted) length *= 0.8;
    if (wanted > recurring || logSup(length) > wanted) {
      const many = lobe * 2 ** Math.max(0, lobes++ - fewLobes);
      length = Math.max(length, lobe, Math.min(many, t / 24));
    } else lobes = 0;
    ranges.push({ from: t, length, most: Math.exp(logSup(length)) });
    t += length;
    longest = 2 * length;
  }
  return [...ranges, { from: t, length: Infinity, most: 1 }];
}

/** Upper bound of `count · log|φ₁|` on `[t, t + length]`, from `1 − |φ₁(t)|²`. */
function supremum({ variance, count }: Binned, gap: number, t: number, length: number): number {
  const slope = Math.min(2 * variance * (t + length), Math.sqrt(2 * variance)) * 1.000_01;
  const left = gap - slope * length;
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
