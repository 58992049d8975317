import type { PrivacyLossDistribution } from '@lethe/core';

/**
 * Two distributions on finitely many outcomes, by likelihood ratio `P/Q`: outcome `k` has probability `q[k]` under `Q` and
 * `ratios[k] · q[k]` under `P`. Besides, there is `infinite` under `P` only and `nothing` under `Q` only.
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

/** What one law may lose at either end to where the loss is infinite. */
export const cut = 1e-40;

/** Losses beyond which ratios, and their sums, are not computed. */
const farthest = 600;

/**
 * A finite law that dominates `law`: what is in a cell of losses moves to its two ends, in the shares that leave both
 * distributions what they have there. `undefined` where no masses are known, nothing
 * is hidden, or ratios might overflow.
 *
 * @param cells - Number of cells, which share the losses evenly.
 */
export function ratioDistribution(distribution: PrivacyLossDistribution, cells: number): RatioDistribution | undefined {
  if (distribution.massesInto === undefined || distribution.infinite >= 1) return undefined;
  const p = new Float64Array(1), q = new Float64Array(1);
  const above = (loss: number): number => (distribution.massesInto!(p, q, Float64Array.of(loss, Infinity)), p[0]!);
  const below = (loss: number): number => (distribution.massesInto!(p, q, Float64Array.of(-Infinity, -loss)), q[0]!);
  const most = Math.min(distribution.support.most, reach(above));
  const least = Math.max(distribution.support.least, -reach(below));
  if (!(most <= farthest && least >= -farthest)) return undefined;
  return spreadCells(distribution, evenly(least, Math.max(most, least), cells));
}

function spreadCells(distribution: PrivacyLossDistribution, losses: Float64Array): RatioDistribution {
  const ratios = losses.map(Math.exp);
  const count = losses.length;
  const edges = new Float64Array(count + 2);
  edges.set(losses, 1);
  edges[0] = -Infinity;
  edges[count + 1] = Infinity;
  const p = new Float64Array(count + 1), q = new Float64Array(count + 1);
  distribution.massesInto!(p, q, edges);
  const out = new Float64Array(count);
  let infinite = distribution.infinite;
  let nothing = 0;
  for (let i = 0; i <= count; i++) {
    if (!(q[i]! > 0)) {
      // What rounding has left Q nothing of.
      infinite += p[i]!;
      continue;
    }
    const ratio = p[i]! / q[i]!;
    if (i === 0) {
      const share = Math.min(1, ratio / ratios[0]!);
      out[0]! += q[i]! * share;
      nothing += q[i]! * (1 - share);
    } else if (i === count) {
      out[count - 1]! += q[i]!;
      infinite += Math.max(0, p[i]! - ratios[count - 1]! * q[i]!);
    } else {
      const share = Math.max(0, Math.min(1, (ratio - ratios[i - 1]!) / (ratios[i]! - ratios[i - 1]!)));
      out[i]! += q[i]! * share;
      out[i - 1]! += q[i]! * (1 - share);
    }
  }
  const missing = 1 - nothing - out.reduce((sum, mass) => sum + mass, 0);
  // Where P has outcomes of its own Q may have some too, which show in the sum but for its errors.
  const doubt = (distribution.grain ?? 2 ** -44) + out.filter((mass) => mass > 0).length * 2 ** -52;
  if (distribution.infinite > cut) nothing += Math.max(0, missing) + doubt;
  else if (missing > doubt) nothing += missing;
  return { ratios, q: out, infinite, nothing, grain: 2 * (distribution.grain ?? 2 ** -44) + 2 ** -42 };
}

/** A distance, doubled from 1 and then halved down to 1 %, beyond which at most `cut` is left. */
function reach(beyond: (distance: number) => number): number {
  let far = 1;
  while (far <= farthest && beyond(far) > cut) far *= 2;
  if (far > 2 * farthest) return Infinity;
  let near = 0;
  while (far - near > 0.01 * far) {
    const middle = (near + far) / 2;
    if (middle < 1e-9) break;
    if (beyond(middle) > cut) near = middle;
    else far = middle;
  }
  return far;
}

/** `cells + 1` ascending losses from `least` to `most`, or fewer where these are so close that their ratios would not ascend. */
export function evenly(least: number, most: number, cells: number): Float64Array {
  const closest = Math.max(2 ** -44, 2 ** -40 * Math.max(Math.abs(least), Math.abs(most)));
  const count = Math.min(cells, Math.floor((most - least) / closest));
  if (!(count >= 1)) return Float64Array.of(least, Math.max(most, least + 2 * closest));
  return Float64Array.from({ length: count + 1 }, (_, i) => (i === count ? most : least + (i * (most - least)) / count));
}
