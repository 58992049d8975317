import { LetheError, seededRandom, type Batch, type Query, type StoredPlan } from '@lethe/core';
import { openLedger, storedPlan, type CentralCurator, type Ledger } from '@lethe/curator';
import { queryTable, type Example, type ExampleParts } from '@lethe/core/testing';
import { dpSgd } from '@lethe/algorithms';
import { calibrateByProfile } from '@lethe/laws';
import { squared } from '@lethe/losses';
import {
  acceleratedGradient,
  cyclicPoisson,
  exponential,
  fixedSize,
  gaussian,
  independentIncrements,
  l2BallDomain,
  l2Clip,
  partition,
  poisson,
  shuffledMean,
  shuffledVectorSum,
} from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { certified, within } from '../queries.js';
import { dimension, noise, registry, world } from '../world.js';
import { expectRefused, spoilt, strangeNumbers, typedOutcome } from './refused.js';

const domain = { featureNorm: 3, labelBound: 20, iterateNorm: 1 };
/** Names of queries are known before there is a curator to plan for. */
const plannedOn = ({ normaliser = 1 }: Partial<Batch>): StoredPlan =>
  storedPlan(
    dpSgd.prepare({
      registry,
      problem: {
        adjacency: 'replace-one',
        trust: { model: 'central' },
        dimension,
        slots: [normaliser],
        domain: l2BallDomain({ radius: 1 }),
        loss: squared({}),
        capabilities: {},
        facts: {},
      },
      budget: { epsilon: 1, delta: 1e-6 },
      params: { steps: 2, rate: 0.5, clipNorm: 1, stepSize: 0.1, noiseMultiplier: 2 },
      calibrate: calibrateByProfile([]),
      random: seededRandom('public'),
    }),
  );
const partsFor = (allRecords: Batch): ExampleParts => ({
  allRecords,
  dimension,
  steps: 1000,
  sampler: poisson({ rate: 0.25 }),
  exactSampler: fixedSize({ size: 4 }),
  dealer: partition({ parts: 2 }),
  streamSampler: cyclicPoisson({ groups: 1, rate: 0.5 }),
  clip: l2Clip({ radius: 1 }),
  mechanism: gaussian({}),
  mean: within(1).mean,
  certified: certified().mean,
  shuffled: shuffledMean({ randomiser: shuffledVectorSum({ radius: 1 }) }),
  prefixSum: independentIncrements({}),
  domain: l2BallDomain({ radius: 1 }),
  solver: acceleratedGradient({ iterations: 400 }),
  selector: exponential({}),
  base: plannedOn(allRecords),
});
/**
 * Well-formed queries that a central curator refuses: it does not shuffle, and the run has no filter.
 */
const refusedHere: ReadonlySet<string> = new Set(['a shuffled mean', 'a question what can be afforded']);

/** Every kind and form of query, well-formed, by its name. */
const examplesFor = (allRecords: Batch): ReadonlyMap<string, readonly [string, Example<object, unknown>]> =>
  new Map(
    Object.entries(queryTable).flatMap(([kind, { examples }]) =>
      Object.entries(
        examples(partsFor(allRecords)) as Readonly<Record<string, Example<object, unknown>>>,
      ).map(([name, example]) => [name, [kind, example]] as const),
    ),
  );

let curator: CentralCurator;
let ledger: Ledger;
let made: Map<string, Query>;
let next: number;

beforeAll(() => {
  ({ curator, ledger } = world({ domain }));
  made = new Map();
  next = curator.recorded();
});

/** A query by its name; queries that it needs are sent before its first use. */
function good(name: string): Query {
  const known = made.get(name);
  if (known !== undefined) return known;
  const [ask, { before, query }] = defined(examplesFor(curator.allRecords).get(name));
  const own = {
    ask,
    ...query((before === undefined ? undefined : curator.answer(next++, before as Query).answer) as never),
  } as Query;
  made.set(name, own);
  return own;
}

