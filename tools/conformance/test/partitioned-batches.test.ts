import {
  composedEvent,
  defineSampler,
  IncompatiblePlugins,
  InvalidParameter,
  memoryStore,
  normalEvent,
  parallelEvent,
  sampledEvent,
  seededRandom,
  Unsupported,
  type Adjacency,
  type Answer,
  type Program,
  type Batch,
  type Plugin,
  type PrivacyEvent,
  type Query,
  type Sampler,
  type SplitQuery,
  type Vector,
} from '@lethe/core';
import { centralCurator } from '@lethe/curator';
import {
  fixedSize,
  fixedSizeWithReplacement,
  nestedBatches,
  partition,
  poisson,
  randomAllocation,
  shuffledEpochs,
  singleRecord,
} from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { asker, exact, mean, zero } from './queries.js';
import { dimension, noise, registry, world, type World, type WorldOptions } from './world.js';

const n = 12;
/** Labels whose sums determine the records and their multiplicities, up to three. */
const labels = Float64Array.from({ length: n }, (_, k) => 4 ** k);
const open = (options: WorldOptions = {}): World => world({ n, labels, allowUnprotected: true, ...options });
const partitionBy = (
  of: Batch,
  sampler: Extract<SplitQuery['parts'], { by: 'sampler' }>['sampler'],
): SplitQuery => ({ ask: 'split', of, order: 'stored', parts: { by: 'sampler', sampler } });
/** Sends queries with increasing index; refused queries take no index. */
const asking =
  ({ curator }: Pick<World, 'curator'>) =>
  <A>(query: Query): A =>
    curator.answer(curator.recorded(), query).answer as A;
/** A curator with one more sampler. */
function openWith(sampler: Plugin, options: WorldOptions = {}): Pick<World, 'curator'> {
  const { data } = open({ ...options, run: 'unused' });
  return {
    curator: centralCurator({
      data,
      registry: [...registry, sampler],
      run: 'run',
      random: seededRandom('coins'),
      allowUnprotected: true,
    }),
  };
}
/** Multiplicity of each record in a batch, from a sum of labels without noise. */
function occurrences(say: <A>(query: Query) => A, batch: Batch, release = exact(2 ** 40)): readonly number[] {
  let left = Math.round(-8 * batch.normaliser * say<Vector>(mean(batch, zero, release))[1]);
  return Array.from({ length: n }, () => {
    const times = left % 4;
    left = (left - times) / 4;
    return times;
  });
}
const membersOf = (times: readonly number[]): readonly number[] =>
  times.flatMap((count, k) => Array.from({ length: count }, () => k));
const together = (parts: readonly (readonly number[])[]): readonly number[] =>
  parts.flat().toSorted((a, b) => a - b);
const allRecords = Array.from({ length: n }, (_, k) => k);

/** The event of one noisy mean over a batch with that normaliser and multiplier 1. */
const oneMean: PrivacyEvent = (() => {
  const here = world({ n });
  asking(here)(mean(here.curator.allRecords));
  return here.ledger.total();
})();
const total = ({ ledger }: World): PrivacyEvent => normalEvent(ledger.total());
const composed = (...events: readonly PrivacyEvent[]): PrivacyEvent => normalEvent(composedEvent(events));
const partitionByRandomness = (steps: number, event = oneMean): PrivacyEvent =>
  normalEvent(sampledEvent({ kind: 'core/random-allocation', steps }, event));

