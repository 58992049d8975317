import { InvalidParameter, type RandomSource, Unsupported, type Vector } from '@lethe/core';
import { assertScale } from './noise-target.js';

/**
 * The largest scale of `discreteGaussian` and `discreteLaplace`, for
 * which every draw is a whole number below 2⁵³.
 */
export const largestWholeScale = 2 ** 40;

/** @throws {InvalidParameter} for an invalid scale; {@link Unsupported} above `largest`. */
export function assertWholeScale(scale: number, largest: number, mechanism: string): void {
  assertScale(scale);
  if (scale <= largest) return;
  throw new Unsupported(
    `noise of scale ${scale} on whole numbers was asked for; '${mechanism}' is proved up to scale ` +
      `${largest}. Use a coarser grid.`,
    { mechanism, scale, largest },
  );
}

/**
 * Adds a draw to every entry. A sum beyond ±(2⁵³ − 1) is set to
 * that bound, a function of the noised value alone.
 *
 * @throws {InvalidParameter} when an entry is not a whole number
 * below 2⁵³ in size; nothing has been drawn or written then.
 */
export function addWhole(value: Vector, draw: (random: RandomSource) => number, random: RandomSource): void {
  for (let j = 0; j < value.length; j++) {
    if (Number.isSafeInteger(value[j])) continue;
    throw new InvalidParameter(
      `noise on whole numbers was asked for a value with the entry ${value[j]}; ` +
        'round it to whole numbers below 2^53 first',
      { entry: value[j], index: j },
    );
  }
  for (let j = 0; j < value.length; j++) {
    const sum = value[j] + draw(random);
    if (sum > Number.MAX_SAFE_INTEGER) value[j] = Number.MAX_SAFE_INTEGER;
    else if (sum < -Number.MAX_SAFE_INTEGER) value[j] = -Number.MAX_SAFE_INTEGER;
    else value[j] = sum;
  }
}

/** Cache of the samplers for recent scales. */
export function perScale<T>(make: (scale: number) => T, most = 16): (scale: number) => T {
  const made = new Map<number, T>();
  return (scale) => {
    let one = made.get(scale);
    if (one === undefined) {
      if (made.size === most) made.delete(made.keys().next().value as number);
      made.set(scale, (one = make(scale)));
    }
    return one;
  };
}
