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
/** Offset that keeps the minimiser, which has a relative tolerance, away from 0. */
const origin = 64;

/**
 * Least δ over all orders at which a release with Rényi divergences `curve` is (ε, δ)-DP, rounded up. Every
 * order gives a valid δ, so validity does not depend on the minimisation.
 * @see Canonne, Kamath, Steinke 2020, Proposition 12.
 */
export function renyiCurve(curve: (alpha: number) => number): (epsilon: number) => number {
  const coarse = exponents.map((t) => [t, curve(1 + 2 ** t)] as const);
  return (epsilon) => {
    const at = (t: number, divergence = curve(1 + 2 ** t)): number =>
      logDelta(1 + 2 ** t, divergence, epsilon);
    const values = coarse.map(([t, divergence]) => at(t, divergence));
    const index = values.indexOf(Math.min(...values));
    const [from, to] = [
      exponents[Math.max(0, index - 1)],
      exponents[Math.min(exponents.length - 1, index + 1)],
    ];
    const refined = minimizeUnimodal((x) => at(x - origin), from + origin, to + origin, {
      tolerance: 1e-7,
      maximumProbes: 40,
    });
    return Math.min(1, expUp(Math.min(values[index], refined.value)));
  };
}

/** `(α − 1)(D_α − ε) + (α − 1) log(1 − 1/α) − log α`, rounded up. */
function logDelta(alpha: number, divergence: number, epsilon: number): number {
  if (divergence === Infinity) return Infinity;
  const beta = alpha - 1;
  const shortfall = beta * (beta < 1 ? Math.log(beta / alpha) : Math.log1p(-1 / alpha));
  const size = beta * (divergence + Math.abs(epsilon)) - shortfall + Math.log(alpha);
  return addUp(beta * (divergence - epsilon) + shortfall - Math.log(alpha), size * 2 ** -50);
}
