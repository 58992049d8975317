import { definePrefixSum, InvalidParameter, type Participation, type PrefixSumShape } from '@lethe/core';
import { z } from 'zod';

/** Steps summed in node `row` (0-based): the last `lowest` of them, a power of two. */
const widthOf = (row: number): number => (row + 1) & -(row + 1);
/** Nodes above a step: at most `⌊log₂ T⌋ + 1`. */
export const depthOf = (steps: number): number => Math.floor(Math.log2(steps)) + 1;
/** Nodes whose sum is that of steps 0 to `step`. */
export const nodesOf = (step: number): readonly number[] => {
  const nodes: number[] = [];
  for (let end = step + 1; end > 0; end -= widthOf(end - 1)) nodes.push(end - 1);
  return nodes;
};

function checked({ steps, dimension }: PrefixSumShape): void {
  if (!Number.isSafeInteger(steps) || steps < 1 || !Number.isSafeInteger(dimension) || dimension < 1) throw new InvalidParameter(`a stream of ${steps} steps in dimension ${dimension} cannot be; give whole numbers from 1 on`, { steps, dimension });
}

const covers = (node: number, step: number): boolean => step <= node && step > node - widthOf(node);

/** Largest norm over all patterns of short streams; all entries are non-negative, so that all differences point the same way. */
function exactNorm(steps: number, { times, gap }: Participation): number {
  let most = 0;
  const extend = (first: number, left: number, sums: Float64Array): void => {
    most = Math.max(most, sums.reduce((total, x) => total + x * x, 0));
    if (left === 0) return;
    for (let step = first; step < steps; step++) extend(step + gap, left - 1, sums.map((x, node) => x + Number(covers(node, step))));
  };
  extend(0, times, new Float64Array(steps));
  return Math.sqrt(most);
}

/** Noise on the nodes of a binary tree, one finished at each step; a running sum adds the nodes it consists of. */
export const binaryTree = definePrefixSum({
  name: 'reference-binary-tree',
  summary: 'Noise on the nodes of a binary tree.',
  source: { id: 'dwork-naor-pitassi-rothblum-2010', item: 'Section 4' },
  params: z.strictObject({}),
  claims: [
    { property: 'factorisation', statement: 'row t of C sums the steps of node t, row t of B its ancestors’ nodes' },
    { property: 'column-norm', statement: '√(⌊log₂ T⌋ + 1) for one participation' },
    { property: 'column-norm-attained', statement: 'for short streams' },
    { property: 'variance', statement: 'the number of nodes of a running sum' },
    { property: 'prefix-consistent', statement: 'nodes do not depend on what follows' },
  ],
  examples: [{}],
  columnNorm(_params, shape, participation) {
    checked(shape);
    const times = Math.min(participation.times, Math.floor((shape.steps - 1) / participation.gap) + 1);
    if (times === 1) return Math.sqrt(depthOf(shape.steps));
    return shape.steps <= 10 ? exactNorm(shape.steps, { ...participation, times }) : times * Math.sqrt(depthOf(shape.steps));
  },
  variance(_params, shape, step) {
    checked(shape);
    return nodesOf(step).length;
  },
  encoder(_params, shape, row, column) {
    checked(shape);
    return Number(covers(row, column));
  },
  begin(_params, shape) {
    checked(shape);
    const before = new Float64Array(shape.dimension), sum = new Float64Array(shape.dimension), node = new Float64Array(shape.dimension);
    let step = 0;
    return {
      nextInto(out, noise) {
        sum.fill(0);
        for (const row of nodesOf(step)) {
          noise(row, node);
          for (let j = 0; j < sum.length; j++) sum[j] = sum[j]! + node[j]!;
        }
        for (let j = 0; j < out.length; j++) out[j] = sum[j]! - before[j]!;
        before.set(sum);
        step++;
      },
    };
  },
});
