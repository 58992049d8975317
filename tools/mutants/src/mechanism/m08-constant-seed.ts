import { seededRandom } from '@lethe/core';
import { gaussian } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { planted } from './plant.js';

export const m08 = defineMutant({
  id: 'mechanism/source-seeded-anew-every-call',
  title: 'every call restarts the source from a constant seed',
  kind: 'mechanism',
  source: 'diffprivlib #85',
  killedBy: ['mechanism/fresh-coins', 'mechanism/duplicates'],
  within: 60,
  plant: () =>
    planted(gaussian, {
      addNoise: (params, value, scale) => gaussian.addNoise(params, value, scale, seededRandom(42)),
    }),
});
