import type { PrivacyLossDistribution } from '@lethe/core';
import type { GridDistribution, Tiling } from './grid-distribution.js';
import { largestLoss } from './tilted-mass.js';

/**
 * A dominating distribution on the nodes of a tiling, for a distribution without masses: the chords of its
 * upper bounds in `e^ε`. The dominated distribution is that of the free event.
 */
export function discretiseProfile(
  distribution: PrivacyLossDistribution,
  { base, step, nodes }: Tiling,
): GridDistribution {
  const n = nodes.length;
  const losses = nodes.map((node) => base + step * node);
  const profile = losses.map((loss) => Math.min(1, distribution.hockeyStick(loss).upper));
  const upper = new Float64Array(n);
  // The profile falls by `slope` when e^ε grows by the e^loss of
  // the upper end; slopes must not shrink going down.
  let steepness = 0;
  let left = 1 - profile[n - 1];
  for (let i = n - 1; i > 0; i -= 1) {
    const share = -Math.expm1(losses[i - 1] - losses[i]);
    const steeper = Math.max(steepness, ((profile[i - 1] - profile[i]) / share) * (1 + 2 ** -50));
    profile[i - 1] = Math.max(profile[i - 1], profile[i] + steeper * share);
    const mass = steeper - steepness;
    upper[i] = mass;
    left -= mass;
    steepness = steeper * Math.exp(losses[i - 1] - losses[i]);
  }
  upper[0] = Math.max(0, left) + 2 ** -52;
  return {
    base,
    step,
    nodes,
    upper,
    infiniteUpper: profile[n - 1],
    lower: Float64Array.from({ length: n }, (_, i) => (i === atMostZero(losses) ? 1 : 0)),
    infiniteLower: 0,
    shift: 2 ** -48 * (1 + largestLoss(losses)),
    scale: 2 ** -48,
  };
}

/** The last node at or below the loss 0, −1 if there is none. */
const atMostZero = (losses: Float64Array): number => losses.findLastIndex((loss) => loss <= 0);
