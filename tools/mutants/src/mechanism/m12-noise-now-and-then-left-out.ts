import { gaussian } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { planted } from './plant.js';

export const m12 = defineMutant({
  id: 'mechanism/one-call-hundred-adds-no-noise',
  title: 'one call in a hundred adds no noise',
  kind: 'mechanism',
  source: 'generic',
  killedBy: ['mechanism/no-atoms'],
  within: 500,
  plant: () =>
    planted(gaussian, {
      addNoise: (params, value, scale, random) => {
        if (random.fork('fallback').uniform() >= 0.01) gaussian.addNoise(params, value, scale, random);
      },
    }),
});
