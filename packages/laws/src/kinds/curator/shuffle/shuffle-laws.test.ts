import type { LocalRandomiser, RandomSource, ShuffleContext, Vector } from '@lethe/core';
import { shuffleCurator, type Ledger, type ShuffleCuratorOptions } from '@lethe/curator';
import { defined } from '@lethe/numerics';
import { describe, expect, it } from 'vitest';
import type { LawId } from '../../../law/law.js';
import { planChecks, runCheck } from '../../../law/run.js';
import type { Subject } from '../../../law/subject.js';
import { curatorLaws } from '../index.js';
import { shuffleLaws } from './index.js';
import { endAtFirstViolation } from '../../../../test/first-violation.js';

endAtFirstViolation();

type Open = Subject<'curator'>['open'];
const subject = (name: string, open: Open): Subject<'curator'> => ({
  kind: 'curator',
  name,
  trust: 'shuffle',
  claims: [],
  registry: [],
  open,
});

const randomising =
  (change: (plugin: LocalRandomiser, options: ShuffleCuratorOptions) => Partial<LocalRandomiser>): Open =>
  (options) =>
    shuffleCurator({
      ...options,
      registry: options.registry.map((plugin) =>
        plugin.kind === 'localRandomiser'
          ? {
              ...(Object.fromEntries(Object.entries(plugin)) as unknown as LocalRandomiser),
              ...change(plugin as LocalRandomiser, options),
            }
          : plugin,
      ),
    });
const filing =
  (change: (entry: Parameters<Ledger['append']>[0]) => Parameters<Ledger['append']>[0]): Open =>
  (options) =>
    shuffleCurator({
      ...options,
      data: {
        ...options.data,
        ledger: { ...options.data.ledger, append: (entry) => options.data.ledger.append(change(entry)) },
      },
    });
const among = (context: ShuffleContext): ShuffleContext => ({ ...context, honestUsers: context.users });

/** Bugs with the law that must detect each. */
const bugs: readonly (readonly [LawId<'curator'>, string, Open])[] = [
  [
    'curator/shuffle-protocol',
    'the sum for the mean',
    (options) => {
      const inner = shuffleCurator(options);
      return {
        ...inner,
        answer: (index, query) => {
          const { answer, digest } = inner.answer(index, query);
          return {
            digest,
            answer: query.ask === 'mean' ? (answer as Vector).map((x) => x * query.batch.normaliser) : answer,
          };
        },
      };
    },
  ],
  [
    'curator/shuffle-protocol',
    'one source for all users',
    randomising(({ randomise }, { random }) => ({
      randomise: (params, context, record) => randomise(params, context, record, defined(random).fork('all')),
    })),
  ],
  [
    'curator/shuffle-protocol',
    'no null records',
    (options) =>
      shuffleCurator({
        ...options,
        data: {
          ...options.data,
          nulls: null,
          stored: {
            rows: 8,
            columns: 2,
            data: Float64Array.from({ length: 16 }, () => 5),
            offset: 0,
            rowStride: 2,
            columnStride: 1,
          },
        },
      }),
  ],
  [
    'curator/shuffle-secrets',
    'all users draw from the source of the first',
    randomising(({ randomise }) => {
      let first: RandomSource | undefined;
      return {
        randomise: (params, context, record, random) =>
          randomise(params, context, record, (first ??= random)),
      };
    }),
  ],
  [
    'curator/shuffle-order',
    'messages in the order of users',
    randomising(({ analyse }) => ({
      analyse: (params, context, messages) => analyse(params, context, messages.toSorted()),
    })),
  ],
  [
    'curator/shuffle-honest-users',
    'all users counted as honest',
    ({ honestUsers: _some, ...options }) => shuffleCurator(options),
  ],
  [
    'curator/shuffle-honest-users',
    'users run the protocol for all honest',
    randomising(({ event, randomise }) => ({
      event: (params, context) => event(params, among(context)),
      randomise: (params, context, record, random) => randomise(params, among(context), record, random),
    })),
  ],
  [
    'curator/shuffle-charge',
    'nothing is charged',
    filing(({ effect: { charge: _charge, ...effect }, ...entry }) => ({ ...entry, effect })),
  ],
  [
    'curator/shuffle-charge',
    'parts charged to all slots',
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
  ],
  [
    'curator/shuffle-only',
    'unprotected means allowed',
    (options) => shuffleCurator({ ...options, allowUnprotected: true }),
  ],
  [
    'curator/shuffle-resume',
    'randomness that does not repeat',
    randomising(({ randomise }) => ({
      randomise: (params, context, record, random) =>
        randomise(params, context, record, random.fork(calls++)),
    })),
  ],
];
let calls = 0;

describe('each law detects bugs', () => {
  it('all of them', () =>
    expect([...new Set(bugs.map(([id]) => id))].toSorted()).toEqual(
      shuffleLaws.map(({ id }) => id).toSorted(),
    ));
  it.each(bugs)('%s: %s', async (id, _what, open) => {
    const found: string[] = [];
    for (const planned of planChecks(curatorLaws, subject('planted', open), { only: [id] })) {
      const { finding } = await runCheck(planned as never, { effort: 0.25, repeats: false });
      if (finding.verdict === 'fails') found.push(finding.violation.what);
    }
    expect(found).not.toEqual([]);
  });
});
