import { InvalidParameter, type Sensitivity } from '@lethe/core';
import { clippedGaussian } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { clip, ofAll, plantedRun, sumOf } from './plant.js';

const size = 2;

export const c11 = defineMutant({
  id: 'mean-oracle/means-micro-batches-clipped-replaced-record-said', title: 'means of micro-batches are clipped, and a replaced record is said to move one by the radius instead of twice that', kind: 'meanOracle', source: 'tensorflow/privacy #620',
  killedBy: ['meanOracle/sensitivity'], within: 500,
  plant: () => plantedRun(ofAll((records, { dimension, slots }, radius) => {
    const means = Array.from({ length: Math.ceil(records.length / size) }, (_, i) => sumOf(records.slice(size * i, size * (i + 1)), dimension).map((x) => x / size));
    return sumOf(means.map((mean) => clip(mean, radius)), dimension).map((x) => x / (slots / size));
  }), {
    sensitivity({ radius }, { slots }): Sensitivity {
      if (slots % size !== 0) throw new InvalidParameter(`${slots} slots cannot be cut into micro-batches of ${size}`, { slots });
      return { 'replace-one': radius / (slots / size) };
    },
    claims: clippedGaussian.claims.filter(({ property }) => property === 'sensitivity'),
  }),
});
