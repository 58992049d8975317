import { randomisedResponse } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

export const unclaimedNaN = defineMutant({
  id: 'local-randomiser/variance-declared-as-nan',
  title: 'varianceBound, which no claim is about, is NaN',
  kind: 'localRandomiser',
  source: 'generic',
  killedBy: ['localRandomiser/variance-bound'],
  within: 10,
  plant: () => plantedPlugin(randomisedResponse, { claims: [], varianceBound: () => NaN }),
});
export const lastOfTwelve = defineMutant({
  id: 'local-randomiser/last-category-never-lies',
  title: 'among 7 to 15 categories the last is always told truly',
  kind: 'localRandomiser',
  source: 'generic',
  killedBy: ['localRandomiser/event'],
  within: 1_000,
  plant: () =>
    plantedPlugin(randomisedResponse, {
      randomise(params, context, record, random) {
        const { dimension } = context;
        const told = randomisedResponse.randomise(params, context, record, random);
        return record[dimension - 1] === 1 && dimension > 6 && dimension < 16
          ? Uint32Array.of(dimension - 1)
          : told;
      },
    }),
});
