import type { RandomSource, ShuffleContext } from '@lethe/core';
import type { Subject } from '@lethe/laws';
import { shuffledVectorSum } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

const source = 'lowy-razaviyayn';
const levels = 4, radius = 1, half = levels / 2;
type Params = { readonly radius: number; readonly levels?: number | undefined };
type Bug = Parameters<typeof plantedPlugin<typeof shuffledVectorSum>>[1];
const planted = (bug: Bug): Subject<'localRandomiser'> => plantedPlugin(shuffledVectorSum, bug, { radius, levels });

/** Entries that are already on a level, put there by `round` in units of a level; rounding at random leaves them alone. */
const rounding = (round: (x: number, random: RandomSource) => number): Bug => ({
  randomise: (params: Params, context: ShuffleContext, record: Float64Array, random: RandomSource) =>
    shuffledVectorSum.randomise(params, context, record.map((x) => (round(x * (half / radius), random) * radius) / half), random),
});

/** All is as among other users than there are; the event is as it was. */
const among = (crowd: (context: ShuffleContext) => ShuffleContext): Bug => ({
  messageCount: (params: Params, context: ShuffleContext) => shuffledVectorSum.messageCount(params, crowd(context)),
  randomise: (params: Params, context: ShuffleContext, record: Float64Array, random: RandomSource) => shuffledVectorSum.randomise(params, crowd(context), record, random),
});

export const s07 = defineMutant({
  id: 'S07', title: 'stochastic rounding starts at trunc instead of floor: negative numbers are pulled up', kind: 'localRandomiser', source: 'generic',
  killedBy: ['localRandomiser/unbiased'], within: 5_000,
  plant: () => planted(rounding((x, random) => Math.trunc(x) + (random.uniform() < x - Math.floor(x) ? 1 : 0))),
});
export const xCounts1 = defineMutant({
  id: 'X-COUNTS-1', title: 'entries are rounded down, not at random', kind: 'localRandomiser', source: `${source}: C11`, killedBy: ['localRandomiser/unbiased'], within: 8_000,
  plant: () => planted(rounding(Math.floor)),
});
export const xCounts2 = defineMutant({
  id: 'X-COUNTS-2', title: 're-centred by the radius of one user, as Algorithm 11 is printed', kind: 'localRandomiser', source: `${source}: R13`, killedBy: ['localRandomiser/unbiased'], within: 5_000,
  plant: () => planted({ analyse: (params: Params, context: ShuffleContext, messages: Uint32Array) => shuffledVectorSum.analyse(params, context, messages).map((x) => x + (context.users - 1) * radius) }),
});
export const xCounts3 = defineMutant({
  id: 'X-COUNTS-3', title: 'only the coins of one user are subtracted', kind: 'localRandomiser', source: `${source}: C11`, killedBy: ['localRandomiser/unbiased'], within: 5_000,
  plant: () => planted({
    analyse(params: Params, context: ShuffleContext, messages: Uint32Array) {
      const coins = shuffledVectorSum.messageCount(params, context) / context.dimension - levels;
      return shuffledVectorSum.analyse(params, context, messages).map((x) => x + ((context.users - 1) * coins * radius) / levels);
    },
  }),
});
export const xCounts4 = defineMutant({
  id: 'X-COUNTS-4', title: 'the mean is given for the sum', kind: 'localRandomiser', source: `${source}: R13`, killedBy: ['localRandomiser/unbiased'], within: 8_000,
  plant: () => planted({ analyse: (params: Params, context: ShuffleContext, messages: Uint32Array) => shuffledVectorSum.analyse(params, context, messages).map((x) => x / context.users) }),
});
export const xCounts5 = defineMutant({
  id: 'X-COUNTS-5', title: 'every user adds a three-hundredth of the coins', kind: 'localRandomiser', source: `${source}: C10`, killedBy: ['localRandomiser/counts'], within: 500,
  plant: () => planted(among((context) => ({ ...context, users: 300 * context.users, honestUsers: 300 * context.honestUsers }))),
});
export const xCounts6 = defineMutant({
  id: 'X-COUNTS-6', title: 'all users share the coins, honest or not', kind: 'localRandomiser', source: 'generic', killedBy: ['localRandomiser/counts'], within: 5_000,
  plant: () => planted(among((context) => ({ ...context, honestUsers: context.users }))),
});
export const xCounts7 = defineMutant({
  id: 'X-COUNTS-7', title: 'an entry that is zero has its bits left out, and sends coins alone', kind: 'localRandomiser', source: 'generic', killedBy: ['localRandomiser/messages'], within: 500,
  plant: () => planted({
    randomise(params: Params, context: ShuffleContext, record: Float64Array, random: RandomSource) {
      const messages = shuffledVectorSum.randomise(params, context, record, random);
      return record.every((x) => x === 0) ? messages.subarray(0, messages.length - levels) : messages;
    },
  }),
});
export const xCounts8 = defineMutant({
  id: 'X-COUNTS-8', title: 'a record with an entry that is not a number sends nothing but coins', kind: 'localRandomiser', source: 'generic', killedBy: ['localRandomiser/messages'], within: 500,
  plant: () => planted({
    randomise: (params: Params, context: ShuffleContext, record: Float64Array, random: RandomSource) =>
      shuffledVectorSum.randomise(params, context, record.map((x) => (Number.isNaN(x) ? -radius : x)), random),
  }),
});
export const xCounts9 = defineMutant({
  id: 'X-COUNTS-9', title: 'the variance is that of one user’s coins', kind: 'localRandomiser', source: `${source}: C12`, killedBy: ['localRandomiser/variance-bound'], within: 1_000,
  plant: () => planted({ varianceBound: (params: Params, context: ShuffleContext) => shuffledVectorSum.varianceBound!(params, context) / context.users }),
});
