import type { PrivacyLossDistribution } from '@lethe/core';
import { expm1Down, expm1Up, multiplyDown, multiplyUp, subtractDown, subtractUp } from '@lethe/numerics';
import { exponentialCells } from './exponential-density.js';
import { cellOf } from './present.js';

/**
 * The loss of Laplace noise of scale 1 whose centre moves by `epsilon`; the same in both directions: `ε` and `−ε` with the probabilities `½`
 * and `½e^{−ε}`, and a density in between.
 *
 * It also bounds noise on a vector that moves by `ε` in ℓ1. Two coordinates that move by `a ≥ b` have, for `0 ≤ ε′ ≤ a + b` and with
 * `n = (a + b − ε′)/2`, the profile `E_{P_b}[H_a(ε′ − L_b)] = H_{a+b}(ε′) − ½ min(n, b) e^{−n}`: less than one coordinate that moves by
 * `a + b`, and so it is below 0, where the profile of a symmetric pair follows from that above.
 *
 * @param epsilon - Positive and finite.
 */
export function laplaceLossDistribution(epsilon: number): PrivacyLossDistribution {
  return {
    grain: 2 ** -43,
    hockeyStick(at) {
      if (at >= epsilon) return { lower: 0, upper: 0 };
      if (at <= -epsilon) return { lower: -expm1Up(at), upper: -expm1Down(at) };
      return { lower: Math.max(0, -expm1Up(subtractUp(at, epsilon) / 2)), upper: -expm1Down(subtractDown(at, epsilon) / 2) };
    },
    infinite: 0,
    support: { least: -epsilon, most: epsilon },
    massesInto(p, q, edges) {
      exponentialCells(p, q, edges, epsilon, 0.5);
      const light = 0.5 * Math.exp(-epsilon);
      const [first, last] = [cellOf(edges, -epsilon), cellOf(edges, epsilon)];
      if (first !== undefined) {
        p[first]! += light;
        q[first]! += 0.5;
      }
      if (last === undefined) return;
      p[last]! += 0.5;
      q[last]! += light;
    },
  };
}

/**
 * The pair that dominates every release whose losses, for each pair of neighbours, span at most `range = ε`, such as the exponential
 * mechanism: at every `ε′` the supremum over `t` of the pairs with the two losses `t` and `t − ε`,
 * `(e^{ε/2} − e^{ε′/2})²/(e^ε − 1)`. Its losses have a density and no atoms.
 *
 * @see Dong, Durfee, Rogers 2020, for the two losses.
 * @param range - Positive and finite.
 */
export function boundedRangeLossDistribution(range: number): PrivacyLossDistribution {
  // Larger ranges cost more, and below this the densities are no doubles.
  const epsilon = Math.max(range, 2 ** -1000);
  const share = -1 / Math.expm1(-epsilon);
  return {
    grain: 2 ** -43,
    hockeyStick(at) {
      if (at >= epsilon) return { lower: 0, upper: 0 };
      if (at <= -epsilon) return { lower: -expm1Up(at), upper: -expm1Down(at) };
      const low = -expm1Up(subtractUp(at, epsilon) / 2);
      const high = -expm1Down(subtractDown(at, epsilon) / 2);
      return { lower: Math.max(0, multiplyDown(multiplyDown(low, low), share * (1 - 2 ** -49))), upper: Math.min(1, multiplyUp(multiplyUp(high, high), share * (1 + 2 ** -49))) };
    },
    infinite: 0,
    support: { least: -epsilon, most: epsilon },
    massesInto: (p, q, edges) => exponentialCells(p, q, edges, epsilon, share),
  };
}
