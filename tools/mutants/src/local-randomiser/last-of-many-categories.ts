import { randomisedResponse } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

export const lastOfManyTold = defineMutant({
  id: 'local-randomiser/last-category-of-many-told',
  title: 'from 41 categories on, a user of the last category tells the truth every other time',
  kind: 'localRandomiser',
  source: 'generic',
  killedBy: ['localRandomiser/hockey-stick'],
  cell: 'from the first to the last of 50 coordinates',
  within: 12_000,
  plant: () =>
    plantedPlugin(randomisedResponse, {
      randomise(params, context, record, random) {
        const message = randomisedResponse.randomise(params, context, record, random);
        const last = context.dimension - 1;
        return last >= 40 && record[last] > 0.5 && random.integer(2) === 0 ? Uint32Array.of(last) : message;
      },
    }),
});
