import { blockClip } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { plantedOn } from './plant.js';

export const c02 = defineMutant({
  id: 'clip/every-layer-clipped-radius-whole-root-layers',
  title: 'every layer is clipped at the radius of the whole vector: the norm is √layers times too large',
  kind: 'clip',
  source: 'pytorch/opacus #347',
  killedBy: ['clip/bounded-norm'],
  within: 400,
  plant: () =>
    plantedOn(blockClip, { radii: [1, 1], sizes: [2, 2] }, { radius: ({ radii }) => Math.max(...radii) }),
});
