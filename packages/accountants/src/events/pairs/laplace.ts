import type { PrivacyLossDistribution } from '@lethe/core';
import { expm1Down, expm1Up, multiplyDown, multiplyUp, subtractDown, subtractUp } from '@lethe/numerics';
import { exponentialCells } from './exponential-density.js';
import { cellOf } from './present.js';

/**
 * Privacy-loss distribution of Laplace noise of scale 1 with shift `epsilon`, for both directions: atoms at
 * `ε` and `−ε` with probabilities `½` and `½e^{−ε}`, and a density in between.
 *
 * It also bounds noise on a vector with ℓ1 shift `ε`. Two coordinates with shifts `a ≥ b` have, for
 * `0 ≤ ε′ ≤ a + b` and `n = (a + b − ε′)/2`, the profile
 * `E_{P_b}[H_a(ε′ − L_b)] = H_{a+b}(ε′) − ½ min(n, b) e^{−n}`, which is below that of one coordinate with
 * shift `a + b`. The case `ε′ < 0` follows, since the pairs are symmetric.
 *
 * @param epsilon - Positive and finite.
 */
export function laplaceLossDistribution(epsilon: number): PrivacyLossDistribution {
  return {
    grain: 2 ** -43,
    hockeyStick(at) {
      if (at >= epsilon) return { lower: 0, upper: 0 };
      if (at <= -epsilon) return { lower: -expm1Up(at), upper: -expm1Down(at) };
      return {
        lower: Math.max(0, -expm1Up(subtractUp(at, epsilon) / 2)),
        upper: -expm1Down(subtractDown(at, epsilon) / 2),
      };
    },
    infinite: 0,
    support: { least: -epsilon, most: epsilon },
    massesInto(p, q, edges) {
      exponentialCells(p, q, edges, epsilon, 0.5);
      const light = 0.5 * Math.exp(-epsilon);
      const [first, last] = [cellOf(edges, -epsilon), cellOf(edges, epsilon)];
      if (first !== undefined) {
        p[first] += light;
        q[first] += 0.5;
      }
      if (last === undefined) return;
      p[last] += 0.5;
      q[last] += light;
    },
  };
}

/**
 * Dominating pair of all releases whose losses, for each pair of neighbours, lie in an interval of length
 * `range = ε`, such as the exponential mechanism. At every `ε′` the profile is the supremum over `t` of the
 * pairs with the two losses `t` and `t − ε`: `(e^{ε/2} − e^{ε′/2})²/(e^ε − 1)`. Its losses have a density and
 * no atoms.
 *
 * @see Dong, Durfee, Rogers 2020, for the two losses.
 * @param range - Positive and finite.
 */
export function boundedRangeLossDistribution(range: number): PrivacyLossDistribution {
  // Smaller ranges are raised to this bound, below which the densities underflow.
  const epsilon = Math.max(range, 2 ** -1000);
  const share = -1 / Math.expm1(-epsilon);
  return {
    grain: 2 ** -43,
    hockeyStick(at) {
      if (at >= epsilon) return { lower: 0, upper: 0 };
      if (at <= -epsilon) return { lower: -expm1Up(at), upper: -expm1Down(at) };
      const low = -expm1Up(subtractUp(at, epsilon) / 2);
      const high = -expm1Down(subtractDown(at, epsilon) / 2);
      return {
        lower: Math.max(0, multiplyDown(multiplyDown(low, low), share * (1 - 2 ** -49))),
        upper: Math.min(1, multiplyUp(multiplyUp(high, high), share * (1 + 2 ** -49))),
      };
    },
    infinite: 0,
    support: { least: -epsilon, most: epsilon },
    massesInto: (p, q, edges) => exponentialCells(p, q, edges, epsilon, share),
  };
}
