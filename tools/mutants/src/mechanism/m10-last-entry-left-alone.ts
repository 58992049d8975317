import { gaussian } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { planted } from './plant.js';

export const m10 = defineMutant({
  id: 'mechanism/last-entry-gets-no-noise',
  title: 'the last entry gets no noise',
  kind: 'mechanism',
  source: 'NVFlare #343',
  killedBy: ['mechanism/every-coordinate', 'mechanism/no-atoms'],
  within: 10,
  plant: () =>
    planted(gaussian, {
      addNoise: (params, value, scale, random) =>
        gaussian.addNoise(params, value.subarray(0, Math.max(1, value.length - 1)), scale, random),
    }),
});
