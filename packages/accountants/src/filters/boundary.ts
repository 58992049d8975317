import { addUp, divideDown, divideUp, logDown, multiplyUp, sumUp } from '@lethe/numerics';

/** A line that the privacy loss stays below at all times, with probability `1 − share`: divergence of the order so far, plus `offset`. */
export interface Line { readonly order: number; readonly offset: number }

/** Orders `1 + 2^i`: for each a line; together they are within 7 % of the best slope at any time. */
const exponents = Array.from({ length: 31 }, (_, i) => i - 10);
/** The order with the largest share, best for costs near ε = 4. */
const favourite = 2;

/**
 * Lines for an odometer at `delta`. With Rényi divergences `ρₜ(α)` given the past, `exp((α − 1)(loss − Σ ρₜ(α)))` is a
 * supermartingale that starts at 1, so it ever reaches `1/δᵢ` with probability at most `δᵢ`; and the shares δᵢ add up to δ.
 *
 * @param orders - Fixed before the first answer. Without them a grid, with shares that fall off from the middle.
 * @see Ville 1939; Whitehouse, Ramdas, Rogers, Wu 2023.
 */
export function linesAt(delta: number, orders?: readonly number[]): readonly Line[] {
  const weighted = orders?.map((order) => ({ order, weight: 1 })) ?? exponents.map((i) => ({ order: 1 + 2 ** i, weight: 1 / (1 + Math.abs(i - favourite)) ** 2 }));
  const whole = sumUp(weighted.map(({ weight }) => weight));
  return weighted.map(({ order, weight }) => {
    const share = divideDown(delta, divideUp(whole, weight));
    return { order, offset: divideUp(-logDown(share), order - 1) };
  });
}

/** The least of the lines for zero-concentrated privacy: `min (α ρ + offset)`, rounded up; 0 before anything is spent. */
export function concentratedBound(lines: readonly Line[], rho: number): number {
  if (rho === 0) return 0;
  return Math.min(...lines.map(({ order, offset }) => addUp(multiplyUp(order, rho), offset)));
}
