import {
  addDown,
  bisectBracket,
  type Bounds,
  divideDown,
  divideUp,
  expDown,
  expUp,
  addUp,
  logNormalCdfBounds,
  multiplyDown,
  normalCdfBounds,
  subtractDown,
  subtractUp,
} from '@lethe/numerics';

/**
 * Bounds of `δ(ε; μ) = sup_t Φ(t) − e^ε Φ(t − μ)`, the hockey-stick
 * divergence of `N(μ, 1)` from `N(0, 1)`; the best `t` is `μ/2 − ε/μ`.
 *
 * @param epsilon - Any number; negative ones give δ near 1.
 * @see Balle, Wang 2018, Theorem 8.
 */
export function gaussianCurve(mu: number, epsilon: number): Bounds {
  if (epsilon === Infinity) return mu === Infinity ? { lower: 0, upper: 1 } : { lower: 0, upper: 0 };
  if (mu === Infinity) return { lower: 1, upper: 1 };
  if (mu === 0)
    return {
      lower: Math.max(0, -expUp(epsilon) + 1 - 2 ** -52),
      upper: Math.max(0, subtractUp(1, expDown(epsilon))),
    };
  const low = subtractDown(mu / 2, divideUp(epsilon, mu));
  const high = subtractUp(mu / 2, divideDown(epsilon, mu));
  // Any threshold is a test, so an approximate optimum suffices for a lower bound.
  const lower = subtractDown(normalCdfBounds(low).lower, scaledTail(epsilon, subtractUp(low, mu)).upper);
  const upper = subtractUp(normalCdfBounds(high).upper, scaledTail(epsilon, subtractDown(low, mu)).lower);
  return { lower: Math.min(1, Math.max(0, lower)), upper: Math.min(1, Math.max(0, upper)) };
}

/** Bounds of the least ε ≥ 0 with `δ(ε; μ) ≤ delta`. */
export function gaussianCurveEpsilon(mu: number, delta: number): Bounds {
  if (mu === 0 || delta >= 1) return { lower: 0, upper: 0 };
  if (mu === Infinity || delta <= 0) return { lower: Infinity, upper: Infinity };
  const edge = (met: (epsilon: number) => boolean): readonly [number, number] => {
    if (met(0)) return [0, 0];
    let top = 1;
    while (!met(top)) top *= 2;
    const { lower, upper } = bisectBracket((epsilon) => (met(epsilon) ? 1 : -1), 0, top);
    return [lower, upper];
  };
  return {
    lower: edge((epsilon) => gaussianCurve(mu, epsilon).lower <= delta)[0],
    upper: edge((epsilon) => gaussianCurve(mu, epsilon).upper <= delta)[1],
  };
}

/** Bounds of `e^ε Φ(t)`, in logarithms where the first factor is large. */
function scaledTail(epsilon: number, t: number): Bounds {
  if (epsilon < 1 && t > -30) {
    const { lower, upper } = normalCdfBounds(t);
    return { lower: multiplyDown(expDown(epsilon), lower), upper: upper * expUp(epsilon) * (1 + 2 ** -52) };
  }
  const { lower, upper } = logNormalCdfBounds(t);
  return { lower: expDown(addDown(epsilon, lower)), upper: expUp(addUp(epsilon, upper)) };
}