describe('an epoch of shuffled batches', () => {
  test('contains each record once, drops the remainder, and differs from the next epoch', () => {
    const here = open();
    const say = asking(here);
    const epoch = (): readonly (readonly number[])[] =>
      say<readonly Batch[]>(partitionBy(here.curator.allRecords, shuffledEpochs({ size: 5 }))).map((batch) =>
        membersOf(occurrences(say, batch)),
      );
    const [first, second] = [epoch(), epoch()];
    expect(first.map(({ length }) => length)).toEqual([5, 5]);
    expect(new Set(first.flat()).size).toBe(10);
    expect(second).not.toEqual(first);
    const parts = say<readonly Batch[]>(partitionBy(here.curator.allRecords, partition({ parts: 3 })));
    expect(parts.map((batch) => membersOf(occurrences(say, batch)))).toEqual([
      allRecords.slice(0, 4),
      allRecords.slice(4, 8),
      allRecords.slice(8),
    ]);
  });

  test('costs as much as one of its batches; two epochs cost two, and tokens of both stay valid', () => {
    const here = open();
    const say = asking(here);
    const first = say<readonly Batch[]>(partitionBy(here.curator.allRecords, shuffledEpochs({ size: 4 })));
    expect(first.map(({ normaliser, size, scope }) => ({ normaliser, size, scope }))).toEqual(
      Array.from({ length: 3 }, () => ({ normaliser: 4, size: 'exact', scope: null })),
    );
    for (const batch of first) say(mean(batch));
    expect(total(here)).toEqual(oneMean);
    const second = say<readonly Batch[]>(partitionBy(here.curator.allRecords, shuffledEpochs({ size: 4 })));
    say(mean(second[0]));
    expect(total(here)).toEqual(composed(oneMean, oneMean));
    // The first batch of the first epoch a second time: a record
    // may be in it and in the batch of the second epoch.
    say(mean(first[0]));
    expect(total(here)).toEqual(composed(oneMean, parallelEvent([composed(oneMean, oneMean), oneMean])));
    for (const batch of first.slice(1)) say(mean(batch));
    expect(total(here)).toEqual(composed(oneMean, oneMean, oneMean));
  });

  test('is unsupported under add-remove and within a batch of hidden size, without a charge', () => {
    const here = open({ adjacency: 'add-remove', publicSlots: n });
    expect(() =>
      here.curator.answer(0, partitionBy(here.curator.allRecords, shuffledEpochs({ size: 4 }))),
    ).toThrow(Unsupported);
    const there = open();
    const say = asking(there);
    const hidden = say<Batch>({
      ask: 'draw',
      sampler: poisson({ rate: 0.5 }),
      from: there.curator.allRecords,
    });
    expect(() => there.curator.answer(1, partitionBy(hidden, shuffledEpochs({ size: 2 })))).toThrow(
      Unsupported,
    );
    expect([here, there].map(({ ledger }) => ledger.total().kind)).toEqual(['core/free', 'core/free']);
  });

  test('of a drawn batch stays in its scope, and ends with it', () => {
    const here = open();
    const say = asking(here);
    const whole = say<Batch>({ ask: 'draw', sampler: fixedSize({ size: 6 }), from: here.curator.allRecords });
    const parts = say<readonly Batch[]>(partitionBy(whole, partition({ parts: 2 })));
    expect(parts.map(({ scope }) => scope)).toEqual([whole.scope, whole.scope]);
    const [all, ...halves] = [whole, ...parts].map((batch) => membersOf(occurrences(say, batch)));
    expect(together(halves)).toEqual(all);
    for (const part of parts) say(mean(part));
    say({ ask: 'draw', sampler: fixedSize({ size: 6 }), from: here.curator.allRecords });
    for (const batch of [whole, ...parts]) expect(() => say(mean(batch))).toThrow(/scope has ended/u);
  });

  test.each<readonly [string, (of: Batch) => SplitQuery]>([
    ['dealt by a sampler', (of) => partitionBy(of, partition({ parts: 2 }))],
    ['of equal sizes', (of) => ({ ask: 'split', of, order: 'stored', parts: { by: 'count', count: 2 } })],
  ])('of a drawn batch does not follow stored order, %s', (_how, halves) => {
    const firsts = new Set<string>();
    for (let seed = 0; seed < 40; seed++) {
      const here = open({ seed: `order ${seed}` });
      const say = asking(here);
      const whole = say<Batch>({
        ask: 'draw',
        sampler: fixedSize({ size: n }),
        from: here.curator.allRecords,
      });
      firsts.add(membersOf(occurrences(say, say<readonly Batch[]>(halves(whole))[0])).join());
    }
    // 40 of 924 halves, all equally likely: fewer than 20 different ones happen less than once in 10^20.
    expect(firsts.size).toBeGreaterThanOrEqual(20);
  });
});

test('a split by weight gives away a batch once', () => {
  const here = open();
  const split = (weights: readonly number[]) =>
    asking(here)<readonly Batch[]>({
      ask: 'split',
      of: here.curator.allRecords,
      order: 'stored',
      parts: { by: 'weight', weights },
    });
  expect(() => split([0.6, 0.6])).toThrow(/add up to 1\.2/u);
  expect(split([0.1, 0.2, 0.7])).toHaveLength(3);
});

