import { gaussian, laplace } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { planted } from './plant.js';

export const m14 = defineMutant({
  id: 'mechanism/laplace-noise-same-variance-goes-name-gaussian',
  title: 'Laplace noise of the same variance is declared as Gaussian',
  kind: 'mechanism',
  source: 'generic',
  killedBy: ['mechanism/noise-law'],
  within: 3_000,
  plant: () =>
    planted(gaussian, {
      addNoise: (params, value, scale, random) =>
        laplace.addNoise(params, value, scale * Math.SQRT1_2, random),
    }),
});
