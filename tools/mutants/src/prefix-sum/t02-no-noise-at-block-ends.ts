import { binaryTree } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

export const t02 = defineMutant({
  id: 'prefix-sum/running-sums-end-block-2-k-steps',
  title: 'running sums that end with a block of 2^k steps have no noise',
  kind: 'prefixSum',
  source: 'CheckDP badSmartSum',
  killedBy: ['prefixSum/factorisation', 'prefixSum/variance'],
  within: 10,
  plant: () =>
    plantedPlugin(binaryTree, {
      begin(params, shape) {
        const run = binaryTree.begin(params, shape);
        const sum = new Float64Array(shape.dimension);
        const shown = new Float64Array(shape.dimension);
        let step = 0;
        return {
          nextInto(out, noise) {
            run.nextInto(out, noise);
            const atBlockEnd = ((step + 1) & step) === 0;
            for (let j = 0; j < out.length; j++) {
              sum[j] = sum[j] + out[j];
              const next = atBlockEnd ? 0 : sum[j];
              out[j] = next - shown[j];
              shown[j] = next;
            }
            step++;
          },
        };
      },
    }),
});
