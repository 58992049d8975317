import { tauNice } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

export const s01 = defineMutant({
  id: 'sketch/random-subset-not-scaled-dimension-size',
  title: 'a random subset is not scaled by dimension/size',
  kind: 'sketch',
  source: 'generic',
  killedBy: ['sketch/unbiased'],
  within: 20,
  plant: () =>
    plantedPlugin(tauNice, {
      marginals: (params, dimension) => tauNice.marginals(params, dimension).fill(1),
      enumerate: () => null,
    }),
});
