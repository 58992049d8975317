import {
  boundedMean,
  defineLocalRandomiser,
  defineLoss,
  defineMean,
  defineShuffledMean,
  factBound,
  freeEvent,
  memoryStore,
  type Adjacency,
  type Batch,
  type FilterMaker,
  type LocalRandomiser,
  type MeanQuery,
  type Query,
  type ShuffleContext,
  type Target,
  type Vector,
} from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import {
  BudgetExceeded,
  IncompatiblePlugins,
  InvalidParameter,
  Unsupported,
  seededRandom,
} from '@lethe/numerics';
import { openLedger, type LedgerOptions } from '../ledger/index.js';
import { attachData } from './data-set.js';
import { shuffleCurator, type ShuffleCuratorOptions } from './shuffle.js';

const plain = { summary: 'A stand-in.', source: { id: 'lethe', item: 'tests' }, claims: [] } as const;
const none = z.strictObject({});
/** The gradient is the record, wherever it is taken. */
const loss = defineLoss({
  ...plain,
  name: 'own',
  params: none,
  capabilities: {},
  linear: null,
  labels: { rule: 'any', accepts: () => true },
  facts: () => ({}),
  value: () => 0,
  gradientInto: (_params, out, _at, { features }) => {
    for (let j = 0; j < out.length; j++) out[j] += features[j];
  },
});

interface Seen {
  readonly contexts: ShuffleContext[];
  readonly records: number[][];
  readonly orders: number[][];
}
const nothingSeen = (): Seen => ({ contexts: [], records: [], orders: [] });
/** Sends its entries as whole numbers, two of them; honest about nothing. */
const open = (seen: Seen, more: Partial<LocalRandomiser<typeof none>> = {}) =>
  defineLocalRandomiser({
    ...plain,
    name: 'open',
    params: none,
    messageCount: (_params, { dimension }) => dimension,
    randomise: (_params, _context, record) => {
      seen.records.push([...record]);
      return Uint32Array.from(record);
    },
    analyse(_params, { dimension }, messages) {
      seen.orders.push([...messages]);
      return new Float64Array(dimension).fill(messages.reduce((sum, message) => sum + message, 0));
    },
    event(_params, context) {
      seen.contexts.push(context);
      return { kind: 'core/shuffled', v: 1, epsilon: 0.25, delta: 1e-6, honestUsers: context.honestUsers };
    },
    ...more,
  });

const shuffled = defineShuffledMean({
  ...plain,
  name: 'shuffled',
  params: none,
  trust: 'shuffle',
  privacyRestsOn: 'clip',
  randomiser: () => ({ kind: 'localRandomiser', name: 'open', params: {} }),
  biasBound: () => null,
  varianceBound: () => null,
});
const central = defineMean({
  ...plain,
  name: 'central',
  params: none,
  ...boundedMean((_params, shape) => factBound(shape, 'lipschitz')),
  privacyRestsOn: 'every-record constants',
  mechanism: () => ({ kind: 'mechanism', name: 'm', params: {} }),
  biasBound: () => 0,
  varianceBound: () => 0,
});

interface Change extends Partial<Omit<ShuffleCuratorOptions, 'data' | 'registry'>> {
  readonly slots?: number;
  readonly adjacency?: Adjacency;
  readonly randomiser?: Partial<LocalRandomiser<typeof none>>;
  readonly nulls?: Uint8Array;
  readonly limit?: LedgerOptions['limit'];
}
function world({ slots = 8, adjacency = 'replace-one', randomiser, nulls, limit, ...options }: Change = {}) {
  const seen = nothingSeen();
  const registry = [loss, open(seen, randomiser), shuffled, central];
  const ledger = openLedger({ adjacency, store: memoryStore(), ...(limit === undefined ? {} : { limit }) });
  const data = attachData({
    features: {
      data: Float64Array.from({ length: 2 * slots }, (_, i) => i + 1),
      rows: slots,
      columns: 2,
      offset: 0,
      rowStride: 2,
      columnStride: 1,
    },
    loss: loss({}),
    registry,
    ledger,
    ...(nulls === undefined ? {} : { nulls }),
  });
  const curator = shuffleCurator({ data, registry, run: 'run', random: seededRandom('coins'), ...options });
  let asked = 0;
  const ask = <A>(query: Query): A => curator.answer(asked++, query).answer as A;
  return { seen, ledger, curator, ask, data, registry };
}
const target: Target = { epsilon: 1, delta: 1e-6 };
const meanOf = (
  batch: Batch,
  { of, goal = target }: { readonly of?: MeanQuery['of']; readonly goal?: Target } = {},
): MeanQuery => ({
  ask: 'mean',
  of: of ?? { terms: [{ weight: 1, at: new Float64Array(2) }] },
  batch,
  mean: { kind: 'mean', name: 'shuffled', params: {} },
  target: goal,
});
const split = (of: Batch, ...sizes: readonly number[]): Query => ({
  ask: 'split',
  of,
  order: 'stored',
  parts: { by: 'size', sizes },
});

