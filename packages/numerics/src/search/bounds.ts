/** Two doubles that enclose a real number. */
export interface Bounds {
  readonly lower: number;
  readonly upper: number;
}

/**
 * Encloses every number within `relativeError · |value|` of `value`, plus a few subnormal steps.
 *
 * @param value - Not NaN. An infinite value counts as an overflow: only its finite side is bounded.
 * @param relativeError - At least 2^-52.
 */
export function boundsAround(value: number, relativeError: number): Bounds {
  if (value === Infinity) return { lower: Number.MAX_VALUE, upper: Infinity };
  if (value === -Infinity) return { lower: -Infinity, upper: -Number.MAX_VALUE };
  // 2^-52 covers the roundings of the two operations here.
  const radius = Math.abs(value) * (relativeError + 2 ** -52) + 4 * Number.MIN_VALUE;
  return { lower: value - radius, upper: value + radius };
}
