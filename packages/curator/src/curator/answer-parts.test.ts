import { ask, defineDomain, memoryStore, type Query, type Statistic, type Store } from '@lethe/core';
import { InvalidParameter, seededRandom, Unsupported, wholeSpace } from '@lethe/numerics';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { ball, clipped, freshSum, gaussianNoise, losses } from '../../test/mean-parts.js';
import { openLedger } from '../ledger/index.js';
import { defineCentralOptimizer, defineOptimizer } from '../optimizer/define-optimizer.js';
import * as parts from './answer-parts.js';
import { centralCuratorOf } from './central-of.js';
import { centralCurator, centralHandlers, selectionAnswers } from './central.js';
import { attachData } from './data-set.js';
import { answersOf, dispatch } from './handlers.js';

const { batchAnswers, gradientValueAnswers, meanAnswers, streamAnswers, valueAnswers, wholeMeanAnswers } =
  parts;
const everywhere = defineDomain({
  name: 'whole-space',
  summary: 'x',
  source: { id: 'test', item: 'x' },
  params: z.strictObject({}),
  claims: [],
  build: (_params, dimension) => wholeSpace(dimension),
});
const registry = [everywhere, ball, gaussianNoise, clipped, freshSum, ...losses];
const loss = losses[0]({});
const features = {
  data: Float64Array.from({ length: 12 }, (_, k) => Math.sin(k)),
  rows: 6,
  columns: 2,
  offset: 0,
  rowStride: 2,
  columnStride: 1,
};
const target = { noiseMultiplier: 1 };
const clip = ball({ radius: 1 });

const optionsOn = (store: Store) => {
  const ledger = openLedger({ adjacency: 'replace-one', store });
  const labels = Float64Array.of(0, 1, 0, 1, 0, 1);
  const data = attachData({ features, labels, loss, registry, ledger });
  return { data, registry, run: 'run', random: seededRandom('parts') };
};
const { allRecords } = centralCurator(optionsOn(memoryStore()));
const queryOf = (program: Generator<Query, unknown, never>): Query => program.next().value as Query;
const at = Float64Array.of(0.5, 0.25);
const mean = queryOf(ask.mean({ at, batch: allRecords, mean: clipped({ clip }), target }));
const open = queryOf(
  ask.open({
    prefixSum: freshSum({}),
    steps: 2,
    dimension: 2,
    bound: { by: 'clip', clip },
    noise: { mechanism: gaussianNoise({}), target },
    participation: { times: 2, gap: 1 },
    normaliser: allRecords.normaliser,
  }),
);

