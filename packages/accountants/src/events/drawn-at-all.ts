/** `1 − (1 − 1/n)^size`, rounded up: the probability that a record is drawn at least once. */
export function drawnAtAll(n: number, size: number): number {
  return n === 1 ? 1 : Math.min(1, -Math.expm1(size * Math.log1p(-1 / n)) * (1 + 2 ** -48));
}
