import { seededRandom } from '@lethe/core';
import { shuffledVectorSum } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

export const noRandomnessOfManyLevels = defineMutant({
  id: 'local-randomiser/coins-constant-from-17-levels-on',
  title: 'from 17 levels on every user’s randomness is the same; the examples have 4 levels',
  kind: 'localRandomiser',
  source: 'generic',
  killedBy: ['localRandomiser/counts'],
  within: 40_000,
  plant: () =>
    plantedPlugin(
      shuffledVectorSum,
      {
        randomise: (params, context, record, random) =>
          shuffledVectorSum.randomise(
            params,
            context,
            record,
            (params.levels ?? 4) >= 17 ? seededRandom('always') : random,
          ),
      },
      { radius: 1, levels: 4 },
    ),
});

export const noRandomnessInSomeCrowds = defineMutant({
  id: 'local-randomiser/coins-constant-among-17-to-1000-users',
  title: 'among 17 to 1 000 users every user’s randomness is the same; laws try up to 16, and thousands',
  kind: 'localRandomiser',
  source: 'generic: two code paths with a third between them',
  killedBy: ['localRandomiser/crowds'],
  within: 100,
  plant: () =>
    plantedPlugin(
      shuffledVectorSum,
      {
        randomise: (params, context, record, random) =>
          shuffledVectorSum.randomise(
            params,
            context,
            record,
            context.users >= 17 && context.users <= 1000 ? seededRandom('always') : random,
          ),
      },
      { radius: 1, levels: 4 },
    ),
});
