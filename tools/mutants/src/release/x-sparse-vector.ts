import { defineMutant } from '../mutant.js';
import { sparseVectorRelease } from '../reference/sparse-vector.js';

export const xSparse1 = defineMutant({
  id: 'release/threshold-sparse-vector-technique-noisy-queries-not',
  title: 'the threshold of the sparse vector technique is noisy, the queries are not',
  kind: 'release',
  source: 'Lyu, Su, Li 2017, Algorithm 5',
  killedBy: ['release/hockey-stick'],
  within: 5000,
  plant: () =>
    sparseVectorRelease('sparse vector with exact queries', { epsilon: 1, cutOff: 1 }, { query: 2 ** -40 }),
});

export const xSparse2 = defineMutant({
  id: 'release/noised-query-told-above-threshold-noise-compared',
  title: 'the noised query is released if above the threshold, with the noise of the comparison',
  kind: 'release',
  source: 'Lyu, Su, Li 2017, Algorithm 3',
  killedBy: ['release/hockey-stick'],
  within: 20_000,
  plant: () =>
    sparseVectorRelease(
      'sparse vector that tells values',
      { epsilon: 2, cutOff: 1, split: 4 },
      { tell: true, query: 1 / 2, betraying: (output) => Math.abs(output[0]) < 2 },
      { below: 20 },
    ),
});

export const xSparse3 = defineMutant({
  id: 'release/noise-queries-single-answer-no-end-answers',
  title: 'noise on queries is that of a single answer, for any number of answers',
  kind: 'release',
  source: 'Lyu, Su, Li 2017, Algorithm 6',
  killedBy: ['release/hockey-stick'],
  within: 10_000,
  plant: () =>
    sparseVectorRelease('sparse vector without end', { epsilon: 1, cutOff: 8, split: 1 }, { query: 1 / 16 }),
});

export const xSparse4 = defineMutant({
  id: 'release/queries-move-both-ways-get-noise-monotone',
  title: 'queries that move both ways get the noise of monotone ones',
  kind: 'release',
  source: 'Lyu, Su, Li 2017, Section 4.3',
  killedBy: ['release/hockey-stick'],
  within: 20_000,
  plant: () =>
    sparseVectorRelease(
      'sparse vector on queries said to be monotone',
      { epsilon: 2, cutOff: 1, split: 4, monotone: true },
      { betraying: (output) => output[output.length - 1] === 1 },
      { below: 24, monotone: false },
    ),
});

export const xSparse5 = defineMutant({
  id: 'release/no-end-of-answers-on-proposed-pairs',
  title: 'noise on queries is that of a single answer; nobody wrote down neighbours that tell',
  kind: 'release',
  source: 'Lyu, Su, Li 2017, Algorithm 6',
  killedBy: ['release/hockey-stick'],
  within: 10_000,
  plant: () =>
    sparseVectorRelease(
      'sparse vector without end',
      { epsilon: 1, cutOff: 8, split: 1 },
      { query: 1 / 16 },
      { proposed: 10 },
    ),
});

export const xSparse6 = defineMutant({
  id: 'release/exact-queries-on-proposed-pairs',
  title: 'the threshold is noisy, the queries are not; nobody wrote down neighbours that tell',
  kind: 'release',
  source: 'Lyu, Su, Li 2017, Algorithm 5',
  killedBy: ['release/hockey-stick'],
  within: 10_000,
  plant: () =>
    sparseVectorRelease(
      'sparse vector with exact queries',
      { epsilon: 1, cutOff: 1 },
      { query: 2 ** -40 },
      { proposed: 6 },
    ),
});

export const xSparse7 = defineMutant({
  id: 'release/values-told-on-proposed-pairs',
  title: 'the noised query is released if above the threshold; nobody wrote down neighbours that tell',
  kind: 'release',
  source: 'Lyu, Su, Li 2017, Algorithm 3',
  killedBy: ['release/hockey-stick'],
  within: 20_000,
  plant: () =>
    sparseVectorRelease(
      'sparse vector that tells values',
      { epsilon: 2, cutOff: 1, split: 4 },
      { tell: true, query: 1 / 2 },
      { proposed: 21 },
    ),
});
