import { gaussian } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { planted } from './plant.js';

export const xMechanism60 = defineMutant({
  id: 'mechanism/half-of-noise-in-middle-of-long-vectors',
  title: 'the entries 40 to 59 of vectors of more than 100 get half of the noise',
  kind: 'mechanism',
  source: 'generic',
  killedBy: ['mechanism/every-position'],
  within: 300,
  plant: () =>
    planted(gaussian, {
      addNoise(params, value, scale, random) {
        const before = value.slice();
        gaussian.addNoise(params, value, scale, random);
        if (value.length > 100) for (let j = 40; j < 60; j++) value[j] = (value[j] + before[j]) / 2;
      },
    }),
});
