import { accountants, bestOf } from '@lethe/accountants';
import {
  Corrupt,
  defineLoss,
  defineSampler,
  driveSync,
  IncompatiblePlugins,
  InvalidParameter,
  memoryStore,
  seededRandom,
  Unsupported,
  type Batch,
  type Query,
  type Run,
  type Vector,
} from '@lethe/core';
import { attachData, centralCurator, openLedger, type CentralCurator, type DataInput } from '@lethe/curator';
import { logistic, squared } from '@lethe/losses';
import {
  acceleratedGradient,
  independentIncrements,
  l2BallDomain,
  wholeSpaceDomain,
} from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { asker, mean, within, zero } from './queries.js';
import { clip, dimension, noise, records, registry, world } from './world.js';

/** Attacks by a hostile or careless optimizer, plugin or caller on uncharged releases. */
const none = z.strictObject({});
const source = { id: 'test', item: 'attack' };

describe('a minimiser uses its own Lipschitz constant', () => {
  const minimiser = (batch: Batch, change: Partial<Extract<Query, { ask: 'minimiser' }>>): Query => ({
    ask: 'minimiser',
    lambda: 1,
    centre: zero,
    domain: l2BallDomain({ radius: 1 }),
    batch,
    solver: acceleratedGradient({ iterations: 1000 }),
    tolerance: 1e-4,
    bound: { by: 'certificate', fact: 'lipschitz' },
    norm: 2,
    noise: noise(1),
    ...change,
  });
  const labels = Float64Array.from({ length: 12 }, (_, i) => (i % 2 === 0 ? 1 : -1));

  test('no other fact replaces it', () => {
    const { curator } = world({ loss: logistic({}), labels, domain: { featureNorm: 3 } });
    expect(() =>
      curator.answer(0, minimiser(curator.allRecords, { bound: { by: 'certificate', fact: 'smoothness' } })),
    ).toThrow(Unsupported);
    expect(curator.answer(0, minimiser(curator.allRecords, {})).answer).toHaveLength(3);
  });
  test("it is the constant on the query's domain, not on the declared iterates", () => {
    const { curator } = world({ domain: { featureNorm: 3, labelBound: 11, iterateNorm: 1e-3 } });
    expect(() =>
      curator.answer(
        0,
        minimiser(curator.allRecords, { domain: wholeSpaceDomain({}), centre: Float64Array.of(1000, 0, 0) }),
      ),
    ).toThrow(/no fact 'lipschitz'/);
  });
  test('a far centre cannot magnify a record through rounding', () => {
    const { curator } = world({ loss: logistic({}), labels, domain: { featureNorm: 3 } });
    expect(() =>
      curator.answer(
        0,
        minimiser(curator.allRecords, {
          domain: wholeSpaceDomain({}),
          centre: Float64Array.of(2 ** 50, 0, 0),
        }),
      ),
    ).toThrow(/doubles resolve/);
  });
});

describe('a recorded query is not answered again on other data', () => {
  const reopened = (change: Partial<DataInput>, run = 'run'): { first: Vector; curator: CentralCurator } => {
    const store = memoryStore();
    const identity = [Uint8Array.of(1, 2, 3)];
    const here = world({ store, identity });
    const first = asker(here)<Vector>(mean(here.curator.allRecords));
    return { first, curator: world({ store, identity, run, ...change }).curator };
  };
  const flipped = records(12).labels;
  flipped[5] = -5;

  test.each([
    ['other labels', { labels: flipped }],
    ['another loss', { loss: logistic({}), labels: flipped.map((y) => (y > 4 ? 1 : -1)) }],
    ['other declared bounds', { domain: { featureNorm: 3 } }],
  ])('%s', (_what, change) => {
    const { curator } = reopened(change);
    expect(() => curator.answer(0, mean(curator.allRecords))).toThrow(Corrupt);
    expect(() => curator.replay(0, mean(curator.allRecords), 'any')).toThrow(Corrupt);
  });
  test('the same data can be resumed; an ended run cannot', () => {
    const { first, curator } = reopened({});
    expect(curator.answer(0, mean(curator.allRecords)).answer).toEqual(first);
    curator.end();
    expect(() => curator.answer(1, mean(curator.allRecords))).toThrow(/ended/);
  });
});

describe('numbers that overflow', () => {
  test("a stream's bound is limited by itself, whatever it is divided by", () => {
    const { curator } = world();
    expect(() =>
      curator.answer(0, {
        ask: 'open',
        prefixSum: independentIncrements({}),
        steps: 1,
        dimension,
        bound: clip(1.7e308),
        noise: noise(50),
        participation: { times: 1, gap: 1 },
        normaliser: 1e308,
      }),
    ).toThrow(InvalidParameter);
    expect(() => curator.answer(0, mean(curator.allRecords, zero, within(1e300)))).toThrow(InvalidParameter);
  });
});

