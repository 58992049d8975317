import { defineMutant } from '../mutant.ts';
import { sampledSums, shuffledBatches } from '../reference/sampled-gaussian.ts';

export const a02 = defineMutant({
  id: 'A02', title: 'shuffled batches are accounted as Poisson samples', kind: 'release', source: 'Chua et al. 2024, Opacus #128',
  killedBy: ['release/hockey-stick'], within: 10_000,
  plant: () => sampledSums('shuffled batches', { batching: shuffledBatches, others: -1 }),
});
