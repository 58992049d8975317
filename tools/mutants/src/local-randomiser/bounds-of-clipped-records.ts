import { shuffledVectorSum } from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

const biasBound = defined(shuffledVectorSum.biasBound);
const recordVarianceBound = defined(shuffledVectorSum.recordVarianceBound);

export const xRandomiser80 = defineMutant({
  id: 'local-randomiser/bias-of-clipped-records-halved',
  title: 'the bias bound of records beyond the ball is half of it',
  kind: 'localRandomiser',
  source: 'generic',
  killedBy: ['localRandomiser/moved-records'],
  within: 200,
  plant: () =>
    plantedPlugin(shuffledVectorSum, {
      biasBound: (params: { readonly radius: number }, moment) => biasBound(params, moment) / 2,
    }),
});

export const xRandomiser81 = defineMutant({
  id: 'local-randomiser/variance-of-records-halved',
  title: 'the variance bound of records in the ball is half of it',
  kind: 'localRandomiser',
  source: 'generic',
  killedBy: ['localRandomiser/moved-records'],
  within: 200,
  plant: () =>
    plantedPlugin(shuffledVectorSum, {
      recordVarianceBound: (params: { readonly radius: number }, moment) =>
        recordVarianceBound(params, moment) / 2,
    }),
});
