import { addUp, divideDown, divideUp, logDown, multiplyUp, sumUp } from '@lethe/numerics';

/**
 * A time-uniform bound of the privacy loss, with probability `1 − share`: the divergence of the order so far,
 * plus `offset`.
 */
export interface Line {
  readonly order: number;
  readonly offset: number;
}

/** One line for each order `1 + 2^i`; together they are within 7 % of the best slope at any time. */
const exponents = Array.from({ length: 31 }, (_, i) => i - 10);
/** Exponent of the order with the largest share of δ, best for costs near ε = 4. */
const mainExponent = 2;

/**
 * Lines for an odometer at `delta`. With Rényi divergences `ρₜ(α)` given the past,
 * `exp((α − 1)(loss − Σ ρₜ(α)))` is a supermartingale that starts at 1, so it ever reaches `1/δᵢ` with
 * probability at most `δᵢ`. The shares δᵢ sum to δ.
 *
 * @param orders - Fixed before the first answer. The default is a grid with smaller shares away from the
 * middle.
 * @see Ville 1939; Whitehouse, Ramdas, Rogers, Wu 2023.
 */
export function linesAt(delta: number, orders?: readonly number[]): readonly Line[] {
  const weighted =
    orders?.map((order) => ({ order, weight: 1 })) ??
    exponents.map((i) => ({ order: 1 + 2 ** i, weight: 1 / (1 + Math.abs(i - mainExponent)) ** 2 }));
  const whole = sumUp(weighted.map(({ weight }) => weight));
  return weighted.map(({ order, weight }) => {
    const share = divideDown(delta, divideUp(whole, weight));
    return { order, offset: divideUp(-logDown(share), order - 1) };
  });
}

/** Minimum of the lines for zero-concentrated privacy, `min (α ρ + offset)`, rounded up; 0 for ρ = 0. */
export function concentratedBound(lines: readonly Line[], rho: number): number {
  if (rho === 0) return 0;
  return Math.min(...lines.map(({ order, offset }) => addUp(multiplyUp(order, rho), offset)));
}
