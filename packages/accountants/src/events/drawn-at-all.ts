/** `1 − (1 − 1/n)^size`, rounded up: the probability of being drawn at all. */
export function drawnAtAll(n: number, size: number): number {
  return n === 1 ? 1 : Math.min(1, -Math.expm1(size * Math.log1p(-1 / n)) * (1 + 2 ** -48));
}
