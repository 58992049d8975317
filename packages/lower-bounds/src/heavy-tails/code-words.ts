import { InvalidParameter, Unsupported, type RandomSource, type Vector } from '@lethe/core';

/** Number of words and minimum Hamming distance. */
export interface CodeShape {
  readonly count: number;
  /** @defaultValue `⌈d/8⌉`, for which codes of `2^(d/20)` words exist */
  readonly distance?: number;
}

/** Draws per requested word. */
const tries = 1000;

/**
 * Sign vectors with pairwise Hamming distance at least `distance`, by rejection sampling; deterministic for a
 * given random source. `‖ν − ν'‖²` is 4 times the Hamming distance.
 *
 * @param random - Public randomness: a code contains no private data.
 * @returns `count` words of length `dimension`, entries ±1.
 * @throws {InvalidParameter} for impossible shapes.
 * @throws {Unsupported} when 1000 draws per word are not enough; such a code may not exist.
 * @see Gilbert 1952; Varshamov 1957: with `distance = ⌈d/8⌉` at least `2^(d/20)` words.
 */
export function codeWords(
  dimension: number,
  { count, distance = Math.ceil(dimension / 8) }: CodeShape,
  random: RandomSource,
): readonly Vector[] {
  const whole = (name: string, value: number, least: number, most: number): void => {
    if (!Number.isInteger(value) || value < least || value > most)
      throw new InvalidParameter(`${name} is ${value}; it must be a whole number from ${least} to ${most}`, {
        [name]: value,
      });
  };
  whole('dimension', dimension, 1, 2 ** 20);
  whole('distance', distance, 1, dimension);
  whole('count', count, 1, Math.min(2 ** dimension, 2 ** 16));
  const words: Vector[] = [];
  for (let draw = 0; words.length < count; draw++) {
    if (draw === tries * count)
      throw new Unsupported(
        `${draw} draws gave ${words.length} words of length ${dimension} that differ in ${distance} ` +
          'places; ask for fewer words or a smaller distance',
        { dimension, count, distance },
      );
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
