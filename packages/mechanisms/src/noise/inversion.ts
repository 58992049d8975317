import { Unsupported, type RandomSource } from '@lethe/core';
import type { WeightsAt } from './whole-weights.js';

/** A sampler of a distribution on the whole numbers. */
export interface InversionTable {
  readonly first: number;
  /**
   * `P(X < first + j)` and `P(X ≤ first + j)` in units of a word,
   * the first rounded up and the second down: between them is j.
   */
  readonly starts: Float64Array;
  readonly ends: Float64Array;
  /** Least j of the words in each bucket. */
  readonly guide: Uint32Array;
  readonly bucket: number;
  readonly wordBits: number;
  readonly weightsAt: WeightsAt;
}

/**
 * Number of bits after which the random source counts as broken:
 * a sound source needs as many with probability below 2⁻¹⁰⁰⁰.
 */
const mostBits = 1060;

/** Positions of words of a number of bits; undecided where the next bits decide. */
function thresholds(
  weightsAt: WeightsAt,
  bits: number,
): { readonly first: number; readonly starts: readonly bigint[]; readonly ends: readonly bigint[] } {
  const { first, values, error, outside } = weightsAt(bits);
  const unit = BigInt(bits);
  const slack = BigInt(values.length) * error;
  const total = values.reduce((sum, value) => sum + value, 0n);
  const least = total - slack;
  const most = total + slack + outside;
  const all = 1n << unit;
  const starts: bigint[] = [];
  const ends: bigint[] = [];
  let before = 0n;
  for (const value of values) {
    const start = (((before + slack + outside) << unit) + least - 1n) / least;
    starts.push(start < all ? start : all);
    before += value;
    const end = ((before - slack) << unit) / most;
    ends.push(end > 0n ? end : 0n);
  }
  return { first, starts, ends };
}

/**
 * A table for exact sampling by inversion of a distribution function: a uniform number is drawn word by word
 * until it lies between two values of the distribution function, which are bounded by whole numbers of
 * increasing precision.
 *
 * @param wordBits - Bits of one word, at most 53.
 */
export function inversionTable(weightsAt: WeightsAt, wordBits = 53): InversionTable {
  const { first, starts, ends } = thresholds(weightsAt, wordBits);
  const guideBits = Math.min(wordBits, 12, Math.ceil(Math.log2(ends.length)) + 2);
  const bucket = 2 ** (wordBits - guideBits);
  // The last end is that of the words, so that every search ends.
  const table = {
    starts: Float64Array.from([...starts.map(Number), Infinity]),
    ends: Float64Array.from([...ends.map(Number), Infinity]),
  };
  const guide = new Uint32Array(2 ** guideBits);
  for (let i = 0, j = 0; i < guide.length; i++) {
    while (table.ends[j] <= i * bucket) j++;
    guide[i] = j;
  }
  return { first, ...table, guide, bucket, wordBits, weightsAt };
}

/**
 * One draw.
 * @throws {Unsupported} when the source decides nothing in a thousand bits, which says nothing of any value.
 */
export function drawFrom(table: InversionTable, random: RandomSource): number {
  const { ends, wordBits } = table;
  const word = wordBits === 53 ? random.bits53() : random.integer(2 ** wordBits);
  let j = table.guide[Math.floor(word / table.bucket)];
  while (ends[j] <= word) j++;
  return table.starts[j] <= word ? table.first + j : resolved(table, word, random);
}

/** Draws more words until the position is decided. */
function resolved({ weightsAt, wordBits }: InversionTable, word: number, random: RandomSource): number {
  let bits = wordBits;
  let place = BigInt(word);
  while (bits < mostBits) {
    bits += wordBits;
    place =
      (place << BigInt(wordBits)) | BigInt(wordBits === 53 ? random.bits53() : random.integer(2 ** wordBits));
    const { first, starts, ends } = thresholds(weightsAt, bits);
    const j = ends.findIndex((end) => end > place);
    if (j >= 0 && starts[j] <= place) return first + j;
  }
  throw new Unsupported(`${bits} random bits in a row decide nothing; the source of randomness is broken`, {
    bits,
  });
}
