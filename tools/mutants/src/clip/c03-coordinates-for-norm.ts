import { coordinateClip } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { plantedOn } from './plant.js';

export const c03 = defineMutant({
  id: 'clip/coordinates-clipped-l2-norm-claimed',
  title: 'coordinates are clipped, but a bounded ℓ2 norm is claimed',
  kind: 'clip',
  source: 'generic',
  killedBy: ['clip/bounded-norm'],
  within: 200,
  plant: () => plantedOn(coordinateClip, { radius: 1 }, { norm: 'l2' }),
});
