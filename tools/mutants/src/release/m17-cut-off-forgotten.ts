import { defineMutant } from '../mutant.ts';
import { sparseVectorRelease } from '../reference/sparse-vector.ts';

const epsilon = 2, cutOff = 4;

export const m17 = defineMutant({
  id: 'M17', title: 'noise on sparse vector queries does not grow with the number of answers', kind: 'release', source: 'Lyu, Su, Li 2017, Algorithms 4 and 6',
  killedBy: ['release/hockey-stick'], within: 10_000,
  plant: () => sparseVectorRelease('sparse vector without its cut-off', { epsilon, cutOff, thresholdScale: 4 / epsilon, queryScale: 4 / (3 * epsilon) }),
});
