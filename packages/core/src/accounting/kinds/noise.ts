import { sensitivityUnder, type Adjacency, type Sensitivity } from '../../adjacency.js';
import type { GaussianCurve } from '../../plugins/event.js';
import { divideDown, divideUp, multiplyUp } from '../../rounding/index.js';
import type { Knower, Knowledge } from '../knowledge.js';
import { laplaceRenyi } from '../renyi/index.js';

/** Sensitivity in units of the scale, rounded up: the ε of Laplace noise, the μ of Gaussian noise. */
function shift(event: { readonly kind: string; readonly sensitivity: Sensitivity }, scale: number, adjacency: Adjacency): number {
  return divideUp(sensitivityUnder(event.sensitivity, adjacency, `the event '${event.kind}'`), scale);
}

/** Gaussian noise is Gaussian differential privacy, exactly. */
export const gaussian: Knower<'core/gaussian'> = (event, adjacency) => ({
  gdp: (): GaussianCurve => {
    const mu = shift(event, event.sigma, adjacency);
    return { lower: divideDown(event.sensitivity[adjacency]!, event.sigma), mu, exact: true };
  },
});

/** Correlated Gaussian noise: one Gaussian release of the whole stream, whose sensitivity is the increment's times the column norm. */
export const prefixSum: Knower<'core/prefix-sum'> = (event, adjacency) => ({
  gdp: (): GaussianCurve => ({ lower: 0, mu: multiplyUp(shift(event, event.sigma, adjacency), event.columnNorm), exact: false }),
});

/** ℓ1 sensitivity. Over a vector the divergence is largest when one coordinate moves alone: it is convex in the shift. */
export const laplace: Knower<'core/laplace'> = (event, adjacency): Knowledge => {
  const epsilon = (): number => shift(event, event.scale, adjacency);
  return { pure: epsilon, rdp: () => laplaceRenyi(epsilon()) };
};

/** On the integers, ℓ1 sensitivity; the divergence is bounded by that of the worst pair of its ε. */
export const discreteLaplace: Knower<'core/discrete-laplace'> = (event, adjacency) => ({ pure: () => shift(event, event.scale, adjacency) });

/**
 * On the integers: `D_α ≤ α Δ²/(2σ²)`.
 * @see Canonne, Kamath, Steinke 2020, Theorem 14 and Proposition 5.
 */
export const discreteGaussian: Knower<'core/discrete-gaussian'> = (event, adjacency) => ({
  zcdp: () => {
    const mu = shift(event, event.sigma, adjacency);
    return multiplyUp(multiplyUp(mu, mu), 0.5);
  },
});

/** The release moves by `shifts[i]` at most, with the secret probability `probabilities[i]`: no more than by the largest of them. */
export const gaussianMixture: Knower<'core/gaussian-mixture'> = ({ sigma, shifts }) => ({
  gdp: (): GaussianCurve => ({ lower: 0, mu: divideUp(Math.max(...shifts), sigma), exact: false }),
});
