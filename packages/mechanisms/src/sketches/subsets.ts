/** `n choose k`, or Infinity once it exceeds `most`. */
export function chooseUpTo(n: number, k: number, most: number): number {
  let ways = 1;
  for (let i = 1; i <= Math.min(k, n - k); i++) {
    ways = (ways * (n - i + 1)) / i;
    if (ways > most) return Infinity;
  }
  return ways;
}

/** All subsets of `0 … n − 1` of one size, each ascending, in lexicographic order. */
export function* subsetsOfSize(n: number, size: number): Generator<Uint32Array> {
  const current = Uint32Array.from({ length: size }, (_, k) => k);
  for (;;) {
    yield current.slice();
    let at = size - 1;
    while (at >= 0 && current[at] === n - size + at) at--;
    if (at < 0) return;
    current[at]++;
    for (let k = at + 1; k < size; k++) current[k] = current[k - 1] + 1;
  }
}
