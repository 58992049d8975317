import { definePrefixSum } from '@lethe/core';
import { multiplyUp, sqrtUp } from '@lethe/numerics';
import * as z from 'zod';
import { dyadicReachUp } from './dyadic-reach.js';
import { assertNext, assertShape, assertSteps, largestParticipation } from './participation.js';
import { trailingZeros } from './powers-of-two.js';
import { anyLength, typedErrors } from './shared-claims.js';
import { heightOver, leafGivenPastInto, longestColumn, varianceOfFirst } from './tree-path.js';

/** Allowance for the rounding of the few hundred operations of a norm. */
const slack = 1 + 2 ** -40;

/**
 * Honaker's full estimate as a stream: the least-squares estimate of every running sum from the noisy sums
 * of *all* nodes of the binary tree over the steps, filled up to a power of two.
 *
 * Taken literally the estimate of a running sum would wait for nodes that are finished later. But its noise
 * `A C⁺ z`, C the nodes, has covariance `A (CᵀC)⁻¹ Aᵀ`, and the same noise can be drawn step by step from the
 * increments it has had so far: by its square lower triangular factor, whose C has the same `CᵀC`. So what is
 * released has exactly the distribution of the full estimate, depends on nothing that has not happened, and
 * costs the sensitivity of the tree.
 *
 * The noise is Markov on the tree, so that the past enters through
 * one vector for each finished left sibling above the step.
 *
 * - Sensitivity for one participation: `√(⌈log₂ T⌉ + 1)` for powers of two, less in between; exact.
 * - Variance: less than a fifth of the binary tree's for a thousand steps.
 * - Memory: `⌈log₂ T⌉` vectors. Time: one row of noise and on average `½ log₂ T` additions for each step.
 *
 * `columnNorm` of several participations is exact for powers of two and gaps below 64, as long as the search
 * for the worst pattern stays small; else an upper bound. Norms are ℓ2.
 *
 * @see Honaker 2015, Section 4 (full estimation); Denisov,
 * McMahan, Rush, Smith, Thakurta 2022, Theorem 2.1 and Section 5.
 */
export const honakerFull = definePrefixSum({
  name: 'honaker-full',
  summary: 'The noise of least squares over all nodes of a binary tree, drawn step by step.',
  source: { id: 'honaker-2015', item: 'full estimation' },
  params: z.strictObject({}),
  claims: [
    {
      property: 'factorisation',
      statement: 'BBᵀ = A (CᵀC)⁻¹ Aᵀ for the nodes of the tree over ⌈log₂ T⌉ heights, B lower triangular',
    },
    {
      property: 'column-norm',
      statement:
        '√(⌈log₂ T⌉ + 1) for one participation of T = 2^m, less for other T; ' +
        'in general at most the root of the largest sum of squared counts over nodes begun',
    },
    { property: 'variance', statement: 'that of least squares, in closed form along the path to step t' },
    {
      property: 'given-noise',
      statement: 'increment t carries row t of the noise, scaled, and the noise of finished left siblings',
    },
    { property: 'each-row-once', statement: 'the noise of finished left siblings is kept' },
    { property: 'vectors-kept', statement: '⌈log₂ T⌉: one for each height below the root' },
    { property: 'runs', statement: 'a run keeps sums of its own' },
    anyLength,
    typedErrors,
  ],
  examples: [{}],
  columnNorm(_params, shape, participation) {
    assertShape(shape);
    const times = largestParticipation(shape, participation);
    const once = sqrtUp(multiplyUp(longestColumn(heightOver(shape.steps), shape.steps), slack));
    if (times === 1) return once;
    return Math.min(multiplyUp(times, once), sqrtUp(dyadicReachUp('begun', shape, participation)));
  },
  variance(_params, shape, step) {
    assertSteps(shape, step);
    return varianceOfFirst(heightOver(shape.steps), step + 1);
  },
  vectorsKept(_params, shape) {
    assertShape(shape);
    return heightOver(shape.steps);
  },
  encoder(_params, shape, row, column) {
    assertSteps(shape, row, column);
    if (column > row) return 0;
    const weights = new Float64Array(heightOver(shape.steps));
    const root = Math.sqrt(leafGivenPastInto(weights, weights.length, row));
    if (column === row) return root;
    // The left sibling with the column, where the two paths part.
    let height = 0;
    for (let width = 2; Math.floor(row / width) !== Math.floor(column / width); width *= 2) height++;
    return root * weights[height];
  },
  begin(_params, shape) {
    assertShape(shape);
    const height = heightOver(shape.steps);
    const sums = Array.from({ length: height }, () => new Float64Array(shape.dimension));
    const weights = new Float64Array(height);
    let step = 0;
    return {
      nextInto(out, noise) {
        assertNext(shape, step, out);
        const scale = 1 / Math.sqrt(leafGivenPastInto(weights, height, step));
        noise(step, out);
        for (let j = 0; j < out.length; j++) out[j] *= scale;
        let waiting = -1;
        for (let k = 0, rest = step; rest > 0; k++, rest = Math.floor(rest / 2)) {
          if (rest % 2 === 0) continue;
          if (waiting >= 0) subtractTwo(out, weights[waiting], sums[waiting], weights[k], sums[k]);
          waiting = waiting >= 0 ? -1 : k;
        }
        if (waiting >= 0) subtractTwo(out, weights[waiting], sums[waiting], 0, sums[waiting]);
        step++;
        // The nodes that end here become one, the left sibling of what follows.
        const ended = trailingZeros(step);
        if (ended === height) return;
        const node = sums[ended];
        node.set(out);
        for (let k = 0; k < ended; k++) {
          const part = sums[k];
          for (let j = 0; j < out.length; j++) node[j] += part[j];
        }
      },
    };
  },
});

/** `out −= a x + b y`: two at a time, because reading and writing `out` is what costs. */
function subtractTwo(out: Float64Array, a: number, x: Float64Array, b: number, y: Float64Array): void {
  for (let j = 0; j < out.length; j++) out[j] -= a * x[j] + b * y[j];
}
