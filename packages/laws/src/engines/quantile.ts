const farthest = 2 ** 200;

/**
 * The least `x`, up to rounding, with `cdf(x) ≥ level`; at most ±2²⁰⁰.
 *
 * @param level - In (0, 1).
 */
export function quantileOf(cdf: (x: number) => number, level: number): number {
  let high = 1;
  while (high < farthest && !(cdf(high) >= level)) high *= 2;
  let low = -1;
  while (low > -farthest && cdf(low) >= level) low *= 2;
  for (let step = 0; step < 80; step++) {
    const middle = low + (high - low) / 2;
    if (!(middle > low && middle < high)) break;
    if (cdf(middle) >= level) high = middle;
    else low = middle;
  }
  return high;
}