describe('a random allocation', () => {
  const adjacencies: readonly Adjacency[] = ['replace-one', 'add-remove', 'zero-out'];

  test.each(adjacencies)('has every record in one batch of hidden size, under %s', (adjacency) => {
    const here = open({ adjacency, ...(adjacency === 'add-remove' ? { publicSlots: 9 } : {}) });
    const say = asking(here);
    const batches = say<readonly Batch[]>(
      partitionBy(here.curator.allRecords, randomAllocation({ steps: 4 })),
    );
    expect(batches.map(({ normaliser, size }) => ({ normaliser, size }))).toEqual(
      Array.from({ length: 4 }, () => ({
        normaliser: adjacency === 'add-remove' ? 9 / 4 : 3,
        size: 'hidden',
      })),
    );
    expect(new Set(batches.map(({ scope }) => scope)).size).toBe(1);
    expect(together(batches.map((batch) => membersOf(occurrences(say, batch))))).toEqual(allRecords);
  });

  test('is one scope: its batches are charged as one allocation', () => {
    const here = open();
    const say = asking(here);
    const batches = say<readonly Batch[]>(
      partitionBy(here.curator.allRecords, randomAllocation({ steps: 4 })),
    );
    for (const batch of batches) say(mean(batch));
    expect(total(here)).toEqual(partitionByRandomness(4));
    say(mean(batches[2]));
    const inside = here.ledger.total();
    expect(inside).toMatchObject({ kind: 'core/sampled', event: { kind: 'core/parallel' } });
    say({ ask: 'close', batch: batches[0] });
    expect(total(here)).toEqual(normalEvent(inside));
    expect(() => say(mean(batches[1]))).toThrow(/scope has ended/u);
  });

  const next: readonly (readonly [string, (from: Batch) => Query])[] = [
    ['a draw', (from) => ({ ask: 'draw', sampler: poisson({ rate: 0.5 }), from })],
    ['another allocation', (from) => partitionBy(from, randomAllocation({ steps: 4 }))],
  ];
  test.each(next)('ends with %s from the same batch', (_what, query) => {
    const here = open();
    const say = asking(here);
    const first = say<readonly Batch[]>(partitionBy(here.curator.allRecords, randomAllocation({ steps: 4 })));
    for (const batch of first) say(mean(batch));
    const later = [say<Batch | readonly Batch[]>(query(here.curator.allRecords))].flat() as readonly Batch[];
    expect(() => say(mean(first[0]))).toThrow(InvalidParameter);
    expect(total(here)).toEqual(partitionByRandomness(4));
    say(mean(later[0]));
    expect(total(here)).toMatchObject({ kind: 'core/compose' });
  });

  test('is not ended by an epoch, which is not a draw', () => {
    const here = open();
    const say = asking(here);
    const [batch] = say<readonly Batch[]>(
      partitionBy(here.curator.allRecords, randomAllocation({ steps: 4 })),
    );
    say(partitionBy(here.curator.allRecords, shuffledEpochs({ size: 4 })));
    expect(say<Vector>(mean(batch))).toHaveLength(dimension);
  });

  test('answers an empty batch with noise at every entry', () => {
    const here = open();
    const say = asking(here);
    const batches = say<readonly Batch[]>(
      partitionBy(here.curator.allRecords, randomAllocation({ steps: 40 })),
    );
    const empty = batches.filter((batch) => occurrences(say, batch).every((times) => times === 0));
    expect(empty.length).toBeGreaterThanOrEqual(40 - n);
    for (const batch of empty.slice(0, 3))
      expect(say<Vector>(mean(batch)).every((x) => x !== 0 && Number.isFinite(x))).toBe(true);
  });
});

