import { gaussian } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { planted } from './plant.js';

export const m03 = defineMutant({
  id: 'mechanism/variance-passed-standard-deviation-expected',
  title: 'the variance is passed where the standard deviation is expected',
  kind: 'mechanism',
  source: 'smartnoise-core #316',
  killedBy: ['mechanism/noise-law', 'mechanism/scale-equivariance'],
  within: 200,
  plant: () =>
    planted(gaussian, {
      addNoise: (params, value, scale, random) => gaussian.addNoise(params, value, scale * scale, random),
    }),
});
