import { definePrefixSum } from '@lethe/core';
import { multiplyUp, sqrtUp } from '@lethe/numerics';
import * as z from 'zod';
import { dyadicReachUp } from './dyadic-reach.js';
import { assertNext, assertShape, assertSteps, largestParticipation } from './participation.js';
import { bitsOf, floorLog2, trailingZeros } from './powers-of-two.js';
import { anyLength, typedErrors } from './shared-claims.js';

/** Allowance for the rounding of the few hundred operations of a norm. */
const slack = 1 + 2 ** -40;

/** Weight of a node's own noisy sum against that of its children, at a height of the tree. */
const ownWeight = (height: number): number => 2 ** height / (2 ** (height + 1) - 1);

/** Variances, by height, of what is new in the estimate of a node at the step that finishes it. */
function freshVariances(highest: number): Float64Array {
  const variances = new Float64Array(highest + 1).fill(1);
  for (let height = 1; height <= highest; height++)
    variances[height] = ownWeight(height) ** 2 + (1 - ownWeight(height)) ** 2 * variances[height - 1];
  return variances;
}

/**
 * Honaker's estimate from below: all nodes of the binary tree have noise, that of a node is weighed against
 * the estimates of its children, and a running sum adds the estimates of the nodes it consists of. At each
 * step it is the least-squares estimate from all nodes finished by then: those form separate trees, one for
 * each node of the running sum, and the estimate of a root uses its whole tree.
 *
 * All noise that the nodes finished at one step bring enters all later sums in one combination. Hence one row
 * of noise for each step, and a lower sensitivity than that of the nodes one by one: for one participation
 * its square grows by 0.84 with each doubling of T, that of the nodes by 1.
 *
 * - Variance of the running sum after step `t`: `Σ 2^k/(2^(k+1) − 1)`
 *   over the ones of `t + 1` in binary; about half of the binary tree's.
 * - Memory: `⌊log₂ T⌋ + 1` vectors. Time: one row of noise and on average two additions for each step.
 *
 * `columnNorm` is exact for one participation; for more it is the better of two bounds, norms added up and
 * the norm for nodes one by one. Norms are ℓ2.
 *
 * @see Honaker 2015, Section 4 (estimation from below).
 */
export const honakerOnline = definePrefixSum({
  name: 'honaker-online',
  summary: 'Noise on the nodes of a binary tree, each refined by the nodes below it.',
  source: { id: 'honaker-2015', item: 'estimation from below' },
  params: z.strictObject({}),
  claims: [
    {
      property: 'factorisation',
      statement: 'row t of B estimates the nodes of running sum t from those below them',
    },
    {
      property: 'column-norm',
      statement:
        'exact for one participation; in general at most that of all finished nodes, ' +
        'and that of one participation times their number',
    },
    { property: 'variance', statement: 'Σ 2^k/(2^(k+1) − 1) over the ones of t + 1 in binary' },
    {
      property: 'given-noise',
      statement: 'increment t carries row t of the noise, scaled, and estimates of nodes that it refines',
    },
    { property: 'each-row-once', statement: 'estimates are kept as long as running sums consist of them' },
    { property: 'vectors-kept', statement: '⌊log₂ T⌋ + 1: one for each height' },
    { property: 'runs', statement: 'a run keeps estimates of its own' },
    { property: 'prefix-consistent', statement: 'estimates do not depend on what follows' },
    anyLength,
    typedErrors,
  ],
  examples: [{}],
  columnNorm(_params, shape, participation) {
    assertShape(shape);
    const times = largestParticipation(shape, participation);
    const once = sqrtUp(longestColumnUp(floorLog2(shape.steps)));
    if (times === 1) return once;
    return Math.min(multiplyUp(times, once), sqrtUp(dyadicReachUp('finished', shape, participation)));
  },
  variance(_params, shape, step) {
    assertSteps(shape, step);
    return bitsOf(step + 1).reduce((sum, height) => sum + ownWeight(height), 0);
  },
  vectorsKept(_params, shape) {
    assertShape(shape);
    return floorLog2(shape.steps) + 1;
  },
  encoder(_params, shape, row, column) {
    assertSteps(shape, row, column);
    const height = trailingZeros(row + 1);
    if (column > row || column <= row - 2 ** height) return 0;
    // Down the right children of the node that ends with this row, to the last that has the column.
    let below = 1;
    for (let h = height, last = row + 1 - 2 ** height; h > 0; h--) {
      below *= 1 - ownWeight(h);
      last += 2 ** (h - 1);
      if (column < last) return (1 - below) / Math.sqrt(freshVariances(height)[height]);
    }
    return 1 / Math.sqrt(freshVariances(height)[height]);
  },
  begin(_params, shape) {
    assertShape(shape);
    const highest = floorLog2(shape.steps);
    const fresh = freshVariances(highest).map(Math.sqrt);
    const estimates = Array.from({ length: highest + 1 }, () => new Float64Array(shape.dimension));
    let step = 0;
    return {
      nextInto(out, noise) {
        assertNext(shape, step, out);
        step++;
        const height = trailingZeros(step);
        noise(step - 1, out);
        const made = estimates[height];
        const scale = fresh[height];
        for (let j = 0; j < out.length; j++) made[j] = scale * out[j];
        let below = 1;
        for (let lower = height - 1; lower >= 0; lower--) {
          below *= 1 - ownWeight(lower + 1);
          const left = estimates[lower];
          for (let j = 0; j < out.length; j++) made[j] += below * left[j];
        }
        out.set(made);
        for (let lower = 0; lower < height; lower++) {
          const replaced = estimates[lower];
          for (let j = 0; j < out.length; j++) out[j] -= replaced[j];
        }
      },
    };
  },
});

/**
 * Squared norm of the longest column of C for `2^highest` to `2^(highest + 1) − 1` steps, rounded up. A step
 * is in one row for each node above it that is a left child, and for the root; its entry there depends on how
 * many right children lie between the two.
 */
function longestColumnUp(highest: number): number {
  const fresh = freshVariances(highest);
  const longest = new Float64Array(highest + 1);
  for (let height = 0; height <= highest; height++) {
    let below = 1;
    for (let between = 0; between < height; between++) {
      below *= 1 - ownWeight(height - between);
      longest[height] = Math.max(
        longest[height],
        (1 - below) ** 2 / fresh[height] + longest[height - between - 1],
      );
    }
    longest[height] = Math.max(longest[height], 1 / fresh[height]);
  }
  return multiplyUp(longest[highest], slack);
}