const names = [...examplesFor({} as Batch).keys()];
const isFinite = (answer: unknown): boolean => {
  if (typeof answer === 'number') return Number.isFinite(answer);
  return answer instanceof Float64Array ? answer.every(Number.isFinite) : true;
};

/** Either a finite, recorded answer, or a typed error without any change. */
function answerOrRefuse(query: unknown): 'answered' | 'refused' {
  const before = { total: ledger.total(), recorded: curator.recorded() };
  const outcome = typedOutcome(() => curator.answer(next, query as Query));
  if ('error' in outcome) {
    expect(ledger.total()).toEqual(before.total);
    expect(curator.recorded()).toBe(before.recorded);
    return 'refused';
  }
  expect(isFinite(outcome.value.answer)).toBe(true);
  expect(curator.recorded()).toBe(before.recorded + 1);
  next += 1;
  return 'answered';
}

describe.each(names)('%s', (name) => {
  test('is answered if well-formed and supported by a central curator', () => {
    expect(answerOrRefuse(good(name))).toBe(refusedHere.has(name) ? 'refused' : 'answered');
  });

  test('with any invalid field is answered or throws a typed error, and a refusal costs nothing', () => {
    let refused = 0;
    fc.assert(
      fc.property(spoilt(good(name)), (query) => {
        if (answerOrRefuse(query) === 'refused') refused += 1;
      }),
      { numRuns: 300, seed: 5 },
    );
    expect(refused).toBeGreaterThan(150);
  });
});

test('values that are not queries are refused', () => {
  fc.assert(
    fc.property(fc.anything(), (query) => {
      expectRefused(() => curator.answer(next, query as Query));
    }),
    { numRuns: 300 },
  );
  for (const ask of ['select', 'toString', '__proto__', 'checkpoint', 'Mean'])
    expectRefused(() => curator.answer(next, { ...good('a mean'), ask } as never));
});

test('an index other than the next integer is refused before anything is written', () => {
  for (const index of [...strangeNumbers.filter((x) => x !== 0), '0', null, undefined, {}, [0]]) {
    const before = curator.recorded();
    const error = expectRefused(() => curator.answer(index as number, good('a value, risk')));
    expect(error).toBeInstanceOf(LetheError);
    expect(curator.recorded()).toBe(before);
  }
});

test('forged and foreign batches and streams are refused, whatever their fields', () => {
  const other = world({ domain, run: 'other' }).curator;
  const [foreign] = other.answer(0, {
    ask: 'split',
    of: other.allRecords,
    order: 'shuffled',
    parts: { by: 'size', sizes: [3] },
  }).answer as readonly Batch[];
  const forged = [
    foreign,
    { ...curator.allRecords, id: 'all' },
    { ...curator.allRecords, id: 'run/0' },
    { ...curator.allRecords, id: '' },
    {},
    'everyone',
    null,
  ];
  for (const batch of forged)
    for (const name of names) {
      if (name === 'a stream') continue;
      let field: 'of' | 'batch' | 'from';
      if ('from' in good(name)) field = 'from';
      else if ('of' in good(name) && good(name).ask === 'split') field = 'of';
      else field = 'batch';
      expectRefused(() => curator.answer(next, { ...good(name), [field]: batch } as Query));
    }
  // Only the id of a token counts; its other fields are ignored.
  const lying = { ...curator.allRecords, normaliser: 1e9, size: 'hidden' as const };
  const honest = world({ domain, run: 'honest' }).curator;
  const believed = world({ domain, run: 'honest' }).curator;
  const query = { ...good('a value, risk'), noise: noise(1e-9) } as Query;
  expect(believed.answer(0, { ...query, batch: lying } as Query).answer as number).toBeCloseTo(
    honest.answer(0, query).answer as number,
    6,
  );
});

