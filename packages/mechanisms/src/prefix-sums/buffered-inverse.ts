import { findRoot } from '@lethe/numerics';

/** Decays and scales of a buffered linear Toeplitz matrix: `c_0 = 1`, `c_t = Σ_i omega_i theta_i^{t−1}`. */
export interface BufferedToeplitz {
  readonly theta: readonly number[];
  readonly omega: readonly number[];
}

/**
 * What `A C^{-1}` writes for one unit of noise: after `t` more steps, `limit + Σ_i weights_i decays_i^t` of
 * it is in the running sum. All weights and the limit are positive.
 */
export interface ImpulseResponse {
  readonly limit: number;
  readonly weights: Float64Array;
  readonly decays: Float64Array;
  /** `1 − decays_i`, each to a few roundings. */
  readonly complements: Float64Array;
}

/** A number near a pole, as its signed distance from it. */
interface Near {
  readonly pole: number;
  readonly distance: number;
}

/**
 * The running sum of the inverse, in closed form.
 *
 * `1/C` is again buffered linear Toeplitz. Its decays are the zeros of
 * `f(y) = 1 + Σ_i omega_i / (y − theta_i)`: one in each gap between neighbouring `theta` and one below them
 * all, at most `Σ_i omega_i` away. Each is found as its distance from the nearer pole. Weights are products
 * of distances between zeros and poles: those of a matrix whose `omega` are a few roundings away, but for
 * that exact, however close zeros and poles are.
 *
 * @see Gu, Eisenstat 1995, for the same device in eigenvalue problems.
 */
export function impulseResponse({ theta, omega }: BufferedToeplitz): ImpulseResponse {
  const order = theta.map((_, i) => i).toSorted((a, b) => theta[a] - theta[b]);
  const poles = Float64Array.from(order, (i) => theta[i]);
  const scales = Float64Array.from(order, (i) => omega[i]);
  const zeros = order.map((_, i) => zeroBelow(poles, scales, i));
  const complements = Float64Array.from(zeros, ({ pole, distance }) => 1 - poles[pole] - distance);
  const between = (a: Near, pole: number, distance = 0): number =>
    poles[a.pole] - poles[pole] + (a.distance - distance);
  let limit = 1;
  const weights = Float64Array.from(zeros, (zero, i) => {
    limit *= (1 - poles[i]) / complements[i];
    let weight = -between(zero, i) / complements[i];
    for (let j = 0; j < poles.length; j++)
      if (j !== i) weight *= between(zero, j) / between(zero, zeros[j].pole, zeros[j].distance);
    return weight;
  });
  return {
    limit,
    weights,
    complements,
    decays: Float64Array.from(zeros, ({ pole, distance }) => poles[pole] + distance),
  };
}

/** The zero between `poles[i − 1]` (or nothing) and `poles[i]`. */
function zeroBelow(poles: Float64Array, scales: Float64Array, i: number): Near {
  // f falls from +∞ above one pole to −∞ below the next; it is at
  // least 1/2 twice the sum of the scales below them all.
  const value = (pole: number, distance: number): number => {
    let sum = 1;
    for (let j = 0; j < poles.length; j++) sum += scales[j] / (poles[pole] - poles[j] + distance);
    return sum;
  };
  let below = 0;
  let above = 0;
  for (let j = 0; j < poles.length; j++)
    if (j < i) below += scales[j];
    else above += scales[j];
  const reach = i === 0 ? 2 * above : (poles[i] - poles[i - 1]) / 2;
  // Within reach of one pole the others' terms are bounded, and so is how near the zero can be.
  if (i > 0 && value(i - 1, reach) < 0)
    return {
      pole: i - 1,
      distance: zeroOf((distance) => -value(i - 1, distance), (scales[i - 1] / above) * reach, reach),
    };
  return {
    pole: i,
    distance: -zeroOf((distance) => value(i, -distance), scales[i] / (1 + below / reach), reach),
  };
}

/** The zero of an increasing function at or above half of `nearest`, or `reach`. */
function zeroOf(f: (distance: number) => number, nearest: number, reach: number): number {
  const lower = Math.min(nearest, reach) / 2;
  if (lower > 0 && f(lower) < 0 && f(reach) > 0) return findRoot(f, lower, reach).root;
  return f(reach) > 0 ? lower : reach;
}
