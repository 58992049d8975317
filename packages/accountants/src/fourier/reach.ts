/** Independent variables with one distribution on integers, which are added. */
export interface Summand {
  /** How many of them. */
  readonly count: number;
  readonly nodes: Float64Array;
  /** Probabilities of the nodes, with total 1. */
  readonly weights: Float64Array;
  /** Mean of the nodes. */
  readonly mean: number;
}

/** A bound on how far a sum is from its mean, upwards (`theta > 0`) or downwards. */
export interface Reach {
  readonly theta: number;
  /** The distance, in steps. */
  readonly distance: number;
}

/**
 * The least distance from the mean beyond which Chernoff's bound, at the best of a few exponents, leaves a
 * mass of at most `e^(−outside)`.
 */
export function reachOf(summands: readonly Summand[], step: number, sign: 1 | -1, outside: number): Reach {
  let variance = 0.25;
  for (const { count, nodes, weights, mean } of summands)
    for (let i = 0; i < nodes.length; i += 1) variance += count * weights[i] * (nodes[i] - mean) ** 2;
  let best: Reach = { theta: sign * 1e-9, distance: Infinity };
  for (const scale of [0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.85, 1, 1.2]) {
    const theta = (sign * scale * Math.sqrt(2 * outside)) / (Math.sqrt(variance) * step);
    const distance = (logCentralMoment(summands, step, theta) + outside) / (Math.abs(theta) * step);
    if (distance < best.distance) best = { theta, distance };
  }
  return best;
}

/** Bound on the mass of the sum farther than `distance` steps from its mean, on the side of `theta`. */
export function massBeyond(
  summands: readonly Summand[],
  step: number,
  theta: number,
  distance: number,
): number {
  // The mean of the sum is the sum of these means; the effect of rounding on it and on the bound is far
  // below a hundredth.
  return Math.min(
    1,
    1.02 * Math.exp(logCentralMoment(summands, step, theta) - Math.abs(theta) * step * distance),
  );
}

function logCentralMoment(summands: readonly Summand[], step: number, theta: number): number {
  let total = 0;
  for (const { count, nodes, weights, mean } of summands) {
    let moment = 0;
    for (let i = 0; i < nodes.length; i += 1)
      if (weights[i] > 0) moment += weights[i] * Math.exp(theta * step * (nodes[i] - mean));
    total += count * Math.log(moment);
  }
  return total;
}
