import { defineTight } from '../mutant.js';
import { poissonBatches, sampledSums } from '../reference/sampled-gaussian.js';
import { sparseVectorRelease } from '../reference/sparse-vector.js';

export const tightSparseVector = defineTight({
  id: 'sparse-vector',
  kind: 'release',
  plant: () => sparseVectorRelease('sparse vector', { epsilon: 1, cutOff: 1 }),
});
export const tightSparseVectorFour = defineTight({
  id: 'sparse-vector-of-4',
  kind: 'release',
  plant: () => sparseVectorRelease('sparse vector, four answers', { epsilon: 2, cutOff: 4 }),
});
export const tightSparseVectorMonotone = defineTight({
  id: 'sparse-vector-monotone',
  kind: 'release',
  plant: () =>
    sparseVectorRelease('sparse vector on counts', { epsilon: 2, cutOff: 2, monotone: true, split: 1 }),
});
export const tightPoisson = defineTight({
  id: 'poisson-sums',
  kind: 'release',
  plant: () => {
    const subject = sampledSums('Poisson sums', { batching: poissonBatches, others: 0 });
    return {
      ...subject,
      claims: [
        ...subject.claims,
        { property: 'permutation', statement: 'the order of records does not matter' },
      ],
    };
  },
});
