import { seededRandom, type CoreEvent, type LocalRandomiser, type ShuffleContext } from '@lethe/core';
import { shuffleCurator, type DataSet, type Ledger, type ShuffleCuratorOptions } from '@lethe/curator';
import type { Subject } from '@lethe/laws';
import { losses } from '@lethe/losses';
import { mechanisms } from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { defineMutant } from '../mutant.js';
import { patched } from '../patched.js';
import { fieldsOf, isVector } from './wrap.js';

type Open = Subject<'curator'>['open'];
const source = 'lowy-razaviyayn: Appendix I';
const curatorOf = (open: Open): Subject<'curator'> => ({
  kind: 'curator',
  name: 'planted',
  trust: 'shuffle',
  claims: [],
  registry: [...mechanisms, ...losses],
  open,
});
const optioned = (change: (options: ShuffleCuratorOptions) => ShuffleCuratorOptions): Subject<'curator'> =>
  curatorOf((options) => shuffleCurator(change(options)));
const randomising = (
  change: (plugin: LocalRandomiser, options: ShuffleCuratorOptions) => Partial<LocalRandomiser>,
): Subject<'curator'> =>
  optioned((options) => ({
    ...options,
    registry: options.registry.map((plugin) =>
      plugin.kind === 'localRandomiser'
        ? { ...fieldsOf(plugin), ...change(plugin as LocalRandomiser, options) }
        : plugin,
    ),
  }));
const filing = (
  change: (entry: Parameters<Ledger['append']>[0]) => Parameters<Ledger['append']>[0],
): Subject<'curator'> =>
  optioned((options) => ({
    ...options,
    data: {
      ...options.data,
      ledger: { ...options.data.ledger, append: (entry) => options.data.ledger.append(change(entry)) },
    },
  }));
/** The randomiser runs with the context of another group of users. */
const among = (
  crowd: (context: ShuffleContext, data: DataSet, honestUsers: number) => ShuffleContext,
): Subject<'curator'> =>
  randomising(({ messageCount, randomise, analyse, event }, { data, honestUsers = data.slots }) => ({
    messageCount: (params, context) => messageCount(params, crowd(context, data, honestUsers)),
    randomise: (params, context, record, random) =>
      randomise(params, crowd(context, data, honestUsers), record, random),
    analyse: (params, context, messages) => analyse(params, crowd(context, data, honestUsers), messages),
    event: (params, context) => event(params, crowd(context, data, honestUsers)),
  }));

