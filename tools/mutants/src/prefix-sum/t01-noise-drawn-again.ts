import { binaryTree } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';
import { nodesOf } from '../reference/tree-nodes.js';

export const t01 = defineMutant({
  id: 'prefix-sum/noise-node-drawn-again-each-query',
  title: 'the noise of a node is redrawn at each query',
  kind: 'prefixSum',
  source: 'generic',
  killedBy: ['prefixSum/factorisation'],
  within: 10,
  plant: () =>
    plantedPlugin(binaryTree, {
      begin(params, shape) {
        let query = 0;
        let step = 0;
        // Refuses the same arguments as the tree.
        binaryTree.begin(params, shape);
        const before = new Float64Array(shape.dimension);
        const sum = new Float64Array(shape.dimension);
        const node = new Float64Array(shape.dimension);
        return {
          nextInto(out, noise) {
            sum.fill(0);
            for (let visit = nodesOf(step).length; visit > 0; visit--) {
              noise(query++, node);
              for (let j = 0; j < sum.length; j++) sum[j] = sum[j] + node[j];
            }
            for (let j = 0; j < out.length; j++) out[j] = sum[j] - before[j];
            before.set(sum);
            step++;
          },
        };
      },
    }),
});
