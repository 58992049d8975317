import { l2Clip } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { planted } from './plant.js';

export const xClip11 = defineMutant({
  id: 'clip/radius-below-thousandth-counts-none-linear-models', title: 'a radius below a thousandth counts as none when linear models clip', kind: 'clip', source: 'generic',
  killedBy: ['clip/factor'], within: 2000,
  plant: () => planted({ factor: (params, norm) => (params.radius < 1e-3 ? 1 : l2Clip.factor!(params, norm)) }),
});
