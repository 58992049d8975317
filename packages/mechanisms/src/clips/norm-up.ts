import { exponentOf, multiplyUp, nextUp, scaleByPowerOfTwo, sqrtUp, sumUp } from '@lethe/numerics';

/**
 * Upper bound of the ℓ2 norm of finite numbers, tight up to
 * rounding; nothing overflows or underflows on the way.
 */
export function normUp(entries: readonly number[] | Float64Array): number {
  const sizes = Array.from(entries, Math.abs).filter((size) => size > 0);
  if (sizes.length <= 1) return sizes[0] ?? 0;
  const exponent = exponentOf(sizes.reduce((a, b) => Math.max(a, b)));
  // Scaling rounds off less than one subnormal step per entry.
  const squares = sizes.map((size) => {
    const scaled = scaleByPowerOfTwo(size, -exponent) + Number.MIN_VALUE;
    return multiplyUp(scaled, scaled);
  });
  const scaled = sqrtUp(sumUp(squares));
  const result = scaleByPowerOfTwo(scaled, exponent);
  return scaleByPowerOfTwo(result, -exponent) < scaled ? nextUp(result) : result;
}