describe('partitions and their batches', () => {
  test('are equal when a run is resumed from its store', () => {
    const store = memoryStore();
    const identity = [Uint8Array.of(1)];
    const start = open({ store, identity });
    const queries = (from: Batch): readonly Query[] => [
      partitionBy(from, randomAllocation({ steps: 3 })),
      partitionBy(from, shuffledEpochs({ size: 3 })),
    ];
    const before = asking(start);
    const partitioned = queries(start.curator.allRecords).map((query) => before<readonly Batch[]>(query));
    const asked = partitioned.flat().map((batch) => mean(batch));
    const answers = asked.map((query) => before<Vector>(query));
    const later = open({ store, identity });
    const again = asker(later);
    expect(queries(later.curator.allRecords).map((query) => again<readonly Batch[]>(query))).toEqual(
      partitioned,
    );
    expect(asked.map((query) => again<Vector>(query))).toEqual(answers);
    expect(later.ledger.total()).toEqual(start.ledger.total());
    // Members are restored as well.
    expect(together(partitioned[0].map((batch) => membersOf(occurrences(again, batch))))).toEqual(allRecords);
  });

  const broken = (draw: NonNullable<Sampler['partition']>['draw']) =>
    defineSampler({
      name: 'broken',
      summary: 'x',
      source: { id: 'test', item: 'attack' },
      params: z.strictObject({}),
      claims: [],
      size: 'exact',
      amplification: () => ({}),
      normaliser: () => 1,
      draw: () => Uint32Array.of(0),
      partition: {
        normalisers: () => [2, 2],
        amplification: () => ({ 'replace-one': { sampler: null, inner: 'replace-one' } }),
        draw,
      },
    });
  test.each([
    [
      'assigns a record twice',
      [
        [5, 7],
        [7, 9],
      ],
    ],
    [
      'repeats a record in a batch',
      [
        [7, 7],
        [1, 2],
      ],
    ],
    [
      'assigns unknown records',
      [
        [5, 7],
        [11, 77],
      ],
    ],
  ])('a sampler that %s is refused, without naming the record', (_what, parts) => {
    const sampler = broken(() => parts.map((part) => Uint32Array.from(part)));
    const here = openWith(sampler);
    const say = asking(here);
    const batches = say<readonly Batch[]>(
      partitionBy(here.curator.allRecords, { kind: 'sampler', name: 'broken', params: {} }),
    );
    const failure = (() => {
      try {
        say(mean(batches[0]));
      } catch (error) {
        return error as IncompatiblePlugins;
      }
      return undefined;
    })();
    expect(failure).toBeInstanceOf(IncompatiblePlugins);
    expect(`${defined(failure).message} ${JSON.stringify(defined(failure).details)}`).not.toMatch(
      /\b(5|7|9|11|77)\b/u,
    );
  });

  test('need a sampler with a partition', () => {
    const { curator } = open();
    expect(() => curator.answer(0, partitionBy(curator.allRecords, poisson({ rate: 0.5 })))).toThrow(
      Unsupported,
    );
    expect(() => curator.answer(0, partitionBy(curator.allRecords, shuffledEpochs({ size: n + 1 })))).toThrow(
      InvalidParameter,
    );
    expect(curator.spent().kind).toBe('core/free');
  });
});

describe('a record drawn several times', () => {
  const rows = [0, 0, 2, 5, 5, 5, 11];
  const chosen = defineSampler({
    name: 'chosen',
    summary: 'x',
    source: { id: 'test', item: 'replacement' },
    params: z.strictObject({}),
    claims: [],
    size: 'exact',
    normaliser: () => rows.length,
    draw: () => Uint32Array.from(rows),
    amplification: (_params, slots) => ({
      'replace-one': {
        sampler: { kind: 'core/fixed-size', n: slots, size: rows.length, replacement: true },
        inner: 'replace-one',
      },
    }),
  });
  const drawn = (
    options: WorldOptions = {},
  ): { readonly say: <A>(query: Query) => A; readonly batch: Batch } => {
    const here = openWith(chosen, options);
    const say = asking(here);
    return {
      say,
      batch: say<Batch>({
        ask: 'draw',
        sampler: { kind: 'sampler', name: 'chosen', params: {} },
        from: here.curator.allRecords,
      }),
    };
  };
  const sparse = {
    rows: n,
    columns: dimension,
    rowStarts: Uint32Array.from({ length: n + 1 }, (_, k) => 2 * k),
    columnIndices: Uint32Array.from({ length: 2 * n }, (_, k) => 1 + (k % 2)),
    values: new Float64Array(2 * n).fill(1 / 8),
  };

  test.each([
    ['dense', {}],
    ['sparse', { features: sparse }],
  ] as const)(
    'counts with its multiplicity in sums of %s data, for any method of summation',
    (_what, options) => {
      const { say, batch } = drawn(options);
      expect(membersOf(occurrences(say, batch))).toEqual(rows);
      const sum = (of: Partial<Extract<Query, { ask: 'mean' }>['of']>): Vector =>
        say<Vector>({
          ask: 'mean',
          of: { terms: [{ weight: 1, at: zero }], ...of },
          batch,
          ...exact(2 ** 40),
        });
      const plain = sum({})[1];
      expect(
        sum({
          terms: [
            { weight: 2, at: zero },
            { weight: -1, at: zero },
          ],
        })[1],
      ).toBeCloseTo(plain, 6);
      expect(sum({ coordinates: Uint32Array.of(1) })[0]).toBeCloseTo(plain, 6);
    },
  );

  test('counts with its multiplicity in statistics', () => {
    const { say, batch } = drawn({ labels: Float64Array.from(allRecords, (k) => (k === 5 ? 1 : 1000)) });
    const beyond = say<number>({
      ask: 'value',
      statistic: { of: 'gradient-norm-beyond', radius: 10 },
      at: zero,
      batch,
      noise: { ...noise(1), target: { unprotected: true } },
    });
    expect(beyond).toBeCloseTo(4 / 7, 12);
  });

  test('is accepted only with a sampler declared as sampling with replacement', () => {
    const sampler = (slots: number) =>
      ({ kind: 'core/fixed-size', n: slots, size: rows.length, replacement: false }) as const;
    const careless = defineSampler({
      name: 'careless',
      summary: 'x',
      source: { id: 'test', item: 'replacement' },
      params: z.strictObject({}),
      claims: [],
      size: 'exact',
      normaliser: () => rows.length,
      draw: () => Uint32Array.from(rows),
      amplification: (_params, slots) => ({
        'replace-one': { sampler: sampler(slots), inner: 'replace-one' },
      }),
    });
    const here = openWith(careless);
    const say = asking(here);
    const batch = say<Batch>({
      ask: 'draw',
      sampler: { kind: 'sampler', name: 'careless', params: {} },
      from: here.curator.allRecords,
    });
    expect(() => say(mean(batch))).toThrow(IncompatiblePlugins);
  });

  test('is charged as a draw with replacement', () => {
    const here = open();
    const say = asking(here);
    const batch = say<Batch>({
      ask: 'draw',
      sampler: fixedSizeWithReplacement({ size: 20 }),
      from: here.curator.allRecords,
    });
    expect(batch).toMatchObject({ normaliser: 20, size: 'exact' });
    say(mean(batch));
    expect(total(here)).toMatchObject({
      kind: 'core/sampled',
      sampler: { kind: 'core/fixed-size', n, size: 20, replacement: true },
    });
  });
});

