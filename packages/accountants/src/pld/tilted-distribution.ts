import { neumaierSum } from '@lethe/numerics';
import type { Spread } from './spread.js';

/**
 * One bound on a factor of a product, tilted and normalised to total 1, relative to its mean or to an atom
 * with most of its mass.
 */
export interface TiltedDistribution {
  readonly count: number;
  /** Integers near 0: a node's loss is that of `origin` plus this many steps. */
  readonly nodes: Float64Array;
  readonly weights: Float64Array;
  readonly origin: number;
  /** `log E e^(tilt · loss)` of the masses before tilting. */
  readonly logMoment: number;
  /** Bound on the error of that logarithm, and on the logarithm of the relative error of any weight. */
  readonly error: number;
  /** Mean of the nodes. */
  readonly mean: number;
  /** Given if this is the mean of `count` members of an ensemble. */
  readonly spread?: Spread;
}

/** Tilts masses at `base + step · node`; `undefined` if there are none. */
export function tilted(
  masses: Float64Array,
  nodes: Float64Array,
  grid: { readonly base: number; readonly step: number },
  tilt: number,
  count: number,
): TiltedDistribution | undefined {
  const { base, step } = grid;
  const n = masses.length;
  const weights = new Float64Array(n);
  let most = -Infinity;
  let far = 0;
  for (let i = 0; i < n; i += 1) {
    if (!(masses[i] > 0)) continue;
    const loss = base + step * nodes[i];
    weights[i] = Math.log(masses[i]) + tilt * loss;
    most = Math.max(most, weights[i]);
  }
  if (most === -Infinity) return undefined;
  for (let i = 0; i < n; i += 1) {
    weights[i] = masses[i] > 0 ? Math.exp(weights[i] - most) : 0;
    // Below this, relative errors do not matter: the total of all such weights is below the rounding error.
    if (weights[i] > 1e-25)
      far = Math.max(far, Math.abs(tilt * (base + step * nodes[i])) + Math.abs(most) + 60);
  }
  const sum = neumaierSum(weights);
  let mean = 0;
  for (let i = 0; i < n; i += 1) {
    weights[i] /= sum;
    mean += weights[i] * nodes[i];
  }
  // If most of the mass is one atom, positions are relative to it.
  const heaviest = weights.indexOf(weights.reduce((a, b) => Math.max(a, b), 0));
  const middle = weights[heaviest] > 0.5 ? nodes[heaviest] : Math.round(mean);
  return {
    count,
    nodes: nodes.map((node) => node - middle),
    weights,
    origin: base + step * middle,
    logMoment: most + Math.log(sum),
    error: 2 * far * 2 ** -52,
    mean: mean - middle,
  };
}

/** A bound on how far a product is from its mean, upwards (`theta > 0`) or downwards. */
export interface Reach {
  readonly theta: number;
  /** The distance, in steps. */
  readonly distance: number;
}

/** Minus the logarithm of the mass that may be farther from the mean. */
const outside = 26;

/**
 * The least distance from the mean beyond which Chernoff's bound, at the best of a few exponents, leaves a
 * negligible mass.
 */
export function reachOf(distributions: readonly TiltedDistribution[], step: number, sign: 1 | -1): Reach {
  let variance = 0.25;
  for (const { count, nodes, weights, mean } of distributions)
    for (let i = 0; i < nodes.length; i += 1) variance += count * weights[i] * (nodes[i] - mean) ** 2;
  let best: Reach = { theta: sign * 1e-9, distance: Infinity };
  for (const scale of [0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.85, 1, 1.2]) {
    const theta = (sign * scale * Math.sqrt(2 * outside)) / (Math.sqrt(variance) * step);
    const distance = (logCentralMoment(distributions, step, theta) + outside) / (Math.abs(theta) * step);
    if (distance < best.distance) best = { theta, distance };
  }
  return best;
}

/** Bound on the mass of the product farther than `distance` steps from its mean, on the side of `theta`. */
export function massBeyond(
  distributions: readonly TiltedDistribution[],
  step: number,
  theta: number,
  distance: number,
): number {
  // The mean of the product is the sum of these means; the effect of rounding on it and on the sum is far
  // below a hundredth.
  return Math.min(
    1,
    1.02 * Math.exp(logCentralMoment(distributions, step, theta) - Math.abs(theta) * step * distance),
  );
}

function logCentralMoment(distributions: readonly TiltedDistribution[], step: number, theta: number): number {
  let total = 0;
  for (const { count, nodes, weights, mean } of distributions) {
    let moment = 0;
    for (let i = 0; i < nodes.length; i += 1)
      if (weights[i] > 0) moment += weights[i] * Math.exp(theta * step * (nodes[i] - mean));
    total += count * Math.log(moment);
  }
  return total;
}