describe('a mean', () => {
  it('is what is made of the messages of every user, divided by their number', () => {
    const { ask, curator, seen } = world();
    expect(ask<Vector>(meanOf(curator.allRecords))).toEqual(new Float64Array(2).fill(136 / 8));
    expect(seen.records).toEqual(Array.from({ length: 8 }, (_, i) => [2 * i + 1, 2 * i + 2]));
    expect(seen.contexts).toEqual([{ dimension: 2, users: 8, honestUsers: 8, target }]);
    expect(curator.spent()).toEqual({
      kind: 'core/shuffled',
      v: 1,
      epsilon: 0.25,
      delta: 1e-6,
      honestUsers: 8,
    });
  });

  it('of a part is divided by the users of the part', () => {
    const { ask, curator } = world();
    const [, last] = ask<readonly Batch[]>(split(curator.allRecords, 6, 2));
    expect(ask<Vector>(meanOf(last))).toEqual(new Float64Array(2).fill((13 + 14 + 15 + 16) / 2));
  });

  it('sees every order of the messages of three users', () => {
    const { ask, curator, seen } = world({
      slots: 3,
      randomiser: {
        messageCount: () => 1,
        randomise: (_params, _context, record) => Uint32Array.of(record[0]),
      },
    });
    for (let k = 0; k < 60; k++)
      ask(meanOf(curator.allRecords, { of: { terms: [{ weight: 1, at: new Float64Array(2) }] } }));
    const orders = seen.orders.map((order) => order.join(' '));
    expect([...new Set(orders)].toSorted()).toEqual(['1 3 5', '1 5 3', '3 1 5', '3 5 1', '5 1 3', '5 3 1']);
  });

  it('sees messages in random order, and null records and non-finite gradients as zeros', () => {
    const { ask, curator, seen } = world({ nulls: Uint8Array.of(0, 1, 0, 0, 0, 0, 0, 0) });
    ask(meanOf(curator.allRecords));
    expect(seen.records[1]).toEqual([0, 0]);
    expect(seen.orders[0]).not.toEqual(seen.records.flat());
    expect(seen.orders[0].toSorted((a, b) => a - b)).toEqual(seen.records.flat().toSorted((a, b) => a - b));
    ask(
      meanOf(curator.allRecords, {
        of: { terms: [{ weight: 1e308, at: new Float64Array(2) }], coordinates: Uint32Array.of(1) },
      }),
    );
    expect(seen.records.slice(8)).toEqual(Array.from({ length: 8 }, () => [0]));
    expect(seen.contexts[1].dimension).toBe(1);
  });

  it('takes the shorter way where there is one, and answers zeros for what is no number', () => {
    let given: number[] = [];
    const short = world({
      randomiser: {
        simulateSum: (_params, _context, records) => {
          given = [...records].map(([x]) => x);
          return Float64Array.of(8, 16);
        },
      },
    });
    expect(short.ask<Vector>(meanOf(short.curator.allRecords))).toEqual(Float64Array.of(1, 2));
    expect(given).toHaveLength(8);
    expect(short.curator.facts.assumptions).toEqual(['real-arithmetic']);
    const spoilt = world({ randomiser: { analyse: () => Float64Array.of(Number.NaN, 1) } });
    expect(spoilt.ask<Vector>(meanOf(spoilt.curator.allRecords))).toEqual(new Float64Array(2));
    expect(spoilt.curator.facts.assumptions).toEqual([]);
  });

  it('is refused before its charge for too many messages, and checks their declared number', () => {
    const many = world({ randomiser: { messageCount: () => 2 ** 22 } });
    expect(() => many.ask(meanOf(many.curator.allRecords))).toThrow(Unsupported);
    expect(many.curator.spent().kind).toBe('core/free');
    for (const change of [
      { randomise: () => new Uint32Array(3) },
      { randomise: () => new Uint32Array(1) },
      { analyse: () => new Float64Array(3) },
    ]) {
      const odd = world({ randomiser: change });
      expect(() => odd.ask(meanOf(odd.curator.allRecords))).toThrow(IncompatiblePlugins);
      expect(odd.curator.spent().kind).toBe('core/shuffled');
    }
    for (const change of [
      { messageCount: () => 1.5 },
      { event: () => ({ kind: 'core/shuffled', v: 1, epsilon: -1 }) as never },
    ]) {
      const odd = world({ randomiser: change });
      expect(() => odd.ask(meanOf(odd.curator.allRecords))).toThrow(IncompatiblePlugins);
      expect(odd.curator.recorded()).toBe(0);
    }
  });
});

describe('honest users', () => {
  it('are those of all less those who may be dishonest, whoever they are', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 8 }), (size, honestUsers) => {
        const { ask, curator, seen } = world({ honestUsers });
        const [batch] = ask<readonly Batch[]>(split(curator.allRecords, size)) as [Batch];
        const sure = size - (8 - honestUsers);
        if (sure > 0) {
          ask(meanOf(batch));
          expect(seen.contexts.at(-1)).toEqual({ dimension: 2, users: size, honestUsers: sure, target });
        } else {
          expect(() => ask(meanOf(batch))).toThrow(/none of its users certainly adds noise/);
          expect(curator.spent().kind).toBe('core/free');
        }
      }),
      { numRuns: 64 },
    );
  });

  it('are a whole number from 1 to the slots, told in the facts', () => {
    expect(world({ honestUsers: 5 }).curator.facts.trust).toEqual({ model: 'shuffle', honestUsers: 5 });
    expect(world().curator.facts.trust).toEqual({ model: 'shuffle', honestUsers: 8 });
    for (const honestUsers of [0, -1, 9, 2.5, Number.NaN, Infinity])
      expect(() => world({ honestUsers })).toThrow(InvalidParameter);
  });
});