describe('nested batches', () => {
  const driven = <R>(program: Program<R>, say: <A>(query: Query) => A): R => {
    let next = program.next();
    while (next.done !== true) next = program.next(say<Answer>(next.value as Query));
    return next.value;
  };

  test('are a batch and its halves in one scope, which a single record ends', () => {
    const here = open();
    const say = asking(here);
    const from = here.curator.allRecords;
    const { whole, odd, even } = driven(nestedBatches({ from, level: 1 }), say);
    expect([whole, odd, even].map(({ normaliser, scope }) => [normaliser, scope])).toEqual([
      [4, whole.scope],
      [2, whole.scope],
      [2, whole.scope],
    ]);
    const [all, ...halves] = [whole, odd, even].map((batch) => membersOf(occurrences(say, batch)));
    expect(together(halves)).toEqual(all);
    expect(all).toHaveLength(4);
    const single = driven(singleRecord({ from }), say);
    expect(membersOf(occurrences(say, single))).toHaveLength(1);
    for (const batch of [whole, odd, even]) expect(() => say(mean(batch))).toThrow(/scope has ended/u);
  });

  test('are charged as a draw of the whole, with halves in parallel, and a draw of one', () => {
    const here = open();
    const say = asking(here);
    const from = here.curator.allRecords;
    const { whole, odd, even } = driven(nestedBatches({ from, level: 2 }), say);
    for (const batch of [whole, odd, even]) say(mean(batch));
    say(mean(driven(singleRecord({ from }), say)));
    const drawn = (size: number, event: PrivacyEvent): PrivacyEvent =>
      sampledEvent({ kind: 'core/fixed-size', n, size, replacement: false }, event);
    expect(total(here)).toEqual(composed(drawn(8, composed(oneMean, oneMean)), drawn(1, oneMean)));
  });

  test('have levels from 0 up to half of the slots', () => {
    const { allRecords: from } = open().curator;
    for (const level of [3, -1, 0.5, Number.NaN, Infinity])
      expect(() => nestedBatches({ from, level }).next()).toThrow(InvalidParameter);
    expect(nestedBatches({ from, level: 2 }).next().value).toMatchObject({
      ask: 'draw',
      sampler: { name: 'fixed-size', params: { size: 8 } },
    });
    expect(nestedBatches({ from, level: 0 }).next().value).toMatchObject({
      sampler: { params: { size: 2 } },
    });
  });
});
