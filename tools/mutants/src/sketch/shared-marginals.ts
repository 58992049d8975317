import { tauNice } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

export const sharedMarginals = defineMutant({
  id: 'sketch/marginals-written-to-one-array',
  title: 'marginals of one dimension are written to the same array for all parameters',
  kind: 'sketch',
  source: 'generic',
  killedBy: ['sketch/marginals'],
  within: 100,
  plant: () => {
    const kept = new Map<number, Float64Array>();
    return plantedPlugin(tauNice, {
      marginals(params, dimension) {
        const fresh = tauNice.marginals(params, dimension);
        const own = kept.get(dimension) ?? fresh;
        kept.set(dimension, own);
        own.set(fresh);
        return own;
      },
    });
  },
});
