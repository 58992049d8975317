import type { PrivacyLossDistribution } from '@lethe/core';
import { type Composable, isPart, isProfileOnly } from './split-distribution.js';
import { discretiseEnsemble } from './discretise-ensemble.js';
import { isEnsemble } from './ensemble.js';
import type { GridDistribution, SpreadGridDistribution, Tiling } from './grid-distribution.js';
import { discretiseProfile } from './discretise-profile.js';
import { largestLoss, timesExp } from './tilted-mass.js';
import { lowerMasses } from './lower-masses.js';

/** Below this, doubles lose digits and relative errors are not bounded. */
const least = 2 ** -1000;
const unit = 2 ** -53;

/**
 * Discretises a privacy-loss distribution on the nodes of a tiling (connect-the-dots).
 *
 * Upper bound: the mass of a cell between two nodes is split between them, preserving its mass under `P` and
 * under `Q`; the profile becomes its chords in `e^ε`. Mass above the last node becomes infinite loss. Lower
 * bound: outcomes are merged into groups with the likelihood ratio of a node, which is post-processing. Both
 * errors decrease as `step²`.
 * @see Doroshenko, Ghazi, Kamath, Kumar, Manurangsi 2022 for the chords.
 */
export function discretise(
  distribution: Composable,
  tiling: Tiling,
): GridDistribution | SpreadGridDistribution {
  if (isEnsemble(distribution)) return discretiseEnsemble(distribution, tiling, discretise);
  if (isProfileOnly(distribution)) return discretiseProfile(distribution, tiling);
  const { base, step, nodes, widths } = tiling;
  const n = nodes.length;
  const losses = nodes.map((node) => base + step * node);
  const edges = new Float64Array(2 * n + 1);
  edges[0] = -Infinity;
  edges[2 * n] = Infinity;
  for (let i = 0; i < n; i += 1) {
    // Slightly below the node, so that an atom on the node is above the edge.
    edges[2 * i + 1] = losses[i] - (tiling.tolerance / 2) * (1 + Math.abs(losses[i]));
    if (i + 1 < n) edges[2 * i + 2] = base + step * (nodes[i] + widths[i] / 2);
  }
  const p = new Float64Array(2 * n);
  const q = new Float64Array(2 * n);
  const measure = (masses: Required<PrivacyLossDistribution>['massesInto']): void => {
    masses(p, q, edges);
    for (let i = 0; i < 2 * n; i += 1) if (q[i] < least) q[i] = 0;
  };
  measure((...given) => distribution.massesInto(...given));
  const far = largestLoss(losses);
  const grain = distribution.grain ?? 2 ** -44;
  const fuzz = 2 ** -44 * (1 + far);
  const slack = Math.max(tiling.tolerance * (1 + far), 1.01 * (2 * grain + fuzz + (16 + 4 * far) * unit));
  // An end of the support at a node belongs to this node.
  const atom = (loss: number, node: number): boolean => Math.abs(loss - node) <= slack;
  const closedAbove =
    atom(distribution.support.most, losses[n - 1]) || distribution.support.most < losses[n - 1];
  const closedBelow = atom(distribution.support.least, losses[0]) || distribution.support.least > losses[0];
  const upper = new Float64Array(n);
  upper[0] = p[0];
  let beyond = distribution.infinite;
  if (closedAbove) upper[n - 1] += p[2 * n - 1];
  else beyond += p[2 * n - 1];
  for (let i = 0; i + 1 < n; i += 1) {
    const mass = p[2 * i + 1] + p[2 * i + 2];
    if (mass === 0) continue;
    const there = timesExp(q[2 * i + 1] + q[2 * i + 2], losses[i]);
    const up = Math.min(
      mass,
      Math.max(
        0,
        ((mass - there + 1.01 * slack * mass) / -Math.expm1(losses[i] - losses[i + 1])) * (1 + 8 * unit),
      ),
    );
    upper[i] += mass - up;
    upper[i + 1] += up;
  }
  // For a part of a distribution, the dominated masses are smaller.
  if (isPart(distribution)) measure(distribution.ownMassesInto);
  if (closedBelow) {
    p[1] += p[0];
    q[1] += q[0];
  }
  p[0] = 0;
  q[0] = 0;
  return {
    base,
    step,
    nodes,
    upper,
    infiniteUpper: Math.min(1, beyond * (1 + grain + 8 * unit) + n * 2 ** -1060),
    lower: lowerMasses(p, q, losses, slack),
    infiniteLower: distribution.infinite * (1 - 2 ** -30),
    shift: 2 * grain + 2 * slack,
    scale: grain + 16 * unit,
  };
}
