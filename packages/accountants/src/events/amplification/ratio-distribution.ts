import type { PrivacyLossDistribution } from '@lethe/core';
import { defined } from '@lethe/numerics';

/**
 * A pair of distributions on finitely many outcomes, by likelihood ratio `P/Q`. Outcome `k` has probability
 * `q[k]` under `Q` and `ratios[k] · q[k]` under `P`. `infinite` is the mass under `P` only, and `nothing` the
 * mass under `Q` only.
 */
export interface RatioDistribution {
  /** Ascending, positive. */
  readonly ratios: Float64Array;
  readonly q: Float64Array;
  readonly infinite: number;
  readonly nothing: number;
  /** Relative error of all probabilities. */
  readonly grain: number;
}

/** Mass at each end that may be moved to infinite loss. */
export const cut = 1e-40;

/** Largest absolute loss for which ratios are computed. */
const largestLoss = 600;

/** Probabilities below this have fewer digits. */
const faintest = 2 ** -1000;

/**
 * A finite distribution that dominates `distribution`: the mass of each cell of losses moves to its two ends,
 * which preserves the cell's mass under both distributions. `undefined` if `distribution` has no masses, its
 * loss is always infinite, or ratios might overflow.
 *
 * @param cells - Number of cells, of equal width in the loss.
 */
export function ratioDistribution(
  distribution: PrivacyLossDistribution,
  cells: number,
): RatioDistribution | undefined {
  const losses = lossesOf(distribution, cells);
  return losses && spreadCells(distribution, losses);
}

/**
 * A finite distribution that `distribution` dominates: the outcomes of each cell of losses are merged. Losses
 * beyond the outermost cells are merged with them, and infinite ones are left out. `undefined` as in
 * {@link ratioDistribution}.
 */
export function mergedRatioDistribution(
  distribution: PrivacyLossDistribution,
  cells: number,
): RatioDistribution | undefined {
  const losses = lossesOf(distribution, cells);
  if (losses === undefined) return undefined;
  const edges = losses.slice();
  edges[0] = -Infinity;
  edges[edges.length - 1] = Infinity;
  const p = new Float64Array(edges.length - 1);
  const q = new Float64Array(edges.length - 1);
  defined(distribution.massesInto)(p, q, edges);
  const kept = [...p.keys()].filter((i) => p[i] > faintest && q[i] > faintest);
  return {
    ratios: Float64Array.from(kept, (i) => p[i] / q[i]),
    q: Float64Array.from(kept, (i) => q[i]),
    infinite: 0,
    nothing: 0,
    grain: (distribution.grain ?? 2 ** -44) + 2 ** -51,
  };
}

/** Edges of cells of equal width that hold all but mass `cut` at each end; `undefined` if there are none. */
function lossesOf(distribution: PrivacyLossDistribution, cells: number): Float64Array | undefined {
  if (distribution.massesInto === undefined || distribution.infinite >= 1) return undefined;
  const p = new Float64Array(1);
  const q = new Float64Array(1);
  const above = (loss: number): number => (
    defined(distribution.massesInto)(p, q, Float64Array.of(loss, Infinity)),
    p[0]
  );
  const below = (loss: number): number => (
    defined(distribution.massesInto)(p, q, Float64Array.of(-Infinity, -loss)),
    q[0]
  );
  const most = Math.min(distribution.support.most, tailDistance(above));
  const least = Math.max(distribution.support.least, -tailDistance(below));
  if (!(most <= largestLoss && least >= -largestLoss)) return undefined;
  return evenly(least, Math.max(most, least), cells);
}

function spreadCells(distribution: PrivacyLossDistribution, losses: Float64Array): RatioDistribution {
  const ratios = losses.map(Math.exp);
  const count = losses.length;
  const edges = new Float64Array(count + 2);
  edges.set(losses, 1);
  edges[0] = -Infinity;
  edges[count + 1] = Infinity;
  const p = new Float64Array(count + 1);
  const q = new Float64Array(count + 1);
  defined(distribution.massesInto)(p, q, edges);
  const out = new Float64Array(count);
  let infinite = distribution.infinite;
  let nothing = 0;
  for (let i = 0; i <= count; i++) {
    if (!(q[i] > 0)) {
      // The mass under Q underflowed.
      infinite += p[i];
      continue;
    }
    const ratio = p[i] / q[i];
    if (i === 0) {
      const share = Math.min(1, ratio / ratios[0]);
      out[0] += q[i] * share;
      nothing += q[i] * (1 - share);
    } else if (i === count) {
      out[count - 1] += q[i];
      infinite += Math.max(0, p[i] - ratios[count - 1] * q[i]);
    } else {
      const share = Math.max(0, Math.min(1, (ratio - ratios[i - 1]) / (ratios[i] - ratios[i - 1])));
      out[i] += q[i] * share;
      out[i - 1] += q[i] * (1 - share);
    }
  }
  const missing = 1 - nothing - out.reduce((sum, mass) => sum + mass, 0);
  // If P has outcomes of probability 0 under Q, Q may also have such outcomes; the missing mass bounds them.
  const uncertainty = (distribution.grain ?? 2 ** -44) + out.filter((mass) => mass > 0).length * 2 ** -52;
  if (distribution.infinite > cut) nothing += Math.max(0, missing) + uncertainty;
  else if (missing > uncertainty) nothing += missing;
  return { ratios, q: out, infinite, nothing, grain: 2 * (distribution.grain ?? 2 ** -44) + 2 ** -42 };
}

/** A distance beyond which the mass is at most `cut`, to 1 %, by doubling and bisection. */
function tailDistance(beyond: (distance: number) => number): number {
  let far = 1;
  while (far <= largestLoss && beyond(far) > cut) far *= 2;
  if (far > 2 * largestLoss) return Infinity;
  let near = 0;
  while (far - near > 0.01 * far) {
    const middle = (near + far) / 2;
    if (middle < 1e-9) break;
    if (beyond(middle) > cut) near = middle;
    else far = middle;
  }
  return far;
}

/** `cells + 1` ascending losses from `least` to `most`; fewer if their ratios would not ascend in doubles. */
export function evenly(least: number, most: number, cells: number): Float64Array {
  const closest = Math.max(2 ** -44, 2 ** -40 * Math.max(Math.abs(least), Math.abs(most)));
  const count = Math.min(cells, Math.floor((most - least) / closest));
  if (!(count >= 1)) return Float64Array.of(least, Math.max(most, least + 2 * closest));
  return Float64Array.from({ length: count + 1 }, (_, i) =>
    i === count ? most : least + (i * (most - least)) / count,
  );
}
