/** The largest number of 32 bits. */
export const LARGEST_32 = (2 - 2 ** -23) * 2 ** 127;

const single = new Float32Array(1);
const word = new Uint32Array(single.buffer);

/**
 * `x` rounded towards zero to a number of 32 bits, so that no declared bound on its size is broken; ±Infinity
 * for what is larger in size than {@link LARGEST_32}, NaN for NaN. Sizes below 2⁻¹⁴⁹ become 0.
 */
export function to32Bits(x: number): number {
  const size = Math.abs(x);
  if (size > LARGEST_32) return x < 0 ? -Infinity : Infinity;
  const nearest = Math.fround(x);
  if (!(Math.abs(nearest) > size)) return nearest;
  // The number before it in size has the bits before it.
  single[0] = nearest;
  word[0] -= 1;
  return single[0];
}
