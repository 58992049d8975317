import type { SplitQuery } from '@lethe/core';
import { certifiedFact } from '@lethe/core/internal';
import { expect, test } from 'vitest';
import { Corrupt, InvalidParameter, Unsupported, seededRandom } from '@lethe/numerics';
import { marginLoss } from '../../test/margin-loss.js';
import { openLedger } from '../ledger/index.js';
import { centralCurator } from './central.js';
import type { DataInput } from './data-input.js';
import { attachData, attachDense } from './data-set.js';

const loss = marginLoss();

const input = (change: object = {}): DataInput => ({
  features: {
    data: Float64Array.of(1, 2, 3, 4),
    rows: 2,
    columns: 2,
    offset: 0,
    rowStride: 2,
    columnStride: 1,
  },
  labels: Float64Array.of(1, -1),
  loss: loss({}),
  registry: [loss],
  ledger: openLedger({ adjacency: 'replace-one' }),
  ...change,
});

test.each([
  [{ record: { featureBounds: [4, 4] } }, /no 'record'; write domain: \{ featureBounds \}/],
  [{ records: 2 }, /no 'records'; write domain: \{ featureBounds \}/],
  [{ featureBounds: [4, 4] }, /no 'featureBounds'; write domain: \{ featureBounds \}/],
  [{ featureNorms: 4 }, /no 'featureNorms'; write domain: \{ featureNorm \}/],
  [{ label: Float64Array.of(1, -1) }, /no 'label'; write labels\. It takes features, labels, nulls, loss,/],
  [{ Domain: {} }, /no 'Domain'; write domain\./],
  [{ colour: 'red' }, /no 'colour'; leave it out\./],
  [{ featureBounds: undefined }, /no 'featureBounds'/],
  [
    { domain: { featurebounds: [4, 4] } },
    /the domain of records has no 'featurebounds'; write featureBounds\./,
  ],
  [{ domain: { radius: 1 } }, /the domain of records has no 'radius'; leave it out\. It takes featureNorm,/],
])('%j has a key that nobody would read', (change, message) => {
  expect(() => attachData(input(change))).toThrow(InvalidParameter);
  expect(() => attachData(input(change))).toThrow(message);
});

test('known keys are taken, undefined ones too', () => {
  expect(
    attachData(
      input({
        nulls: undefined,
        domain: { featureBounds: [4, 4], featureNorm: 9 },
        outside: 'clip',
        identity: [Uint8Array.of(1)],
      }),
    ).slots,
  ).toBe(2);
});

test('a fact that is not certified is asked for by the name of what it follows from', () => {
  const facts = Object.fromEntries(
    Array.from({ length: 2000 }, (_, j) => [
      `coordinateLipschitz.${j}`,
      { value: 1, scope: 'every-record', provenance: 'from-domain' } as const,
    ]),
  );
  expect(() => certifiedFact({}, 'lipschitz')).toThrow(Unsupported);
  expect(() => certifiedFact({}, 'lipschitz')).toThrow(
    /certifies no facts, and the query needs 'lipschitz': attach it with domain: \{ featureBounds \}.*or clip/,
  );
  expect(() => certifiedFact(facts, 'lipschitz')).toThrow(
    /certifies no fact 'lipschitz'; it has coordinateLipschitz\.0, .* and 1995 more\. To have it: attach it with domain/,
  );
  expect(certifiedFact(facts, 'coordinateLipschitz.7')).toBe(1);
});

test('a curator answers a run once, in order, and repeats the last answer; a second curator replays it', () => {
  const data = attachData(input());
  const fresh = () => centralCurator({ data, registry: [loss], run: 'first', random: seededRandom('coins') });
  const used = fresh();
  const query: SplitQuery = {
    ask: 'split',
    of: used.allRecords,
    order: 'shuffled',
    parts: { by: 'size', sizes: [1, 1] },
  };
  const answered = used.answer(0, query);
  expect(used.answer(0, query)).toStrictEqual(answered);
  const other: SplitQuery = { ...query, order: 'stored' };
  expect(() => used.answer(0, other)).toThrow(Corrupt);
  expect(() => used.answer(0, other)).toThrow(
    /query 0 was asked again: this curator has answered 1 already, and it answers a run once, in order; only the last query, unchanged, is answered again\. To resume the run, or begin it again, make a new centralCurator with this run name on the same ledger/,
  );
  expect(fresh().answer(0, query)).toStrictEqual(answered);
});

test('dense data are attached as by attachData, and sparse rows refused', () => {
  const { labels, norms, view, slots, sparse, sumMemory } = attachDense(input() as never);
  const by = attachData(input());
  expect({ labels, norms, view, slots, sparse, sumMemory }).toEqual({
    labels: by.labels,
    norms: by.norms,
    view: by.view,
    slots: 2,
    sparse: null,
    sumMemory: null,
  });
  const features = {
    rows: 2,
    columns: 2,
    rowStarts: Uint32Array.of(0, 1, 2),
    columnIndices: Uint32Array.of(0, 1),
    values: Float64Array.of(1, 2),
  };
  expect(attachData(input({ features })).sparse).not.toBeNull();
  expect(() => attachDense(input({ features }) as never)).toThrow(Unsupported);
  expect(() => attachDense(input({ features }) as never)).toThrow(/attach them with attachData/);
  expect(() => attachDense(input({ colour: 'red' }) as never)).toThrow(/the input of attachDense has no/);
});
