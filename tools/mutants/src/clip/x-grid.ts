import { l2Clip, latticeClip } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { plantedOn } from './plant.js';

export const gridDeclared = defineMutant({
  id: 'clip/spacing-declared-entries-between-steps',
  title: 'declares a grid, and leaves entries between its steps',
  kind: 'clip',
  source: 'dp-mu2-fl: Theorem R9',
  killedBy: ['clip/on-grid'],
  within: 300,
  plant: () =>
    plantedOn(
      latticeClip,
      { radius: 1, spacing: 2 ** -10 },
      {
        clipInPlace: ({ radius }, vector) => l2Clip.clipInPlace({ radius }, vector),
      },
    ),
});
