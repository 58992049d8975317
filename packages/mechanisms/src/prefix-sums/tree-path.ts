import { bitsOf, ceilLog2 } from './powers-of-two.js';

/*
 * Noise y on increments with density ∝ exp(−½ Σ_v (Σ_{i ∈ v} y_i)²), v over all nodes of a complete binary
 * tree. It is a Markov field on the tree: given the sum of a node, what is below is independent of what is
 * beside it. Below, `sums` are those of the finished left siblings along the way from the root to a leaf, one
 * for each one in the leaf's number; all else before the leaf enters through them.
 */

/** Precision of the sum of a node of that many steps, a power of two, from the nodes below it and itself. */
const precisionBelow = (width: number): number => 2 - 1 / width;

/** Height of the tree over that many steps. */
export const heightOver = (steps: number): number => ceilLog2(steps);

/**
 * What the past says of a leaf: its increment is normal with mean `−Σ_k weights[k] · sums[k]`, `k` over the
 * ones of its number, and the precision that is returned. `weights` has length `height`.
 */
export function leafGivenPastInto(weights: Float64Array, height: number, leaf: number): number {
  const precision = keptInto(weights, height, leaf);
  for (let k = 1; k < height; k++) weights[k] *= weights[k - 1];
  return precision;
}

/**
 * From the root down to a leaf, what the nodes above say of the unknown part of each node, as one term of
 * some precision, meets the node's own term, of precision 1: writes the share of the former for each height.
 * Returns the precision of both at the leaf.
 */
function keptInto(shares: Float64Array, height: number, leaf: number): number {
  let precision = 1;
  let rest = leaf;
  for (let k = height - 1, width = 2 ** k; k >= 0; k--, width /= 2) {
    if (rest >= width) rest -= width;
    // Within a left child the right sibling is unknown and free to move.
    else precision /= 1 + precision / precisionBelow(width);
    shares[k] = precision / (precision + 1);
    precision += 1;
  }
  return precision;
}

/** Variance of the sum of the first `count` leaves. */
export function varianceOfFirst(height: number, count: number): number {
  // Of the sum before a node, of the node's own sum, and their covariance; from the root down.
  let before = 0;
  let own = 1 / precisionBelow(2 ** height);
  let between = 0;
  for (let width = 2 ** height, rest = count; rest < width;) {
    width /= 2;
    const spread = 1 / (2 * precisionBelow(width));
    if (rest >= width) {
      before += between + own / 4 + spread;
      between = between / 2 + own / 4 - spread;
      rest -= width;
    } else {
      between /= 2;
    }
    own = own / 4 + spread;
    if (rest === 0) return before;
  }
  return before + 2 * between + own;
}

/** Squared norm of the longest column of C for so many steps of the tree. */
export function longestColumn(height: number, steps: number): number {
  if (steps === 2 ** height) return height + 1;
  const shares = new Float64Array(height);
  keptInto(shares, height, steps);
  const blocks = new Set(bitsOf(steps));
  let most = 0;
  let unfinished = 0;
  for (let k = 0; k < height; k++) {
    // What the unfinished nodes still say of the sum of the left sibling
    // of this height when nothing follows, beside its own finished nodes.
    unfinished = shares[k] + shares[k] ** 2 * unfinished;
    if (blocks.has(k)) most = Math.max(most, k + 1 + unfinished);
  }
  return most;
}
