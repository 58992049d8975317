import type { RandomSource, ShuffleContext, Vector } from '@lethe/core';
import type { Subject } from '@lethe/laws';
import { randomisedResponse, shuffledScalarSum, shuffledVectorSum } from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

const source = 'generic';
const kind = 'localRandomiser';
const none = {} as never;
const response = (
  bug: Parameters<typeof plantedPlugin<typeof randomisedResponse>>[1],
): Subject<'localRandomiser'> => plantedPlugin(randomisedResponse, bug);
const interval = { lower: -0.5, upper: 3, levels: 5 };
const scalar = (
  bug: Parameters<typeof plantedPlugin<typeof shuffledScalarSum>>[1],
): Subject<'localRandomiser'> => plantedPlugin(shuffledScalarSum, bug, interval);

export const xRandomiser60 = defineMutant({
  id: 'local-randomiser/five-categories-more-lies-never-name-last',
  title: 'for five or more categories, random answers never name the last',
  kind,
  source,
  killedBy: ['localRandomiser/event'],
  within: 200,
  plant: () =>
    response({
      randomise(_params, context, record: Vector, random: RandomSource) {
        const sent = randomisedResponse.randomise(none, context, record, random);
        const last = record.length - 1;
        return record.length >= 5 && sent[0] === last && record[last] === 0
          ? Uint32Array.of(random.integer(last))
          : sent;
      },
    }),
});
export const xRandomiser61 = defineMutant({
  id: 'local-randomiser/more-32-categories-all-taken-first',
  title: 'for more than 32 categories, all answers count as the first',
  kind,
  source,
  killedBy: ['localRandomiser/unbiased'],
  within: 5_000,
  plant: () =>
    response({
      randomise(_params, context, record: Vector, random: RandomSource) {
        const total = record.reduce((sum, x) => sum + x, 0);
        return randomisedResponse.randomise(
          none,
          context,
          record.length > 32 ? record.map((_, j) => (j === 0 ? total : 0)) : record,
          random,
        );
      },
    }),
});
export const xRandomiser62 = defineMutant({
  id: 'local-randomiser/variance-bound-fifth-too-small-all-records',
  title: 'the variance bound is too small by a fifth for null records',
  kind,
  source,
  killedBy: ['localRandomiser/variance-bound'],
  within: 10_000,
  plant: () =>
    response({
      varianceBound: (_params, context) => 0.8 * defined(randomisedResponse.varianceBound)(none, context),
    }),
});
export const xRandomiser63 = defineMutant({
  id: 'local-randomiser/target-rho-read-epsilon-2root-rho-epsilon2',
  title: 'a target ρ is read as ε = 2√ρ, although ε²/2 is then 2ρ',
  kind,
  source,
  killedBy: ['localRandomiser/target'],
  within: 100,
  plant() {
    const read = (context: ShuffleContext): ShuffleContext =>
      'rho' in context.target
        ? { ...context, target: { epsilon: 2 * Math.sqrt(context.target.rho), delta: 1e-9 } }
        : context;
    return response({
      randomise: (_params, context, record, random) =>
        randomisedResponse.randomise(none, read(context), record, random),
      analyse: (_params, context, messages) => randomisedResponse.analyse(none, read(context), messages),
      event: (_params, context) => randomisedResponse.event(none, read(context)),
    });
  },
});
export const xRandomiser64 = defineMutant({
  id: 'local-randomiser/variance-honest-users-only-counted',
  title: 'the variance counts honest users only',
  kind,
  source,
  killedBy: ['localRandomiser/variance-bound'],
  within: 2_500,
  plant: () =>
    scalar({
      varianceBound: (_params, context) =>
        (context.honestUsers / context.users) * defined(shuffledScalarSum.varianceBound)(interval, context),
    }),
});
export const xRandomiser65 = defineMutant({
  id: 'local-randomiser/estimate-moved-back-lower-end-honest-users',
  title: 'the estimate is shifted back for honest users only',
  kind,
  source,
  killedBy: ['localRandomiser/unbiased'],
  within: 2_000,
  plant: () =>
    scalar({
      analyse: (_params, context, messages) =>
        shuffledScalarSum
          .analyse(interval, context, messages)
          .map((x) => x + (context.honestUsers - context.users) * interval.lower),
    }),
});
export const xRandomiser66 = defineMutant({
  id: 'local-randomiser/messages-sorted-lie',
  title: 'messages are sorted in place',
  kind,
  source,
  killedBy: ['localRandomiser/order'],
  within: 10,
  plant: () =>
    scalar({
      analyse(_params, context, messages) {
        messages.set(messages.toSorted());
        return shuffledScalarSum.analyse(interval, context, messages);
      },
    }),
});
export const xRandomiser67 = defineMutant({
  id: 'local-randomiser/domain-said-twice-large-ball-clips',
  title: 'the declared domain is twice as large as the ball of the clip',
  kind,
  source,
  killedBy: ['localRandomiser/unbiased'],
  within: 6_000,
  plant: () =>
    plantedPlugin(
      shuffledVectorSum,
      {
        domain: ({ radius }, dimension) =>
          defined(shuffledVectorSum.domain)({ radius: 2 * radius }, dimension),
      },
      { radius: 1, levels: 4 },
    ),
});
export const xRandomiser68 = defineMutant({
  id: 'local-randomiser/coins-all-users-counted-honest-not',
  title: 'the event counts the random bits of all users, dishonest ones included',
  kind,
  source,
  killedBy: ['localRandomiser/counts'],
  within: 2_000,
  plant() {
    const all = (context: ShuffleContext): ShuffleContext => ({ ...context, honestUsers: context.users });
    return scalar({
      messageCount: (_params, context) => shuffledScalarSum.messageCount(interval, all(context)),
      randomise: (_params, context, record, random) =>
        shuffledScalarSum.randomise(interval, all(context), record, random),
      analyse: (_params, context, messages) => shuffledScalarSum.analyse(interval, all(context), messages),
    });
  },
});
