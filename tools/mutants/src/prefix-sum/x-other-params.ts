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

export const thirdParticipationIsTheLast = defineMutant({
  id: 'prefix-sum/participations-beyond-third-ignored-in-hundreds-of-steps',
  title: 'from 101 to 1 100 steps, participations beyond the third do not count',
  kind: 'prefixSum',
  source: 'generic: a table filled for three epochs',
  killedBy: ['prefixSum/participations'],
  within: 1,
  plant: () =>
    plantedPlugin(bandedToeplitz, {
      columnNorm(params, shape, { times, gap }) {
        const between = shape.steps > 100 && shape.steps <= 1100;
        return bandedToeplitz.columnNorm(params, shape, { times: between ? Math.min(3, times) : times, gap });
      },
    }),
});
