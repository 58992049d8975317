import { defineMutant } from '../mutant.js';
import { clip, ofAll, plantedRun } from './plant.js';

export const l07 = defineMutant({
  id: 'mean/earlier-records-count-less-order-records-decides',
  title: 'earlier records count less: the order of records decides',
  kind: 'mean',
  source: 'Tumult Core, order of a repartition',
  killedBy: ['mean/permutation-invariant'],
  within: 50,
  plant: () =>
    plantedRun(
      ofAll((records, { dimension, slots }, radius) =>
        records
          .reduce((sum, z) => sum.map((x, j) => 0.9 * x + clip(z, radius)[j]), new Float64Array(dimension))
          .map((x) => x / slots),
      ),
    ),
});
