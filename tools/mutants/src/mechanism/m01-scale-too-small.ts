import { gaussian } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { planted } from './plant.js';

export const m01 = defineMutant({
  id: 'mechanism/noise-0-9-times-scale',
  title: 'noise with 0.9 times the scale',
  kind: 'mechanism',
  source: 'generic',
  killedBy: ['mechanism/noise-law'],
  within: 8_000,
  plant: () =>
    planted(gaussian, {
      addNoise: (params, value, scale, random) => gaussian.addNoise(params, value, 0.9 * scale, random),
    }),
});
