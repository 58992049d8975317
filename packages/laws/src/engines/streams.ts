import { InvalidParameter } from '@lethe/core';

/** Outputs of repeated calls, or noise alone: one row per call, one column per coordinate. */
export type Block = readonly ArrayLike<number>[];

/** Dispersion of a continuous distribution over doubles, and the false-alarm probability. */
export interface Spread {
  /** Scale of the noise: its density is at most `1 / (2 scale)`, as for Gaussian and Laplace densities. */
  readonly scale: number;
  /** Largest false-alarm probability. */
  readonly alpha: number;
}

/** A value that occurs too often for a continuous distribution. */
export interface Atom {
  readonly value: number;
  readonly count: number;
  readonly of: number;
}

/**
 * Upper bound on the probability of any one double near `magnitude`: density times spacing, and at least that
 * of noise made from 53-bit uniforms, with a margin. The minimum applies to a non-finite `magnitude` too.
 */
export const cellProbability = (scale: number, magnitude: number): number =>
  Math.min(1, 0.5 * Math.max(2 ** -49, Number.isFinite(magnitude) ? (2 ** -52 * magnitude) / scale : 0));

/**
 * The least count of one given value that `draws` independent draws
 * reach with probability at most `alpha`; `Infinity` if there is none.
 */
export const hitsNeeded = (draws: number, cell: number, alpha: number): number =>
  leastCount(draws, alpha, (k) => k * Math.log(cell));

/**
 * The least count of any value that `draws` draws reach with probability at most `alpha`: one draw determines
 * the value, the others must equal it.
 */
export const repeatsNeeded = (draws: number, cell: number, alpha: number): number =>
  leastCount(draws, alpha, (k) => (k === 1 ? 0 : (k - 1) * Math.log(cell)));

/** Union bound over sets of k draws. */
function leastCount(draws: number, alpha: number, logAll: (k: number) => number): number {
  for (let k = 1, logChoices = 0; k <= draws; k++) {
    logChoices += Math.log((draws - k + 1) / k);
    if (logChoices + logAll(k) <= Math.log(alpha)) return k;
  }
  return Infinity;
}

const largest = (values: ArrayLike<number>): number => {
  let size = 0;
  for (let i = 0; i < values.length; i++) size = Math.max(size, Math.abs(values[i]));
  return size;
};

/**
 * Whether the draws equal `value` more often than continuous noise
 * around it could: noise that is sometimes skipped, or zero.
 */
export function atomAt(draws: ArrayLike<number>, value: number, { scale, alpha }: Spread): Atom | undefined {
  let count = 0;
  for (let i = 0; i < draws.length; i++) if (draws[i] === value) count++;
  const needed = hitsNeeded(draws.length, cellProbability(scale, Math.abs(value)), alpha);
  return count >= needed ? { value, count, of: draws.length } : undefined;
}

/**
 * The most frequent of the values that occur more often than in independent continuous draws, at any
 * position: reused noise, a branch without noise. Each value is tested at its own magnitude; as a draw has
 * only one magnitude, that costs no power.
 */
export function repeatedValue(draws: ArrayLike<number>, { scale, alpha }: Spread): Atom | undefined {
  const counts = new Map<number, number>();
  for (let i = 0; i < draws.length; i++) counts.set(draws[i], (counts.get(draws[i]) ?? 0) + 1);
  let top: Atom | undefined;
  for (const [value, count] of counts) {
    if (count <= (top?.count ?? 1)) continue;
    if (count >= repeatsNeeded(draws.length, cellProbability(scale, Math.abs(value)), alpha))
      top = { value, count, of: draws.length };
  }
  return top;
}

/** Two equal rows or columns of a block. */
export interface Duplicate {
  readonly first: number;
  readonly second: number;
  readonly length: number;
}

/** Two calls with equal outputs: a source that restarts at every call. */
export const repeatedCall = (block: Block, spread: Spread): Duplicate | undefined => sameLine(block, spread);

/** Two coordinates with equal outputs in every call: one draw for several coordinates. */
export function repeatedCoordinate(block: Block, spread: Spread): Duplicate | undefined {
  const width = block[0]?.length ?? 0;
  return sameLine(
    Array.from({ length: width }, (_, j) => Float64Array.from(block, (row) => row[j])),
    spread,
  );
}

function sameLine(lines: Block, { scale, alpha }: Spread): Duplicate | undefined {
  const length = lines[0]?.length ?? 0;
  const cell = cellProbability(
    scale,
    lines.reduce((size, line) => Math.max(size, largest(line)), 0),
  );
  const logPairs = Math.log((lines.length * (lines.length - 1)) / 2);
  if (length === 0 || !(logPairs + length * Math.log(cell) <= Math.log(alpha))) return undefined;
  const seen = new Map<string, number>();
  for (const [second, line] of lines.entries()) {
    const text = Array.from(line, String).join(' ');
    const first = seen.get(text);
    if (first !== undefined) return { first, second, length };
    seen.set(text, second);
  }
  return undefined;
}

/**
 * Signs of products of neighbouring entries of centred noise: ±1, and 0 if an entry is zero or NaN. Given the
 * earlier ones, each is a fair coin if the entries are independent and symmetric, so e-processes may bet on
 * them in this order. `coordinates` pairs neighbours within a call, `calls` pairs each entry with the same
 * entry of the previous call. Use separate processes for the two.
 */
export function signProducts(block: Block, along: 'coordinates' | 'calls'): Float64Array {
  const products: number[] = [];
  for (const [t, row] of block.entries()) {
    const before = block[t - 1];
    for (let i = 0; i < row.length; i++) {
      const partner = along === 'calls' ? before?.[i] : row[i - 1];
      if (partner !== undefined) products.push(Math.sign(row[i]) * Math.sign(partner) || 0);
    }
  }
  return Float64Array.from(products);
}

/**
 * Index of the first value that is not a multiple of `step`; -1 if all are. NaN and infinities are not.
 *
 * @param ulps - Tolerance of a value around the nearest
 * multiple, in roundings; 0 demands the multiple itself.
 * @throws {InvalidParameter} unless `step` is positive and finite.
 */
export function offLattice(values: ArrayLike<number>, step: number, ulps = 0): number {
  if (!(step > 0 && step < Infinity))
    throw new InvalidParameter(`a lattice has a positive, finite step; got ${step}`, { step });
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (
      !(Math.abs(value % step) <= 0) &&
      !(Math.abs(value - Math.round(value / step) * step) <= ulps * 2 ** -52 * Math.abs(value))
    )
      return i;
  }
  return -1;
}

/** The largest power of two that divides every value; `Infinity` if all are zero, 0 if one is not finite. */
export function commonStep(values: ArrayLike<number>): number {
  let step = Infinity;
  for (let i = 0; i < values.length; i++) {
    const value = Math.abs(values[i]);
    if (!(value < Infinity)) return 0;
    if (value === 0) continue;
    let unit = Math.min(step, 2 ** 1023);
    while (value % unit !== 0) unit /= 2;
    step = unit;
  }
  return step;
}
