import { InvalidParameter, type Bounds } from '@lethe/numerics';
import type { PrivacyLossDistribution } from '@lethe/core';
import { profileBelow } from './reversed.js';

/**
 * Privacy-loss distribution of two-sided geometric noise `∝ e^{−|x|·unit}` on the integers with shift
 * `shift`, for both directions: the losses `(shift − 2j)·unit`, `j = 0 … shift`, have with `r = e^{−unit}`
 * the probabilities `1/(1+r)`, then `r^j (1−r)/(1+r)`, and last `r^shift/(1+r)`.
 *
 * It also bounds noise on a vector with ℓ1 shift `shift`. If `(shift − ε/unit)/2` is an integer `N`, the
 * profile is `1 − r^N`; between such ε it is linear in `e^ε`. Two coordinates with shifts `a ≥ b`,
 * `a + b = shift`, have the same kinks, and there, for `ε ≥ 0`, the profile
 * `E_{P_b}[H_a(ε − L_b)] = 1 − r^N − r^N·min(N, b)·(1 − r)/(1 + r)`. The case below 0 follows by symmetry.
 *
 * @param unit - Positive and finite: the grid divided by the scale.
 * @param shift - A whole number of at least 1.
 */
export function discreteLaplaceLossDistribution(unit: number, shift: number): PrivacyLossDistribution {
  if (!(unit > 0 && unit < Infinity && Number.isSafeInteger(shift) && shift >= 1)) {
    throw new InvalidParameter(
      `noise of unit ${unit} moves by ${shift}; the unit must be positive and finite, ` +
        'and the shift a whole number of at least 1',
      { unit, shift },
    );
  }
  const r = Math.exp(-unit);
  const end = 1 / (1 + r);
  const most = shift * unit;
  /** Number of losses at or above an edge. */
  const above = (edge: number): number =>
    Math.min(shift + 1, Math.max(0, Math.floor((shift - Math.ceil(edge / unit)) / 2) + 1));
  /** Probability under `P` of `j = from … to − 1`. */
  const run = (from: number, to: number): number => {
    if (from >= to) return 0;
    const [first, last] = [Math.max(1, from), Math.min(shift, to)];
    const between = first < last ? -end * Math.exp(-first * unit) * Math.expm1((first - last) * unit) : 0;
    return between + (from === 0 ? end : 0) + (to > shift ? Math.exp(-most) * end : 0);
  };
  return {
    grain: 2 ** -42,
    hockeyStick: (epsilon) =>
      epsilon < 0
        ? profileBelow(epsilon, (positive) => profileAbove(unit, shift, positive))
        : profileAbove(unit, shift, epsilon),
    infinite: 0,
    support: { least: -most, most },
    massesInto(p, q, edges) {
      let to = above(edges[0]);
      for (let i = 0; i < p.length; i++) {
        const from = Math.min(to, above(edges[i + 1]));
        p[i] = run(from, to);
        q[i] = run(shift + 1 - to, shift + 1 - from);
        to = from;
      }
    },
  };
}

/**
 * Profile for ε ≥ 0: linear in `e^ε` between two kinks, `1 − r^N` at the upper and `1 − r^{N+1}` at the lower
 * one.
 */
function profileAbove(unit: number, shift: number, epsilon: number): Bounds {
  if (epsilon >= shift * unit * (1 + 2 ** -50)) return { lower: 0, upper: 0 };
  const steps = Math.max(0, Math.floor((shift - Math.ceil(epsilon / unit)) / 2));
  const kink = (shift - 2 * steps) * unit;
  const share = Math.min(1, Math.max(0, Math.expm1(epsilon - kink) / Math.expm1(-2 * unit)));
  const value = -Math.expm1(-steps * unit) * (1 - share) - Math.expm1(-(steps + 1) * unit) * share;
  // The slope in the loss is at most r^N, and the relative error of the kink is 2^-52.
  const error = value * 2 ** -48 + Math.exp(-steps * unit) * kink * 2 ** -50;
  return { lower: Math.max(0, value - error), upper: Math.min(1, value + error) };
}
