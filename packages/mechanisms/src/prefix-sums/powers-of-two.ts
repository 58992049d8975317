/** `⌊log₂ n⌋` of a positive integer, exactly. */
export function floorLog2(n: number): number {
  let power = 0;
  for (let size = 2; size <= n; size *= 2) power++;
  return power;
}

/** `⌈log₂ n⌉` of a positive integer, exactly. */
export const ceilLog2 = (n: number): number => (n === 1 ? 0 : floorLog2(n - 1) + 1);

/** Exponent of 2 in a positive integer. */
export function trailingZeros(n: number): number {
  let zeros = 0;
  for (let rest = n; rest % 2 === 0; rest /= 2) zeros++;
  return zeros;
}

/** Positions of the ones of a non-negative integer in binary, ascending. */
export function bitsOf(n: number): readonly number[] {
  const bits: number[] = [];
  for (let rest = n, bit = 0; rest > 0; rest = Math.floor(rest / 2), bit++)
    if (rest % 2 === 1) bits.push(bit);
  return bits;
}
