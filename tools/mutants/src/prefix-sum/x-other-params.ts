import { bandedToeplitz } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

export const bandsBetweenExamples = defineMutant({
  id: 'prefix-sum/participation-ignored-for-bandwidths-5-to-40',
  title:
    'the column norm is that of one participation for bandwidths from 5 to 40; the examples have 1, 4 and 50',
  kind: 'prefixSum',
  source: 'generic',
  killedBy: ['prefixSum/column-norm'],
  within: 4000,
  plant: () =>
    plantedPlugin(bandedToeplitz, {
      columnNorm(params, shape, { times, gap }) {
        const between = 'bandwidth' in params && params.bandwidth >= 5 && params.bandwidth <= 40;
        return bandedToeplitz.columnNorm(params, shape, { times: between ? 1 : times, gap });
      },
    }),
});