describe('a run', () => {
  it('charges disjoint batches once, and the same batch every time', () => {
    const { ask, curator } = world();
    const parts = ask<readonly Batch[]>(split(curator.allRecords, 4, 4));
    for (const part of parts) ask(meanOf(part));
    expect(curator.spent()).toMatchObject({ kind: 'core/shuffled', honestUsers: 4 });
    ask(meanOf(parts[0]));
    expect(curator.spent()).toMatchObject({ kind: 'core/parallel' });
  });

  it('goes on with the same randomness, and with other randomness for other honest users', () => {
    const first = world();
    const again = shuffleCurator({ data: first.data, registry: first.registry, run: 'run' });
    const { answer, digest } = first.curator.answer(0, meanOf(first.curator.allRecords));
    expect(again.answer(0, meanOf(again.allRecords))).toEqual({ answer, digest });
    expect(first.ledger.total().kind).toBe('core/shuffled');
    expect(() =>
      shuffleCurator({ data: first.data, registry: first.registry, run: 'run', honestUsers: 7 }).answer(
        0,
        meanOf(again.allRecords),
      ),
    ).toThrow(/not the one on record/);
  });

  it('stops at the limit of the data set', () => {
    const epsilon = () => ({
      lower: 0,
      upper: 2,
      certificate: 'certified' as const,
      method: 'all',
      assumptions: [],
    });
    const filter: FilterMaker = () => ({
      rule: 'none',
      spec: null,
      limit: freeEvent,
      admits: () => false,
      share: () => 2,
    });
    const { ask, curator } = world({ limit: { epsilon: 1, delta: 1e-6, accountant: { epsilon, filter } } });
    expect(() => ask(meanOf(curator.allRecords))).toThrow(BudgetExceeded);
  });

  it('refuses what needs somebody who sees records, and says what to do', () => {
    const { curator } = world();
    const at = new Float64Array(2);
    const allRecords = curator.allRecords;
    const noise = { mechanism: { kind: 'mechanism', name: 'm', params: {} }, target: { rho: 1 } } as const;
    const bound = { by: 'clip', clip: { kind: 'clip', name: 'c', params: {} } } as const;
    const domain = { kind: 'domain', name: 'd', params: {} } as const;
    const mean = meanOf(allRecords);
    const queries: readonly Query[] = [
      meanOf(allRecords, { goal: { unprotected: true } }),
      { ask: 'draw', sampler: { kind: 'sampler', name: 's', params: {} }, from: allRecords },
      { ask: 'split', of: allRecords, order: 'stored', parts: { by: 'weight', weights: [1] } },
      {
        ask: 'split',
        of: allRecords,
        order: 'stored',
        parts: { by: 'sampler', sampler: { kind: 'sampler', name: 's', params: {} } },
      },
      {
        ask: 'open',
        prefixSum: { kind: 'prefixSum', name: 'p', params: {} },
        steps: 1,
        dimension: 2,
        bound,
        noise,
        participation: { times: 1, gap: 1 },
        normaliser: 8,
      },
      { ask: 'push', stream: { id: 's' } as never, of: mean.of, batch: allRecords },
      { ask: 'value', statistic: { of: 'risk' }, at, batch: allRecords, noise },
      {
        ask: 'minimiser',
        lambda: 1,
        centre: at,
        domain,
        batch: allRecords,
        solver: { kind: 'solver', name: 's', params: {} },
        tolerance: 1,
        bound: { by: 'certificate', fact: 'lipschitz' },
        norm: 2,
        noise,
      },
      {
        ask: 'choose',
        candidates: { by: 'list', points: [at] },
        statistic: { of: 'risk' },
        batch: allRecords,
        selector: { kind: 'selector', name: 's', params: {} },
        target: { epsilon: 1 },
      },
    ];
    for (const query of queries)
      expect(() => curator.answer(0, query), JSON.stringify(query)).toThrow(Unsupported);
    expect(() => curator.answer(0, { ...mean, mean: { kind: 'mean', name: 'central', params: {} } })).toThrow(
      /of the central model: somebody has to see the records.*such as 'shuffled'/u,
    );
    expect(() => curator.answer(0, { ...mean, mean: { kind: 'mean', name: 'central', params: {} } })).toThrow(
      IncompatiblePlugins,
    );
    expect(() => world({ adjacency: 'add-remove', publicSlots: 8 })).toThrow(Unsupported);
    expect(curator.recorded()).toBe(0);
    expect(curator.answer(0, { ask: 'close', batch: allRecords }).answer).toBeNull();
  });
});
