import {
  sensitivityUnder,
  type Adjacency,
  type Sensitivity,
  dominatingPair,
  type GaussianCurve,
} from '@lethe/core';
import { defined, Unsupported, divideDown, divideUp, multiplyDown, multiplyUp } from '@lethe/numerics';
import type { Knower, Knowledge } from '../knowledge.js';
import {
  discreteGaussianLossDistribution,
  discreteLaplaceLossDistribution,
  laplaceLossDistribution,
  symmetricPairs,
} from '../pairs/index.js';
import { laplaceRenyi } from '../renyi/index.js';
import { discreteGaussianCurve } from './discrete-gaussian-curve.js';

/** Sensitivity divided by the noise scale, rounded up: ε of Laplace noise, μ of Gaussian noise. */
function shift(
  event: { readonly kind: string; readonly sensitivity: Sensitivity },
  scale: number,
  adjacency: Adjacency,
): number {
  return divideUp(sensitivityUnder(event.sensitivity, adjacency, `the event '${event.kind}'`), scale);
}

/** Gaussian noise is Gaussian differential privacy, exactly. */
export const gaussian: Knower<'core/gaussian'> = (event, adjacency) => ({
  gdp: (): GaussianCurve => {
    const mu = shift(event, event.sigma, adjacency);
    return { lower: divideDown(defined(event.sensitivity[adjacency]), event.sigma), mu, exact: true };
  },
});

/**
 * Correlated Gaussian noise: one Gaussian release of the whole stream, with sensitivity of an increment ×
 * column norm. The norm is a bound, unless the event says that it is attained.
 */
export const prefixSum: Knower<'core/prefix-sum'> = (event, adjacency) => ({
  gdp: (): GaussianCurve => {
    const { sigma, columnNorm, attained = false } = event;
    const mu = multiplyUp(shift(event, sigma, adjacency), columnNorm);
    const lower = multiplyDown(divideDown(defined(event.sensitivity[adjacency]), sigma), columnNorm);
    return { lower: attained ? lower : 0, mu, exact: attained };
  },
});

/**
 * ℓ1 sensitivity. For a vector the worst case moves a single coordinate, since the divergence is convex in
 * the shift.
 */
export const laplace: Knower<'core/laplace'> = (event, adjacency): Knowledge => {
  const epsilon = (): number => shift(event, event.scale, adjacency);
  return {
    pure: epsilon,
    rdp: () => laplaceRenyi(epsilon()),
    pair: () => symmetricPairs(epsilon(), laplaceLossDistribution, true),
  };
};

/**
 * Sensitivity in grid steps.
 *
 * @throws {Unsupported} when the event states no grid, or its sensitivity is not a whole multiple of it.
 */
function steps(
  event: { readonly kind: string; readonly sensitivity: Sensitivity; readonly grid?: number | undefined },
  adjacency: Adjacency,
): number {
  const sensitivity = sensitivityUnder(event.sensitivity, adjacency, `the event '${event.kind}'`);
  if (event.grid === undefined)
    throw new Unsupported(`an exact pair of '${event.kind}' needs its grid`, { kind: event.kind });
  const ratio = sensitivity / event.grid;
  const whole = Math.round(ratio);
  if (whole >= 1 && Math.abs(ratio - whole) <= 1e-9 * whole && Number.isSafeInteger(whole)) return whole;
  throw new Unsupported(
    `the sensitivity ${sensitivity} of '${event.kind}' is not a whole multiple of its grid ${event.grid}`,
    { kind: event.kind, adjacency, sensitivity, grid: event.grid },
  );
}

/** Discrete Laplace noise, ℓ1 sensitivity. Without a known grid, the bound is that of pure ε. */
export const discreteLaplace: Knower<'core/discrete-laplace'> = (event, adjacency) => ({
  pure: () => shift(event, event.scale, adjacency),
  pair: () => {
    const moved = steps(event, adjacency);
    return symmetricPairs(
      divideUp(shift(event, event.scale, adjacency), moved),
      (unit) => discreteLaplaceLossDistribution(unit, moved),
      true,
    );
  },
});

/**
 * Discrete Gaussian noise: `D_α ≤ α Δ²/(2σ²)`, nearly that of real-valued noise for a fine grid. The exact
 * pair is known for releases of one entry.
 * @see Canonne, Kamath, Steinke 2020, Theorem 14 and Proposition 5.
 */
export const discreteGaussian: Knower<'core/discrete-gaussian'> = (event, adjacency) => ({
  zcdp: () => {
    const mu = shift(event, event.sigma, adjacency);
    return multiplyUp(multiplyUp(mu, mu), 0.5);
  },
  gdp: () =>
    discreteGaussianCurve(
      shift(event, event.sigma, adjacency),
      event.grid === undefined ? 0 : divideDown(event.sigma, event.grid),
    ),
  pair: () => {
    if (event.entries !== 1)
      throw new Unsupported(`an exact pair of '${event.kind}' is known for releases of one entry only`, {
        kind: event.kind,
      });
    const moved = steps(event, adjacency);
    const distribution = discreteGaussianLossDistribution(
      Math.max(Number.MIN_VALUE, divideDown(event.sigma, defined(event.grid))),
      moved,
    );
    return [dominatingPair('symmetric', distribution, distribution.infinite < 1)];
  },
});
