import { binaryTree } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

/** `⌊log₂ T⌋ + 1`: 32 minus the leading zeros of T. */
const depthOf = (steps: number): number => 32 - Math.clz32(steps);

export const t03 = defineMutant({
  id: 'prefix-sum/depth-tree-taken-log2-t-instead-log2',
  title: 'the depth of the tree is ⌊log₂ T⌋ instead of ⌊log₂ T⌋ + 1',
  kind: 'prefixSum',
  source: 'generic',
  killedBy: ['prefixSum/column-norm'],
  within: 10,
  plant: () =>
    plantedPlugin(binaryTree, {
      columnNorm: (params, shape, participation) =>
        binaryTree.columnNorm(params, shape, participation) *
        Math.sqrt(Math.max(1, depthOf(shape.steps) - 1) / depthOf(shape.steps)),
    }),
});
