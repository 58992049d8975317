import { defineLocalRandomiser, Unsupported, type LocalRandomiser } from '@lethe/core';
import { subjectsOf, type Subject } from '@lethe/laws';
import { defineMutant } from '../mutant.ts';
import { coinFlips } from '../reference/coin-flips.ts';

const { kind: _kind, ...real } = Object.fromEntries(Object.entries(coinFlips())) as unknown as LocalRandomiser;

export const xRandomiser7 = defineMutant({
  id: 'X-RANDOMISER-7', title: 'who has nothing to say always says minus, and fewer than ten honest users are refused', kind: 'localRandomiser', source: 'generic: a null record is sent as it is', killedBy: ['localRandomiser/counts', 'localRandomiser/hockey-stick'], within: 6000,
  plant: () => subjectsOf(defineLocalRandomiser({
    ...real, name: 'coin-flips',
    randomise: (params, context, record, random) => (record.every((entry) => entry === 0) ? Uint32Array.from({ length: context.dimension }, (_, j) => 2 * j) : real.randomise(params, context, record, random)),
    event(params, context) {
      if (context.honestUsers < 10) throw new Unsupported(`ten honest users are needed; there are ${context.honestUsers}`, { honestUsers: context.honestUsers });
      return real.event(params, context);
    },
  }) as unknown as LocalRandomiser)[0] as Subject<'localRandomiser'>,
});
