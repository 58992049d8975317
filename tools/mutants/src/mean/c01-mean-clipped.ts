import { defineMutant } from '../mutant.js';
import { clip, ofAll, plantedRun, sumOf } from './plant.js';

export const c01 = defineMutant({
  id: 'mean/mean-clipped-not-each-record',
  title: 'the mean is clipped, not each record',
  kind: 'mean',
  source: 'generic',
  killedBy: ['mean/sensitivity'],
  within: 500,
  plant: () =>
    plantedRun(
      ofAll((records, { dimension, slots }, radius) =>
        clip(
          sumOf(records, dimension).map((x) => x / slots),
          radius,
        ),
      ),
    ),
});
