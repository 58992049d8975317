import { seededRandom, type Sampler } from '@lethe/core';
import { defineMutant } from '../mutant.js';
import { drawing } from './wrap.js';

/** Partitions with changed draws. */
const dealing = (
  change: (draw: NonNullable<Sampler['partition']>['draw']) => NonNullable<Sampler['partition']>['draw'],
) =>
  drawing(({ partition }) =>
    partition === undefined ? {} : { partition: { ...partition, draw: change(partition.draw) } },
  );

export const xCurator33 = defineMutant({
  id: 'curator/batches-dealt-coins-everybody-draw',
  title: 'partitions use public randomness',
  kind: 'curator',
  source: 'generic',
  killedBy: ['curator/draws'],
  within: 200,
  plant: () => dealing((draw) => (params, slots) => draw(params, slots, seededRandom('public'))),
});
