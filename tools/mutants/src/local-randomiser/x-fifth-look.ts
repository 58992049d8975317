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
