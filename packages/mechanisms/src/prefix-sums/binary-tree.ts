import { definePrefixSum } from '@lethe/core';
import { sqrtUp } from '@lethe/numerics';
import * as z from 'zod';
import { dyadicReachUp } from './dyadic-reach.js';
import { assertNext, assertShape, assertSteps } from './participation.js';
import { bitsOf, floorLog2, trailingZeros } from './powers-of-two.js';
import { anyLength, typedErrors } from './shared-claims.js';

/**
 * Noise on the nodes of a binary tree over the steps; a running sum adds the nodes it consists of. Only nodes
 * that some running sum uses have noise: one is finished at each step, and node `t` sums the last `2^k`
 * increments up to step `t`, where `2^k` is the largest power of two that divides `t + 1`.
 *
 * - Sensitivity: `√(⌊log₂ T⌋ + 1)` for one participation, attained at step 0.
 * - Variance of the running sum after step `t`: the number of
 * ones in `t + 1` in binary, at most `⌊log₂(T + 1)⌋`.
 * - Memory: `⌊log₂ T⌋ + 1` vectors. Time: one row of noise and on average one subtraction for each step.
 *
 * `columnNorm` of several participations is exact for gaps below 64 steps, as long as the search for the
 * worst pattern stays small; else an upper bound. Norms are ℓ2.
 *
 * @see Chan, Shi, Song 2011, Section 3.3.
 */
export const binaryTree = definePrefixSum({
  name: 'binary-tree',
  summary: 'Noise on the nodes of a binary tree over the steps.',
  source: { id: 'dwork-naor-pitassi-rothblum-2010', item: 'Section 4' },
  params: z.strictObject({}),
  claims: [
    {
      property: 'factorisation',
      statement: 'row t of C sums the steps of node t, row t of B the nodes that running sum t consists of',
    },
    {
      property: 'column-norm',
      statement:
        '√(⌊log₂ T⌋ + 1) for one participation; in general the root of the largest sum of squared counts ' +
        'over nodes, or a bound of it',
    },
    {
      property: 'column-norm-attained',
      statement: 'where gaps are below 64 steps, by the worst pattern, all differences in the same direction',
    },
    { property: 'variance', statement: 'the number of ones in t + 1 in binary' },
    {
      property: 'given-noise',
      statement: 'increment t carries row t of the noise, less the rows of nodes that node t replaces',
    },
    { property: 'each-row-once', statement: 'nodes are kept as long as running sums consist of them' },
    { property: 'vectors-kept', statement: '⌊log₂ T⌋ + 1: one for each height' },
    { property: 'runs', statement: 'a run keeps copies of the rows of noise of the nodes in use' },
    { property: 'prefix-consistent', statement: 'nodes do not depend on what follows' },
    anyLength,
    typedErrors,
  ],
  examples: [{}],
  columnNorm(_params, shape, participation) {
    assertShape(shape);
    return sqrtUp(dyadicReachUp('left', shape, participation));
  },
  variance(_params, shape, step) {
    assertSteps(shape, step);
    return bitsOf(step + 1).length;
  },
  vectorsKept(_params, shape) {
    assertShape(shape);
    return floorLog2(shape.steps) + 1;
  },
  encoder(_params, shape, row, column) {
    assertSteps(shape, row, column);
    return column <= row && column > row - 2 ** trailingZeros(row + 1) ? 1 : 0;
  },
  begin(_params, shape) {
    assertShape(shape);
    const nodes = Array.from({ length: floorLog2(shape.steps) + 1 }, () => new Float64Array(shape.dimension));
    let step = 0;
    return {
      nextInto(out, noise) {
        assertNext(shape, step, out);
        step++;
        const height = trailingZeros(step);
        noise(step - 1, out);
        nodes[height].set(out);
        for (let lower = 0; lower < height; lower++) {
          const replaced = nodes[lower];
          for (let j = 0; j < out.length; j++) out[j] -= replaced[j];
        }
      },
    };
  },
});
