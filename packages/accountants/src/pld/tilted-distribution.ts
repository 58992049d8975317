import { neumaierSum } from '@lethe/numerics';
import type { Summand } from '../fourier/reach.js';
import type { Spread } from './spread.js';

/**
 * One bound on a factor of a product, tilted and normalised to total 1, relative to its mean or to an atom
 * with most of its mass.
 */
export interface TiltedDistribution extends Summand {
  /** Integers near 0: a node's loss is that of `origin` plus this many steps. */
  readonly nodes: Float64Array;
  readonly origin: number;
  /** `log E e^(tilt · loss)` of the masses before tilting. */
  readonly logMoment: number;
  /** Bound on the error of that logarithm, and on the logarithm of the relative error of any weight. */
  readonly error: number;
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
