import { shuffledEpochs } from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { defineMutant } from '../mutant.js';
import { sampledSums } from '../reference/sampled-gaussian.js';

export const a02 = defineMutant({
  id: 'release/shuffled-batches-accounted-poisson-samples',
  title: 'shuffled batches are charged as Poisson samples',
  kind: 'release',
  source: 'Chua et al. 2024, Opacus #128',
  killedBy: ['release/hockey-stick'],
  within: 10_000,
  plant: () =>
    sampledSums('shuffled batches', {
      batching: (records, random) => defined(shuffledEpochs.partition).draw({ size: 1 }, records, random),
      others: -1,
    }),
});
