import { addUp, divideUp, expm1Down, expm1Up, multiplyUp, subtractDown } from '@lethe/numerics';

type RenyiCurve = (alpha: number) => number;

/** Larger numbers of steps are halved first, which evaluates the curve once per halving. */
const mostSteps = 64;

/**
 * Rényi divergence between data sets at distance `size`, from the divergence between neighbours. It applies
 * the weak triangle inequality `D_α(P‖R) ≤ (α − 1/p)/(α − 1) D_{pα}(P‖Q) + D_{q(α − 1/p)}(Q‖R)`,
 * `1/p + 1/q = 1`, `size − 1` times; each splits `m` steps into `m − 1` and one, with the `p` that is optimal
 * for divergences proportional to the order. For these the result is exactly `size²` times the divergence.
 * For many steps, both halves are evaluated at the larger of their two orders, `2α`, at a small loss.
 * @see Mironov 2017, Proposition 11.
 */
export function chainedRenyi(curve: RenyiCurve, size: number): RenyiCurve {
  return (alpha) => {
    let [total, factor, order, steps] = [0, 1, alpha, size];
    for (; steps > mostSteps; steps = Math.ceil(steps / 2)) {
      // p = 2 − 1/α: the halves are at the orders 2α − 1 and 2α, and the first counts 2α/(2α − 1) times.
      factor = multiplyUp(factor, addUp(1, divideUp(2 * order, subtractDown(2 * order, 1))));
      order *= 2;
    }
    for (let m = steps; m > 1; m--) {
      // p = 1 + (α − 1)/(α (m − 1)), so that q(α − 1/p) = m α and p α = α + (α − 1)/(m − 1).
      const last = curve(multiplyUp(m, order));
      if (last === Infinity) return Infinity;
      total = addUp(total, multiplyUp(factor, last));
      const p = (1 + (order - 1) / (order * (m - 1))) * (1 - 2 ** -50);
      factor = multiplyUp(factor, divideUp(divideUp(m, m - 1), p));
      order = addUp(order, divideUp(order - 1, m - 1));
    }
    const first = curve(order);
    return first === Infinity ? Infinity : addUp(total, multiplyUp(factor, first));
  };
}

/**
 * (ε, δ) of `size` steps of (ε, δ)-indistinguishability: (kε, δ(e^{kε} − 1)/(e^ε − 1)). @see Vadhan 2017,
 * Lemma 2.2.
 */
export function chainedApproximate(
  { epsilon, delta }: { readonly epsilon: number; readonly delta: number },
  size: number,
): { readonly epsilon: number; readonly delta: number } {
  const whole = multiplyUp(size, epsilon);
  if (delta === 0) return { epsilon: whole, delta: 0 };
  const most = expm1Up(whole);
  if (most === Infinity) return { epsilon: whole, delta: 1 };
  const steps = epsilon === 0 ? size : Math.max(size, divideUp(most, expm1Down(epsilon)));
  return { epsilon: whole, delta: Math.min(1, multiplyUp(delta, steps)) };
}
