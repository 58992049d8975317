import { l2Clip } from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { defineMutant } from '../mutant.js';
import { planted } from './plant.js';

export const xClip11 = defineMutant({
  id: 'clip/radius-below-thousandth-counts-none-linear-models',
  title: 'linear models do not clip at a radius below 0.001',
  kind: 'clip',
  source: 'generic',
  killedBy: ['clip/factor'],
  within: 2000,
  plant: () =>
    planted({ factor: (params, norm) => (params.radius < 1e-3 ? 1 : defined(l2Clip.factor)(params, norm)) }),
});
