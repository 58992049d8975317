import { Unsupported } from '@lethe/core';
import { randomisedResponse } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

export const xRandomiser7 = defineMutant({
  id: 'local-randomiser/nothing-say-always-names-first-category-fewer',
  title: 'a null record always names the first category, and fewer than ten honest users are refused',
  kind: 'localRandomiser',
  source: 'generic: a null record is sent as it is',
  killedBy: ['localRandomiser/counts', 'localRandomiser/hockey-stick'],
  within: 6000,
  plant: () =>
    plantedPlugin(randomisedResponse, {
      randomise: (params, context, record, random) =>
        record.every((entry) => entry === 0)
          ? Uint32Array.of(0)
          : randomisedResponse.randomise(params, context, record, random),
      event(params, context) {
        if (context.honestUsers < 10)
          throw new Unsupported(`ten honest users are needed; there are ${context.honestUsers}`, {
            honestUsers: context.honestUsers,
          });
        return randomisedResponse.event(params, context);
      },
    }),
});
