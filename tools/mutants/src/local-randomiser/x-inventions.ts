import type { Subject } from '@lethe/laws';
import { randomisedResponse } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

const source = 'generic';
type Bug = Parameters<typeof plantedPlugin<typeof randomisedResponse>>[1];
const planted = (bug: Bug): Subject<'localRandomiser'> => plantedPlugin(randomisedResponse, bug);
const isNull = (record: Float64Array): boolean => record.every((entry) => entry === 0);

export const xRandomiser1 = defineMutant({
  id: 'local-randomiser/nothing-say-sends-nothing',
  title: 'a null record sends no message',
  kind: 'localRandomiser',
  source,
  killedBy: ['localRandomiser/messages'],
  within: 200,
  plant: () =>
    planted({
      randomise: (params, context, record, random) =>
        isNull(record) ? new Uint32Array(0) : randomisedResponse.randomise(params, context, record, random),
    }),
});
export const xRandomiser2 = defineMutant({
  id: 'local-randomiser/lies-counted-twice-cannot-told-truth',
  title: 'random answers are counted twice in the event',
  kind: 'localRandomiser',
  source,
  killedBy: ['localRandomiser/event'],
  within: 20,
  plant: () =>
    planted({
      event(params, context) {
        const event = randomisedResponse.event(params, context) as ReturnType<
          typeof randomisedResponse.event
        > & { p: number };
        return { ...event, p: Math.min(1, event.p * (1 + 1 / context.dimension)) } as typeof event;
      },
    }),
});
export const xRandomiser3 = defineMutant({
  id: 'local-randomiser/estimate-forgets-some-lie',
  title: 'the estimate ignores random answers',
  kind: 'localRandomiser',
  source,
  killedBy: ['localRandomiser/unbiased'],
  within: 5,
  plant: () =>
    planted({
      analyse(_params, { dimension }, messages) {
        const counts = new Float64Array(dimension);
        for (const message of messages) counts[message]++;
        return counts;
      },
    }),
});
export const xRandomiser4 = defineMutant({
  id: 'local-randomiser/first-message-counts-twice',
  title: 'the first message counts twice',
  kind: 'localRandomiser',
  source,
  killedBy: ['localRandomiser/order'],
  within: 50,
  plant: () =>
    planted({
      analyse(params, context, messages) {
        const sum = randomisedResponse.analyse(params, context, messages);
        sum[messages[0]]++;
        return sum;
      },
    }),
});
export const xRandomiser5 = defineMutant({
  id: 'local-randomiser/takes-any-number-honest-users',
  title: 'takes any number of honest users',
  kind: 'localRandomiser',
  source,
  killedBy: ['localRandomiser/honest-users'],
  within: 6,
  plant: () =>
    planted({
      event: (params, context) =>
        randomisedResponse.event(params, { ...context, honestUsers: context.users }),
    }),
});
export const xRandomiser6 = defineMutant({
  id: 'local-randomiser/nobody-lies',
  title: 'every user sends the true category',
  kind: 'localRandomiser',
  source,
  killedBy: ['localRandomiser/hockey-stick'],
  within: 6000,
  plant: () =>
    planted({
      randomise: (_params, _context, record, random) =>
        Uint32Array.of(isNull(record) ? random.integer(record.length) : record.indexOf(Math.max(...record))),
    }),
});
export const xRandomiser8 = defineMutant({
  id: 'local-randomiser/lie-never-truth-chance-estimate-takes',
  title: 'random answers never equal the truth, contrary to the estimate',
  kind: 'localRandomiser',
  source,
  killedBy: ['localRandomiser/unbiased'],
  within: 5,
  plant: () =>
    planted({
      randomise(params, context, record, random) {
        const told = randomisedResponse.randomise(params, context, record, random);
        const truth = record.indexOf(1);
        return truth < 0 || told[0] !== truth || random.integer(8) > 0
          ? told
          : Uint32Array.of((truth + 1) % record.length);
      },
    }),
});
export const xRandomiser9 = defineMutant({
  id: 'local-randomiser/event-two-categories-however-many',
  title: 'the event is that of two categories, for any number',
  kind: 'localRandomiser',
  source,
  killedBy: ['localRandomiser/event'],
  within: 200,
  plant: () =>
    planted({
      event: (params, context) =>
        ({ ...randomisedResponse.event(params, context), categories: 2 }) as ReturnType<
          typeof randomisedResponse.event
        >,
    }),
});
