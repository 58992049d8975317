import { InvalidParameter, Unsupported, type RandomSource, type Vector } from '@lethe/core';

/** How many words, and in how many places two of them differ at least. */
export interface CodeShape {
  readonly count: number;
  /** Left out: `⌈d/8⌉`, at which codes of `2^(d/20)` words exist. */
  readonly distance?: number;
}

/** Words tried for each one that is asked for. */
const tries = 1000;

/**
 * Sign vectors that pairwise differ in `distance` coordinates or more, found by drawing words and keeping those far from all kept ones: with
 * the same coins the same words. Then `‖ν − ν'‖² = 4 · (places in which they differ)`.
 *
 * @param random - Public coins: nothing about a code is private.
 * @returns `count` words of length `dimension`, entries ±1.
 * @throws {InvalidParameter} for shapes that no code has.
 * @throws {Unsupported} when 1000 draws for each word did not suffice: there may be no such code.
 * @see Gilbert 1952; Varshamov 1957: with `distance = ⌈d/8⌉` at least `2^(d/20)` words.
 */
export function codeWords(dimension: number, { count, distance = Math.ceil(dimension / 8) }: CodeShape, random: RandomSource): readonly Vector[] {
  const whole = (name: string, value: number, least: number, most: number): void => {
    if (!Number.isInteger(value) || value < least || value > most) throw new InvalidParameter(`${name} is ${value}; it must be a whole number from ${least} to ${most}`, { [name]: value });
  };
  whole('dimension', dimension, 1, 2 ** 20);
  whole('distance', distance, 1, dimension);
  whole('count', count, 1, Math.min(2 ** dimension, 2 ** 16));
  const words: Vector[] = [];
  for (let draw = 0; words.length < count; draw++) {
    if (draw === tries * count) throw new Unsupported(`${draw} draws gave ${words.length} words of length ${dimension} that differ in ${distance} places; ask for fewer words or a smaller distance`, { dimension, count, distance });
    const word = Float64Array.from({ length: dimension }, () => (random.uniform() < 0.5 ? -1 : 1));
    if (words.every((other) => placesApart(word, other) >= distance)) words.push(word);
  }
  return words;
}

function placesApart(a: Vector, b: Vector): number {
  let count = 0;
  for (let j = 0; j < a.length; j++) if (a[j] !== b[j]) count++;
  return count;
}
