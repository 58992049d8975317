import type { RandomSource, ShuffleContext } from '@lethe/core';
import type { Subject } from '@lethe/laws';
import { shuffledVectorSum } from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

const source = 'lowy-razaviyayn';
const levels = 4;
const radius = 1;
const half = levels / 2;
type Params = { readonly radius: number; readonly levels?: number | undefined };
type Bug = Parameters<typeof plantedPlugin<typeof shuffledVectorSum>>[1];
const planted = (bug: Bug): Subject<'localRandomiser'> =>
  plantedPlugin(shuffledVectorSum, bug, { radius, levels });

/** Entries rounded by `round` to levels in advance; the randomised rounding does not change them. */
const rounding = (round: (x: number, random: RandomSource) => number): Bug => ({
  randomise: (params: Params, context: ShuffleContext, record: Float64Array, random: RandomSource) =>
    shuffledVectorSum.randomise(
      params,
      context,
      record.map((x) => (round(x * (half / radius), random) * radius) / half),
      random,
    ),
});

/** The protocol runs with the context of another group of users; the event is unchanged. */
const among = (crowd: (context: ShuffleContext) => ShuffleContext): Bug => ({
  messageCount: (params: Params, context: ShuffleContext) =>
    shuffledVectorSum.messageCount(params, crowd(context)),
  randomise: (params: Params, context: ShuffleContext, record: Float64Array, random: RandomSource) =>
    shuffledVectorSum.randomise(params, crowd(context), record, random),
});

export const s07 = defineMutant({
  id: 'local-randomiser/stochastic-rounding-starts-trunc-instead-floor-negative',
  title: 'stochastic rounding starts at trunc instead of floor: negative numbers are biased upwards',
  kind: 'localRandomiser',
  source: 'generic',
  killedBy: ['localRandomiser/unbiased'],
  within: 5_000,
  plant: () =>
    planted(rounding((x, random) => Math.trunc(x) + (random.uniform() < x - Math.floor(x) ? 1 : 0))),
});
export const xCounts1 = defineMutant({
  id: 'local-randomiser/entries-rounded-down-not-random',
  title: 'entries are rounded down instead of at random',
  kind: 'localRandomiser',
  source: `${source}: C11`,
  killedBy: ['localRandomiser/unbiased'],
  within: 8_000,
  plant: () => planted(rounding(Math.floor)),
});
export const xCounts2 = defineMutant({
  id: 'local-randomiser/re-centred-radius-one-user-algorithm-11',
  title: 're-centred by the radius of one user, as printed in Algorithm 11',
  kind: 'localRandomiser',
  source: `${source}: R13`,
  killedBy: ['localRandomiser/unbiased'],
  within: 5_000,
  plant: () =>
    planted({
      analyse: (params: Params, context: ShuffleContext, messages: Uint32Array) =>
        shuffledVectorSum.analyse(params, context, messages).map((x) => x + (context.users - 1) * radius),
    }),
});
export const xCounts3 = defineMutant({
  id: 'local-randomiser/only-coins-one-user-subtracted',
  title: 'only the random bits of one user are subtracted',
  kind: 'localRandomiser',
  source: `${source}: C11`,
  killedBy: ['localRandomiser/unbiased'],
  within: 5_000,
  plant: () =>
    planted({
      analyse(params: Params, context: ShuffleContext, messages: Uint32Array) {
        const noiseBits = shuffledVectorSum.messageCount(params, context) / context.dimension - levels;
        return shuffledVectorSum
          .analyse(params, context, messages)
          .map((x) => x + ((context.users - 1) * noiseBits * radius) / levels);
      },
    }),
});
export const xCounts4 = defineMutant({
  id: 'local-randomiser/mean-given-sum',
  title: 'the mean is returned for the sum',
  kind: 'localRandomiser',
  source: `${source}: R13`,
  killedBy: ['localRandomiser/unbiased'],
  within: 8_000,
  plant: () =>
    planted({
      analyse: (params: Params, context: ShuffleContext, messages: Uint32Array) =>
        shuffledVectorSum.analyse(params, context, messages).map((x) => x / context.users),
    }),
});
export const xCounts5 = defineMutant({
  id: 'local-randomiser/every-user-adds-three-hundredth-coins',
  title: 'every user adds 1/300 of the random bits',
  kind: 'localRandomiser',
  source: `${source}: C10`,
  killedBy: ['localRandomiser/counts'],
  within: 500,
  plant: () =>
    planted(
      among((context) => ({
        ...context,
        users: 300 * context.users,
        honestUsers: 300 * context.honestUsers,
      })),
    ),
});
export const xCounts6 = defineMutant({
  id: 'local-randomiser/all-users-share-coins-honest-not',
  title: 'the random bits are divided among all users, dishonest ones included',
  kind: 'localRandomiser',
  source: 'generic',
  killedBy: ['localRandomiser/counts'],
  within: 5_000,
  plant: () => planted(among((context) => ({ ...context, honestUsers: context.users }))),
});
export const xCounts7 = defineMutant({
  id: 'local-randomiser/entry-zero-bits-left-out-sends-coins',
  title: 'a zero entry sends only random bits, without its own',
  kind: 'localRandomiser',
  source: 'generic',
  killedBy: ['localRandomiser/messages'],
  within: 500,
  plant: () =>
    planted({
      randomise(params: Params, context: ShuffleContext, record: Float64Array, random: RandomSource) {
        const messages = shuffledVectorSum.randomise(params, context, record, random);
        return record.every((x) => x === 0) ? messages.subarray(0, messages.length - levels) : messages;
      },
    }),
});
export const xCounts8 = defineMutant({
  id: 'local-randomiser/record-entry-not-number-sends-nothing-coins',
  title: 'a record with a NaN sends only random bits',
  kind: 'localRandomiser',
  source: 'generic',
  killedBy: ['localRandomiser/messages'],
  within: 500,
  plant: () =>
    planted({
      randomise: (params: Params, context: ShuffleContext, record: Float64Array, random: RandomSource) =>
        shuffledVectorSum.randomise(
          params,
          context,
          record.map((x) => (Number.isNaN(x) ? -radius : x)),
          random,
        ),
    }),
});
export const xCounts9 = defineMutant({
  id: 'local-randomiser/variance-one-users-coins',
  title: 'the variance is that of one user’s random bits',
  kind: 'localRandomiser',
  source: `${source}: C12`,
  killedBy: ['localRandomiser/variance-bound'],
  within: 1_000,
  plant: () =>
    planted({
      varianceBound: (params: Params, context: ShuffleContext) =>
        defined(shuffledVectorSum.varianceBound)(params, context) / context.users,
    }),
});
