import { binaryTree } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

export const oneVectorFewer = defineMutant({
  id: 'prefix-sum/keeps-a-vector-more-than-it-says',
  title: 'a tree says that it keeps a vector for each level but one, and claims nothing',
  kind: 'prefixSum',
  source: 'generic',
  killedBy: ['prefixSum/vectors-kept'],
  within: 20,
  plant: () => {
    const subject = plantedPlugin(binaryTree, {
      vectorsKept: (params, shape) => (binaryTree.vectorsKept?.(params, shape) ?? 0) - 1,
    });
    return { ...subject, claims: [] };
  },
});