describe('a curator of a few parts', () => {
  test('answers and charges as the whole one', () => {
    const [whole, few] = [centralCurator, centralCuratorOf([meanAnswers, streamAnswers])].map((make) => {
      const store = memoryStore();
      const curator = make(optionsOn(store));
      const answers = [mean, open].map((query, index) => curator.answer(index, query));
      return { answers, spent: curator.spent(), bytes: store.read() };
    });
    expect(few.answers).toEqual(whole.answers);
    expect(few.spent).toEqual(whole.spent);
  });

  test('answers and charges means of whole gradients as the whole one, and refuses other means', () => {
    const [whole, few] = [centralCurator, centralCuratorOf([wholeMeanAnswers])].map((make) => {
      const store = memoryStore();
      const curator = make(optionsOn(store));
      return { store, curator, answer: curator.answer(0, mean), spent: curator.spent() };
    });
    expect(few.answer).toEqual(whole.answer);
    expect(few.spent).toEqual(whole.spent);
    const before = few.store.read();
    const coordinates = Uint32Array.of(1);
    const along = queryOf(ask.mean({ at, batch: allRecords, mean: clipped({ clip }), target, coordinates }));
    expect(() => few.curator.answer(1, along)).toThrow(Unsupported);
    expect(() => few.curator.answer(1, along)).toThrow(/coordinates .* meanAnswers of @lethe\/curator/u);
    expect(few.store.read()).toEqual(before);
    expect(few.curator.spent()).toEqual(whole.spent);
  });

  test('answers and charges norms of gradients as the whole one, and refuses other values', () => {
    const noise = { mechanism: gaussianNoise({}), target };
    const value = (statistic: Statistic): Query =>
      queryOf(ask.value({ statistic, at, batch: allRecords, noise }));
    const [whole, few] = [[valueAnswers], [gradientValueAnswers]].map((own) => {
      const store = memoryStore();
      const curator = centralCuratorOf(own)(optionsOn(store));
      const norms = [
        { of: 'gradient-norm', bound: { by: 'clip', clip } },
        { of: 'gradient-norm-beyond', radius: 0.5 },
      ] as const;
      const answers = norms.map((statistic, index) => curator.answer(index, value(statistic)));
      return { store, curator, answers, spent: curator.spent() };
    });
    expect(few.answers).toEqual(whole.answers);
    expect(few.spent).toEqual(whole.spent);
    const before = few.store.read();
    expect(() => few.curator.answer(2, value({ of: 'risk' }))).toThrow(Unsupported);
    expect(() => few.curator.answer(2, value({ of: 'risk' }))).toThrow(
      /'risk' .* valueAnswers of @lethe\/curator/u,
    );
    expect(few.store.read()).toEqual(before);
  });

  test('is made of no part of somebody else, which could answer without a charge', () => {
    const forged = { handlers: { mean: () => ({ effect: {}, release: () => at }) as never } };
    for (const given of [[forged], [{ ...meanAnswers }], [new Proxy(meanAnswers, {})]])
      expect(() => centralCuratorOf(given)).toThrow(InvalidParameter);
    expect(() => Object.assign(meanAnswers.handlers, forged.handlers)).toThrow(TypeError);
    expect(() => Object.assign(meanAnswers, forged)).toThrow(TypeError);
  });

  test('refuses another query by name, and charges nothing for it', () => {
    const store = memoryStore();
    const curator = centralCuratorOf([batchAnswers])(optionsOn(store));
    const before = store.read();
    expect(() => curator.answer(0, mean)).toThrow(Unsupported);
    expect(() => curator.answer(0, mean)).toThrow(/'mean' .* meanAnswers of @lethe\/curator/u);
    expect(store.read()).toEqual(before);
  });

  test('does not go on with a stream that it cannot keep', () => {
    const store = memoryStore();
    centralCurator(optionsOn(store)).answer(0, open);
    const resumed = () =>
      centralCuratorOf([meanAnswers])(optionsOn(memoryStore(store.read()))).answer(1, mean);
    expect(resumed).toThrow(/run 'run' opened a stream.*streamAnswers/u);
  });

  test('may have any part: together they answer all, and a refusal names the part that does', () => {
    const { wholeMeanAnswers: _narrower, gradientValueAnswers: _alsoNarrower, ...others } = parts;
    const all = { ...others, selectionAnswers };
    expect(Object.keys(answersOf(Object.values(all)).handlers).toSorted()).toEqual(
      Object.keys(centralHandlers).toSorted(),
    );
    for (const [name, part] of Object.entries(all))
      for (const asked of Object.keys(part.handlers))
        expect(() => dispatch({}, {} as never, { ask: asked } as never, 'id')).toThrow(`add ${name} of`);
  });
});

describe('an optimizer of a few parts', () => {
  const definition = {
    name: 'test-optimizer',
    summary: 'x',
    source: { id: 'test', item: 'x' },
    params: z.strictObject({}),
    claims: [],
    adjacencies: ['replace-one'],
    privacyRestsOn: 'clip',
    plan: () => ({ utility: null }),
    *steps({ start, allRecords: batch }: { start: Float64Array; allRecords: typeof allRecords }) {
      yield* ask.mean({ at: start, batch, mean: clipped({ clip }), target });
      return start;
    },
  } as const;
  const context = {
    problem: {
      adjacency: 'replace-one',
      trust: { model: 'central' },
      dimension: 2,
      slots: [6],
      domain: { kind: 'domain', name: 'whole-space', params: {} },
      loss,
      capabilities: losses[0].capabilities,
      facts: {},
    },
    registry,
    budget: { epsilon: 1, delta: 1e-5 },
    params: {},
    calibrate: () => {
      throw new Error('nothing is calibrated');
    },
    random: seededRandom('plan'),
  } as const;

  test('plans as one of all parts', () => {
    const few = defineCentralOptimizer([meanAnswers], definition);
    const whole = defineOptimizer({ ...definition, trustModels: ['central'] });
    expect(few.trustModels).toEqual(['central']);
    const [one, other] = [few, whole].map((optimizer) => optimizer.prepare(context));
    expect(one.plan).toEqual(other.plan);
    expect(one.mark).toBe(other.mark);
  });

  test('does not plan what no part answers', () => {
    const other = defineCentralOptimizer([valueAnswers], definition);
    expect(() => other.prepare(context)).toThrow(/'mean' .* meanAnswers of @lethe\/curator/u);
  });
});
