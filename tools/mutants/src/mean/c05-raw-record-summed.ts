import { defineMutant } from '../mutant.js';
import { clip, ofAll, plantedRun, sumOf } from './plant.js';

export const c05 = defineMutant({
  id: 'mean/copy-clipped-record-summed',
  title: 'a copy is clipped, and the record is summed',
  kind: 'mean',
  source: 'opendp/smartnoise-sdk #622',
  killedBy: ['mean/sensitivity'],
  within: 500,
  plant: () =>
    plantedRun(
      ofAll((records, { dimension, slots }, radius) => {
        for (const record of records) clip(record, radius);
        return sumOf(records, dimension).map((x) => x / slots);
      }),
    ),
});
