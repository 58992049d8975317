import { InvalidParameter, type Sensitivity } from '@lethe/core';
import { defineMutant } from '../mutant.js';
import { clip, ofAll, plantedRun, sumOf } from './plant.js';
import { ballMean } from '../reference/ball-mean.js';

const size = 2;

export const c11 = defineMutant({
  id: 'mean/means-micro-batches-clipped-replaced-record-said',
  title:
    'means of micro-batches are clipped, and a replaced record is said ' +
    'to move one by the radius instead of twice that',
  kind: 'mean',
  source: 'tensorflow/privacy #620',
  killedBy: ['mean/sensitivity'],
  within: 500,
  plant: () =>
    plantedRun(
      ofAll((records, { dimension, slots }, radius) => {
        const means = Array.from({ length: Math.ceil(records.length / size) }, (_, i) =>
          sumOf(records.slice(size * i, size * (i + 1)), dimension).map((x) => x / size),
        );
        return sumOf(
          means.map((mean) => clip(mean, radius)),
          dimension,
        ).map((x) => x / (slots / size));
      }),
      {
        sensitivity({ radius }, { slots }): Sensitivity {
          if (slots % size !== 0)
            throw new InvalidParameter(`${slots} slots cannot be cut into micro-batches of ${size}`, {
              slots,
            });
          return { 'replace-one': radius / (slots / size) };
        },
        claims: ballMean.claims.filter(({ property }) => property === 'sensitivity'),
      },
    ),
});
