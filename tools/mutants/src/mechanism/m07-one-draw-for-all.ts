import { gaussian } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { planted } from './plant.js';

export const m07 = defineMutant({
  id: 'mechanism/one-draw-added-every-entry',
  title: 'one draw is added to every entry',
  kind: 'mechanism',
  source: 'generic',
  killedBy: ['mechanism/duplicates', 'mechanism/independence'],
  within: 400,
  plant: () =>
    planted(gaussian, {
      addNoise: (params, value, scale, random) => {
        const draw = new Float64Array(1);
        gaussian.addNoise(params, draw, scale, random);
        value.forEach((x, j) => {
          value[j] = x + draw[0];
        });
      },
    }),
});
