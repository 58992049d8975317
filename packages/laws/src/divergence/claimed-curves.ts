import {
  addDown,
  addUp,
  divideUp,
  expDown,
  expm1Down,
  expUp,
  minimizeUnimodal,
  multiplyUp,
  subtractDown,
} from '@lethe/numerics';

/** Least δ at which every `pure`-DP release is (ε, δ)-DP, rounded up. @see Kairouz, Oh, Viswanath 2015. */
export function pureCurve(pure: number, epsilon: number): number {
  if (epsilon >= pure) return 0;
  return Math.min(1, divideUp(-expm1Down(subtractDown(epsilon, pure)), addDown(1, expDown(-pure))));
}

/** The same for an (ε₀, δ₀)-DP release: `δ₀ + (1 − δ₀)·` the curve of ε₀-DP. */
export function approximateCurve(
  { epsilon: promised, delta }: { readonly epsilon: number; readonly delta: number },
  epsilon: number,
): number {
  if (delta >= 1) return 1;
  return Math.min(1, addUp(delta, multiplyUp(addUp(1, -delta), pureCurve(promised, epsilon))));
}

/** First orders tried: `1 + 2^k`. */
const exponents: readonly number[] = Array.from({ length: 36 }, (_, k) => k - 15);
/** Where the search among them begins: at order 17, since low orders are cheaper and high ones may be infinite. */
const middle = exponents.indexOf(4);
/** A bound that is no exact divergence may have small dips: the search goes on past so many worse orders. */
const patience = 3;
/** Offset that keeps the minimiser, which has a relative tolerance, away from 0. */
const origin = 64;

/**
 * Least δ over all orders at which a release with Rényi divergences `curve` is (ε, δ)-DP, rounded up. Every
 * order gives a valid δ, so validity does not depend on the minimisation. For exact divergences `log δ` is
 * convex in the order, so that the search begins in the middle and goes downhill: high orders of a sampled
 * release take thousands of terms.
 * @see Canonne, Kamath, Steinke 2020, Proposition 12.
 */
export function renyiCurve(curve: (alpha: number) => number): (epsilon: number) => number {
  const coarse = new Map<number, number>();
  const divergenceAt = (k: number): number => {
    const known = coarse.get(k) ?? curve(1 + 2 ** exponents[k]);
    coarse.set(k, known);
    return known;
  };
  return (epsilon) => {
    const at = (t: number, divergence = curve(1 + 2 ** t)): number =>
      logDelta(1 + 2 ** t, divergence, epsilon);
    const index = lowestFrom(middle, exponents.length, (k) => at(exponents[k], divergenceAt(k)));
    const best = at(exponents[index], divergenceAt(index));
    const [from, to] = [
      exponents[Math.max(0, index - 1)],
      exponents[Math.min(exponents.length - 1, index + 1)],
    ];
    const refined = minimizeUnimodal((x) => at(x - origin), from + origin, to + origin, {
      tolerance: 1e-7,
      maximumProbes: 40,
    });
    return Math.min(1, expUp(Math.min(best, refined.value)));
  };
}

/** The index of the least value found on the way downhill from `start`, in both directions. */
function lowestFrom(start: number, count: number, value: (k: number) => number): number {
  let index = start;
  let least = value(start);
  for (const step of [-1, 1]) {
    let worse = 0;
    for (let k = start + step; k >= 0 && k < count && worse < patience; k += step) {
      const found = value(k);
      if (found < least) [index, least, worse] = [k, found, 0];
      // Where even the start is infinite, all orders below are tried.
      else if (least < Infinity) worse++;
    }
  }
  return index;
}

/** `(α − 1)(D_α − ε) + (α − 1) log(1 − 1/α) − log α`, rounded up. */
function logDelta(alpha: number, divergence: number, epsilon: number): number {
  if (divergence === Infinity) return Infinity;
  const beta = alpha - 1;
  const shortfall = beta * (beta < 1 ? Math.log(beta / alpha) : Math.log1p(-1 / alpha));
  const size = beta * (divergence + Math.abs(epsilon)) - shortfall + Math.log(alpha);
  return addUp(beta * (divergence - epsilon) + shortfall - Math.log(alpha), size * 2 ** -50);
}