test('an ambiguous target, or one without noise, is refused', () => {
  const base = good('a mean') as Extract<Query, { ask: 'mean' }>;
  const lenient = world({ domain, allowUnprotected: true });
  for (const target of [
    {},
    { noiseMultiplier: 1, unprotected: false },
    { noiseMultiplier: 1, unprotected: true },
    { rho: 1, epsilon: 1, delta: 0.1 },
    { epsilon: 1 },
    { delta: 0.1 },
    { unprotected: false },
    { unprotected: 'yes' },
  ]) {
    const query = { ...base, target } as unknown as Query;
    expectRefused(() => curator.answer(next, query));
    expectRefused(() => lenient.curator.answer(0, query));
  }
  expectRefused(() => curator.answer(next, { ...base, target: { unprotected: true } }));
  expectRefused(() => curator.answer(next, { ...base, targetBySilo: [] } as unknown as Query));
});

test('a reference to a plugin of another kind is refused', () => {
  const base = good('a mean') as Extract<Query, { ask: 'mean' }>;
  const wrong = [
    { kind: 'mechanism', name: 'gaussian', params: {} },
    { kind: 'loss', name: 'squared', params: {} },
    { kind: 'clip', name: 'gaussian', params: {} },
    { kind: 'clip', name: '__proto__', params: {} },
  ];
  for (const reference of wrong)
    expectRefused(() =>
      curator.answer(next, {
        ...base,
        mean: { kind: 'mean', name: 'clipped', params: { clip: reference, mechanism: gaussian({}) } },
      } as unknown as Query),
    );
  for (const reference of wrong)
    expectRefused(() => curator.answer(next, { ...base, mean: reference } as unknown as Query));
});

test('magnitudes at the ends of the doubles give a finite answer or a typed error, protected or not', () => {
  const sizes = [5e-324, 1e-300, 1e-160, 1e160, 1e290, 1e300, Number.MAX_VALUE];
  const here = world({ domain, allowUnprotected: true, adjacency: 'zero-out' });
  let index = 0;
  for (const radius of sizes)
    for (const multiplier of [...sizes, 1])
      for (const weight of [...sizes, 1])
        for (const unprotected of [false, true]) {
          const by = within(radius, {
            mechanism: gaussian({}),
            target: unprotected ? { unprotected: true } : { noiseMultiplier: multiplier },
          });
          const outcome = typedOutcome(() =>
            here.curator.answer(index, {
              ask: 'mean',
              of: { terms: [{ weight, at: Float64Array.of(1, 1, 1) }] },
              batch: here.curator.allRecords,
              ...by,
            }),
          );
          if ('error' in outcome) {
            expect(here.curator.recorded()).toBe(index);
            continue;
          }
          expect(isFinite(outcome.value.answer)).toBe(true);
          index += 1;
        }
  expect(index).toBeGreaterThan(100);
});

test.each(['curator', 'ledger'] as const)('a malformed option of the %s is refused', (what) => {
  const bad: readonly object[] =
    what === 'curator'
      ? [
          { run: '' },
          { run: 5 },
          { run: null },
          { publicSlots: 0 },
          { publicSlots: 1.5 },
          { publicSlots: Number.NaN },
          { publicSlots: '12' },
          { uses: null },
          { uses: 'my-clip' },
          { uses: { 'my-clip': 1 } },
          { uses: { 'my-clip': '' } },
          { adjacency: 'add-remove', publicSlots: undefined },
        ]
      : [
          { adjacency: 'replace' },
          { adjacency: null },
          { adjacency: 5 },
          { limit: { epsilon: Number.NaN, delta: 0.1 } },
          { limit: { epsilon: 1, delta: 1 } },
          { limit: { epsilon: -1, delta: 0 } },
          { limit: { epsilon: '1', delta: 0 } },
        ];
  for (const options of bad)
    expectRefused(() =>
      what === 'curator' ? world(options) : openLedger({ adjacency: 'replace-one', ...options } as never),
    );
});