describe('plugins that violate their contract do not leak', () => {
  const linear = {
    summary: 'x',
    source,
    params: none,
    claims: [],
    capabilities: {},
    linear: null,
    facts: () => ({}),
    labels: { rule: 'any', accepts: () => true },
  } as const;

  test('error messages of a plugin about a record stay with the owner', () => {
    const talkative = defineLoss({
      ...linear,
      name: 'talkative',
      value: () => 0,
      gradientInto(_params, _out, _at, { label }) {
        if (label === 7) throw new InvalidParameter(`label ${label} is odd`, { label });
      },
    });
    const { curator, ledger } = world({ loss: talkative({}), registry: [...registry, talkative] });
    const failure = (() => {
      try {
        curator.answer(0, mean(curator.allRecords));
      } catch (error) {
        return error as Error;
      }
      return undefined;
    })();
    expect(failure).toBeInstanceOf(IncompatiblePlugins);
    expect(
      `${defined(failure).message} ${JSON.stringify((failure as IncompatiblePlugins).details)}`,
    ).not.toMatch(/7|odd/);
    expect((defined(failure).cause as Error).message).toBe('label 7 is odd');
    expect(ledger.total().kind).toBe('core/gaussian');
  });
  test.each([
    ['repeats a record', Uint32Array.of(3, 3)],
    ['leaves the batch', Uint32Array.of(3, 40)],
    ['is not in order', Uint32Array.of(5, 2)],
  ])('a sampler that %s is stopped', (_what, drawn) => {
    const bad = defineSampler({
      name: 'bad',
      summary: 'x',
      source,
      params: none,
      claims: [],
      size: 'exact',
      amplification: () => ({ 'replace-one': { sampler: null, inner: 'replace-one' } }),
      normaliser: () => 2,
      draw: () => drawn,
    });
    const all = [...registry, bad];
    const { data } = world();
    const curator = centralCurator({ data, registry: all, run: 'other', random: seededRandom('x') });
    const batch = curator.answer(0, { ask: 'draw', sampler: bad({}), from: curator.allRecords })
      .answer as Batch;
    expect(() => curator.answer(1, mean(batch))).toThrow(IncompatiblePlugins);
  });
});

test("an optimizer given the parent of the curator's root learns and publishes only a fork of it", () => {
  const root = seededRandom('root');
  const { data } = world();
  const curator = centralCurator({ data, registry, run: 'other', random: root.fork('curator') });
  const seen: Uint8Array[] = [];
  const transcript = memoryStore();
  const run: Run = {
    name: 'nosy',
    problem: {} as Run['problem'],
    plan: { event: { kind: 'core/free', v: 1 }, utility: null, gradients: 0 },
    // oxlint-disable-next-line require-yield -- it sends no query
    *steps({ random, start }) {
      seen.push(random.key());
      return start;
    },
  };
  driveSync(run, curator, { start: zero, random: root, transcript });
  const published = Buffer.from(transcript.read());
  expect(published.includes(Buffer.from(root.key()))).toBe(false);
  expect(seen[0]).not.toEqual(root.key());
  expect(published.includes(Buffer.from(seen[0]))).toBe(true);
});

test('data are bound to their ledger by a keyed hash, so the ledger does not reveal them', () => {
  const [one, two] = [memoryStore(), memoryStore()];
  for (const store of [one, two])
    attachData({
      features: {
        data: records(4).features,
        rows: 4,
        columns: dimension,
        offset: 0,
        rowStride: dimension,
        columnStride: 1,
      },
      labels: records(4).labels,
      loss: squared({}),
      registry,
      ledger: openLedger({ adjacency: 'replace-one', store }),
    });
  expect(Buffer.from(one.read()).equals(Buffer.from(two.read()))).toBe(false);
});

test('a limit is kept with the ledger: it cannot be left out, or loosened by the way', () => {
  const store = memoryStore();
  const limit = (epsilon: number) => ({ epsilon, delta: 1e-6, accountant: bestOf(accountants) });
  openLedger({ adjacency: 'replace-one', store, limit: limit(2) });
  expect(() => openLedger({ adjacency: 'replace-one', store })).toThrow(/has a limit of ε = 2/);
  expect(() => openLedger({ adjacency: 'replace-one', store, limit: limit(3) })).toThrow(/raiseLimit/);
  openLedger({ adjacency: 'replace-one', store, limit: limit(1) });
  expect(() => openLedger({ adjacency: 'replace-one', store, limit: limit(2) })).toThrow(/tighter/);
  openLedger({ adjacency: 'replace-one', store, limit: limit(5), raiseLimit: true });
  expect(() => openLedger({ adjacency: 'replace-one', store, limit: limit(4) })).not.toThrow();
});
