import { defineMutant } from '../mutant.js';
import { sparseVectorRelease } from '../reference/sparse-vector.js';

const cutOff = 4;

export const m17 = defineMutant({
  id: 'release/noise-sparse-vector-queries-not-grow-number',
  title: 'noise on sparse vector queries does not grow with the number of answers',
  kind: 'release',
  source: 'Lyu, Su, Li 2017, Algorithms 4 and 6',
  killedBy: ['release/hockey-stick'],
  within: 10_000,
  plant: () =>
    sparseVectorRelease(
      'sparse vector without its cut-off',
      { epsilon: 2, cutOff, split: 3 },
      { query: 1 / (2 * cutOff) },
    ),
});
