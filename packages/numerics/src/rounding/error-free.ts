const splitter = 2 ** 27 + 1;

/**
 * The exact error `(a + b) − s` of the rounded sum `s = a + b`.
 *
 * Exact whenever `s` is finite (Dekker's branch form: no intermediate overflow).
 */
export function sumError(a: number, b: number, s: number): number {
  return Math.abs(a) >= Math.abs(b) ? b - (s - a) : a - (s - b);
}

/**
 * The exact error `a·b − p` of the rounded product `p = a·b`
 * (Veltkamp's split, Dekker's product; no fused multiply-add).
 *
 * Exact when `|a|` and `|b|` are below 2^995 and `|p|` lies in
 * [2^-960, 2^1020], or when `p` is an exact zero.
 */
export function productError(a: number, b: number, p: number): number {
  const aShifted = splitter * a;
  const aHigh = aShifted - (aShifted - a);
  const aLow = a - aHigh;
  const bShifted = splitter * b;
  const bHigh = bShifted - (bShifted - b);
  const bLow = b - bHigh;
  return aLow * bLow - (p - aHigh * bHigh - aLow * bHigh - aHigh * bLow);
}
