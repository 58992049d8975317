import {
  sensitivityUnder, type Adjacency, type Sensitivity, dominatingPair, type GaussianCurve,
} from '@lethe/core';
import { Unsupported, divideDown, divideUp, multiplyUp } from '@lethe/numerics';
import type { Knower, Knowledge } from '../knowledge.js';
import { discreteGaussianLossDistribution, discreteLaplaceLossDistribution, gaussianMixtureLossDistribution, laplaceLossDistribution, noPairs, symmetricPairs, unprotectedLossDistribution } from '../pairs/index.js';
import { laplaceRenyi } from '../renyi/index.js';
import { discreteGaussianCurve } from './discrete-gaussian-curve.js';

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
  return { pure: epsilon, rdp: () => laplaceRenyi(epsilon()), pair: () => symmetricPairs(epsilon(), laplaceLossDistribution, true) };
};

/**
 * Sensitivity in steps of the grid.
 *
 * @throws {Unsupported} when the event states no grid, or its sensitivity is not a whole multiple of it.
 */
function steps(event: { readonly kind: string; readonly sensitivity: Sensitivity; readonly grid?: number | undefined }, adjacency: Adjacency): number {
  const sensitivity = sensitivityUnder(event.sensitivity, adjacency, `the event '${event.kind}'`);
  if (event.grid === undefined) throw new Unsupported(`an exact pair of '${event.kind}' needs its grid`, { kind: event.kind });
  const ratio = sensitivity / event.grid;
  const whole = Math.round(ratio);
  if (whole >= 1 && Math.abs(ratio - whole) <= 1e-9 * whole && Number.isSafeInteger(whole)) return whole;
  throw new Unsupported(`the sensitivity ${sensitivity} of '${event.kind}' is no whole multiple of its grid ${event.grid}`, { kind: event.kind, adjacency, sensitivity, grid: event.grid });
}

/** On a grid, ℓ1 sensitivity; where the grid is not known, the divergence is bounded by that of the worst pair of its ε. */
export const discreteLaplace: Knower<'core/discrete-laplace'> = (event, adjacency) => ({
  pure: () => shift(event, event.scale, adjacency),
  pair: () => {
    const moved = steps(event, adjacency);
    return symmetricPairs(divideUp(shift(event, event.scale, adjacency), moved), (unit) => discreteLaplaceLossDistribution(unit, moved), true);
  },
});

/**
 * On a grid: `D_α ≤ α Δ²/(2σ²)`, and nearly that of real-valued noise where the grid is fine. Its exact pair is known for releases of one entry.
 * @see Canonne, Kamath, Steinke 2020, Theorem 14 and Proposition 5.
 */
export const discreteGaussian: Knower<'core/discrete-gaussian'> = (event, adjacency) => ({
  zcdp: () => {
    const mu = shift(event, event.sigma, adjacency);
    return multiplyUp(multiplyUp(mu, mu), 0.5);
  },
  gdp: () => discreteGaussianCurve(shift(event, event.sigma, adjacency), event.grid === undefined ? 0 : divideDown(event.sigma, event.grid)),
  pair: () => {
    if (event.entries !== 1) throw new Unsupported(`an exact pair of '${event.kind}' is known for releases of one entry only`, { kind: event.kind });
    const moved = steps(event, adjacency);
    const distribution = discreteGaussianLossDistribution(Math.max(Number.MIN_VALUE, divideDown(event.sigma, event.grid!)), moved);
    return [dominatingPair('symmetric', distribution, distribution.infinite < 1)];
  },
});

/** The release moves by `shifts[i]` at most, with the secret probability `probabilities[i]`: no more than by the largest of them. */
export const gaussianMixture: Knower<'core/gaussian-mixture'> = ({ sigma, shifts, probabilities }) => ({
  gdp: (): GaussianCurve => ({ lower: 0, mu: divideUp(Math.max(...shifts), sigma), exact: false }),
  pair: () => {
    const moved = shifts.map((one) => divideUp(one, sigma));
    if (moved.every((one) => one === 0)) return noPairs;
    if (moved.includes(Infinity)) return [dominatingPair('symmetric', unprotectedLossDistribution)];
    return (['remove', 'add'] as const).map((direction) => dominatingPair(direction, gaussianMixtureLossDistribution(moved, probabilities, direction)));
  },
});
