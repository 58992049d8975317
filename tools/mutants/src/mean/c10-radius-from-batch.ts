import { defineMutant } from '../mutant.js';
import { clip, ofAll, plantedRun, sumOf } from './plant.js';

const norm = (vector: ArrayLike<number>): number => Math.hypot(...Array.from(vector));

export const c10 = defineMutant({
  id: 'mean/radius-mean-norm-raw-batch-smaller',
  title: 'the radius is the mean norm of the raw batch where that is smaller',
  kind: 'mean',
  source: 'adaptive clipping without its private quantile',
  killedBy: ['mean/sensitivity'],
  within: 2_000,
  plant: () =>
    plantedRun(
      ofAll((records, { dimension, slots }, radius) => {
        const usual = Math.min(
          radius,
          records.reduce((sum, z) => sum + norm(z), 0) / Math.max(1, records.length),
        );
        return sumOf(usual > 0 ? records.map((z) => clip(z, usual)) : [], dimension).map((x) => x / slots);
      }),
    ),
});