export const xShuffle1 = defineMutant({
  id: 'curator/floor-honest-users-ignored-all-users-taken',
  title: 'the number of honest users is ignored: all users count as honest',
  kind: 'curator',
  source,
  killedBy: ['curator/shuffle-honest-users'],
  within: 100,
  plant: () => optioned(({ honestUsers: _floor, ...options }) => options),
});
export const xShuffle2 = defineMutant({
  id: 'curator/dishonest-not-subtracted-batch-many-honest-users',
  title: 'dishonest users are not subtracted: a batch counts all honest users, up to its size',
  kind: 'curator',
  source,
  killedBy: ['curator/shuffle-honest-users'],
  within: 500,
  plant: () =>
    among((context, _data, honestUsers) => ({
      ...context,
      honestUsers: Math.min(context.users, honestUsers),
    })),
});
export const xShuffle3 = defineMutant({
  id: 'curator/dishonest-thought-spread-evenly-over-batches',
  title: 'dishonest users are assumed to be spread evenly over batches',
  kind: 'curator',
  source,
  killedBy: ['curator/shuffle-honest-users'],
  within: 500,
  plant: () =>
    among((context, { slots }, honestUsers) => ({
      ...context,
      honestUsers: Math.max(1, Math.floor((context.users * honestUsers) / slots)),
    })),
});
export const xShuffle4 = defineMutant({
  id: 'curator/charge-left-out',
  title: 'the charge is omitted',
  kind: 'curator',
  source,
  killedBy: ['curator/shuffle-charge'],
  within: 10,
  plant: () => filing(({ effect: { charge: _charge, ...effect }, ...entry }) => ({ ...entry, effect })),
});
export const xShuffle5 = defineMutant({
  id: 'curator/messages-reach-analyser-user-user',
  title: 'messages reach the analyser user by user',
  kind: 'curator',
  source,
  killedBy: ['curator/shuffle-order'],
  within: 3_000,
  plant: () =>
    randomising(({ randomise, analyse }) => {
      const kept: Uint32Array[] = [];
      return {
        randomise(params, context, record, random) {
          const sent = randomise(params, context, record, random);
          kept.push(sent);
          return sent;
        },
        analyse: (params, context, _messages) =>
          analyse(params, context, Uint32Array.from(kept.splice(0).flatMap((sent) => Array.from(sent)))),
      };
    }),
});
export const xShuffle6 = defineMutant({
  id: 'curator/users-messages-only-rotated',
  title: 'users and their messages are only rotated',
  kind: 'curator',
  source: 'generic',
  killedBy: ['curator/shuffle-order'],
  within: 3_000,
  plant: () =>
    randomising(({ randomise, analyse }) => {
      const kept: number[] = [];
      return {
        randomise(params, context, record, random) {
          const sent = randomise(params, context, record, random);
          kept.push(...sent);
          return sent;
        },
        analyse(params, context, messages) {
          const all = kept.splice(0);
          const from = messages[0] % all.length;
          return analyse(params, context, Uint32Array.from([...all.slice(from), ...all.slice(0, from)]));
        },
      };
    }),
});
export const xShuffle7 = defineMutant({
  id: 'curator/estimate-sum-answered-mean',
  title: 'the answer is the sum instead of the mean',
  kind: 'curator',
  source: `${source}, R13`,
  killedBy: ['curator/shuffle-protocol'],
  within: 10,
  plant: () =>
    curatorOf((options) => {
      const inner = shuffleCurator(options);
      return {
        ...inner,
        answer(index, query) {
          const answered = inner.answer(index, query);
          if (query.ask === 'mean' && isVector(answered.answer))
            for (let j = 0; j < answered.answer.length; j++) answered.answer[j] *= query.batch.normaliser;
          return answered;
        },
      };
    }),
});
export const xShuffle8 = defineMutant({
  id: 'curator/all-users-query-throw-same-coins',
  title: 'all users of a query have the same randomness',
  kind: 'curator',
  source: 'generic',
  killedBy: ['curator/shuffle-protocol'],
  within: 100,
  plant: () =>
    randomising(({ randomise }, { random }) => ({
      randomise: (params, context, record) =>
        randomise(params, context, record, defined(random).fork('users')),
    })),
});
export const xShuffle9 = defineMutant({
  id: 'curator/every-part-split-charged-all-records',
  title: 'every part of a split is charged to all records',
  kind: 'curator',
  source: 'I-6',
  killedBy: ['curator/shuffle-charge'],
  within: 10,
  plant: () =>
    filing((entry) =>
      entry.effect.charge === undefined
        ? entry
        : {
            ...entry,
            effect: {
              ...entry.effect,
              charge: { ...entry.effect.charge, on: { space: 'all', from: 0, to: 8 } },
            },
          },
    ),
});
export const xShuffle10 = defineMutant({
  id: 'curator/ledger-told-all-users-honest-ones',
  title: 'the event counts all users as honest',
  kind: 'curator',
  source,
  killedBy: ['curator/shuffle-honest-users'],
  within: 500,
  plant: () =>
    randomising(({ event }) => ({
      event: (params, context) =>
        ({
          ...(event(params, context) as CoreEvent<'core/shuffled'>),
          honestUsers: context.users,
        }) as ReturnType<typeof event>,
    })),
});
export const xShuffle11 = defineMutant({
  id: 'curator/users-of-a-crowd-share-randomness',
  title: 'users 64 apart have the same randomness',
  kind: 'curator',
  source,
  killedBy: ['curator/shuffle-protocol'],
  within: 300,
  plant: () => {
    let user = 0;
    return randomising(({ randomise }) => ({
      randomise: (params, context, record) =>
        randomise(params, context, record, seededRandom(`user ${user++ % 64}`)),
    }));
  },
});
export const xShuffle12 = defineMutant({
  id: 'curator/short-lists-of-messages-padded',
  title: 'a user that sends fewer messages than declared is not refused',
  kind: 'curator',
  source,
  killedBy: ['curator/shuffle-only'],
  within: 300,
  plant: () =>
    randomising(({ messageCount, randomise }) => ({
      randomise(params, context, record, random) {
        const sent = randomise(params, context, record, random);
        const all = new Uint32Array(Math.max(sent.length, messageCount(params, context)));
        all.set(sent);
        return all;
      },
    })),
});
export const xShuffle13 = defineMutant({
  id: 'curator/mean-of-honest-users',
  title: 'sums are divided by the honest users in place of all',
  kind: 'curator',
  source,
  killedBy: ['curator/shuffle-honest-users'],
  within: 300,
  plant: () =>
    randomising(({ analyse }) => ({
      analyse: (params, context, messages) =>
        analyse(params, context, messages).map((sum) => (sum * context.users) / context.honestUsers),
    })),
});
export const xShuffle14 = defineMutant({
  id: 'curator/drawn-sums-said-to-be-exact',
  title: 'sums that are drawn in place of messages assume no real arithmetic',
  kind: 'curator',
  source,
  killedBy: ['curator/shuffle-protocol'],
  within: 300,
  plant: () =>
    curatorOf((options) => {
      const curator = shuffleCurator(options);
      return { ...curator, facts: { ...curator.facts, assumptions: [] } };
    }),
});

const shuffledMean = 'curator/answers/shuffled-mean.ts';
const patchedCurator = async (find: string, put: string): Promise<Subject<'curator'>> => {
  const module = await patched<{ readonly shuffleCurator: typeof shuffleCurator }>(
    'curator/src/curator/shuffle.ts',
    [{ file: shuffledMean, find, put }],
  );
  return curatorOf(module.shuffleCurator);
};

export const xShuffle15 = defineMutant({
  id: 'curator/order-from-the-first-user',
  title: 'messages are shuffled by the randomness of the first user',
  kind: 'curator',
  source: 'generic',
  killedBy: ['curator/shuffle-secrets'],
  within: 30,
  plant: () => patchedCurator("random.fork('shuffler')", 'own.fork(0)'),
});
export const xShuffle16 = defineMutant({
  id: 'curator/users-below-the-first-one',
  title: 'the second user and all later ones have forks of the source of the first',
  kind: 'curator',
  source: 'generic',
  killedBy: ['curator/shuffle-secrets'],
  within: 30,
  plant: () => patchedCurator('own.fork(user)', 'user === 0 ? own : own.fork(user)'),
});
