import fc, { type Arbitrary } from 'fast-check';

/** A list of whole numbers. */
export const listOf = (length: number, min: number, max: number): Arbitrary<readonly number[]> =>
  fc.array(fc.integer({ min, max }), { minLength: length, maxLength: length });
/** Powers of two. */
export const powers = (min: number, max: number): Arbitrary<number> =>
  fc.integer({ min, max }).map((k) => 2 ** k);
/** Positive numbers `10^(k/20)` between powers of ten. */
export const tenTo = (low: number, high: number): Arbitrary<number> =>
  fc.integer({ min: low * 20, max: high * 20 }).map((k) => 10 ** (k / 20));
