import { exponentOf, scaleByPowerOfTwo } from '@lethe/numerics';

/** A positive fraction of whole numbers, not necessarily in lowest terms. */
export interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/**
 * A positive, finite double as an exact fraction: whole numerator
 * below 2⁵³, denominator a power of two.
 */
export function fractionOf(x: number): Fraction {
  let places = Math.max(0, 52 - exponentOf(x));
  let whole = scaleByPowerOfTwo(x, places);
  for (; whole % 2 === 0 && places > 0; places--) whole /= 2;
  return { numerator: BigInt(whole), denominator: 1n << BigInt(places) };
}

/** `floor(log2 x)` of a whole number from 1 on. */
export function log2Floor(x: bigint): number {
  const hex = x.toString(16);
  return 4 * hex.length - 4 + 31 - Math.clz32(Number.parseInt(hex[0], 16));
}
