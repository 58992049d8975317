import { discreteLaplace } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

export const minusOneDrawnAgain = defineMutant({
  id: 'mechanism/minus-one-is-drawn-again',
  title: 'whole noise of −1 is drawn again from scale 16 on',
  kind: 'mechanism',
  source: 'generic: the rejection of a second zero goes too far',
  killedBy: ['mechanism/every-scale'],
  within: 30_000,
  plant: () =>
    plantedPlugin(discreteLaplace, {
      addNoise(params, value, scale, random) {
        for (let j = 0; j < value.length; j++) {
          const noise = new Float64Array(1);
          do {
            noise[0] = 0;
            discreteLaplace.addNoise(params, noise, scale, random);
          } while (noise[0] === (scale >= 16 ? -1 : Infinity));
          value[j] += noise[0];
        }
      },
    }),
});
