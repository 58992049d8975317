import { defineMutant } from '../mutant.js';
import { clip, ofAll, plantedRun, sumOf } from './plant.js';

export const c04 = defineMutant({
  id: 'mean/divisor-number-records-came-not-public-number',
  title: 'the divisor is the number of records that came, not the public number of slots',
  kind: 'mean',
  source: 'pytorch/opacus #571, opendp/smartnoise-core #355 and #356',
  killedBy: ['mean/sensitivity'],
  within: 2_000,
  plant: () =>
    plantedRun(
      ofAll((records, { dimension }, radius) =>
        sumOf(
          records.map((z) => clip(z, radius)),
          dimension,
        ).map((x) => x / Math.max(1, records.length)),
      ),
    ),
});
