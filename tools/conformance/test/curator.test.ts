import { attachData, BudgetExceeded, centralCurator, clippedMeanEvent, Corrupt, InvalidData, InvalidParameter, LetheError, openLedger, repeatedEvent, sameEvent, sampledEvent, seededRandom, Unsupported, type Batch, type MeanQuery, type Query, type Vector } from '@lethe/core';
import { accountants, bestOf } from '@lethe/accountants';
import { logistic, squared } from '@lethe/losses';
import { clippedGaussian, full, laplace, poisson } from '@lethe/mechanisms';
import { describe, expect, test } from 'vitest';
import { asker, exact, mean, zero } from './queries.js';
import { clip, dimension, noise, records, registry, world } from './world.js';

describe('means', () => {
  test('without noise it is the exact mean of clipped gradients', () => {
    const here = world({ allowUnprotected: true });
    const w = Float64Array.of(1, -2, 0.5);
    const answer = asker(here)<Vector>(mean(here.curator.everyone, w, exact(0.4)));
    const { features, labels } = records(12);
    const sum = new Float64Array(dimension);
    for (let i = 0; i < 12; i++) {
      const x = features.subarray(3 * i, 3 * i + 3);
      const slope = x[0]! * w[0]! + x[1]! * w[1]! + x[2]! * w[2]! - labels[i]!;
      const size = Math.abs(slope) * Math.hypot(...x);
      for (let j = 0; j < 3; j++) sum[j]! += slope * x[j]! * Math.min(1, 0.4 / size);
    }
    answer.forEach((value, j) => expect(value).toBeCloseTo(sum[j]! / 12, 13));
    expect(here.curator.spent().kind).toBe('core/unprotected');
  });

  test('weights combine before the clip, and coordinates restrict after the sum', () => {
    const here = world({ allowUnprotected: true });
    const ask = asker(here);
    const terms = [{ weight: 2, at: Float64Array.of(1, 0, 0) }, { weight: -1, at: Float64Array.of(0, 1, 0) }];
    const whole = ask<Vector>({ ask: 'mean', of: { terms }, batch: here.curator.everyone, release: exact(1e9) });
    const part = ask<Vector>({ ask: 'mean', of: { terms, coordinates: Uint32Array.of(2, 0) }, batch: here.curator.everyone, release: exact(1e9) });
    expect(part[0]).toBeCloseTo(whole[2]!, 12);
    expect(part[1]).toBeCloseTo(whole[0]!, 12);
    const tight = ask<Vector>({ ask: 'mean', of: { terms }, batch: here.curator.everyone, release: exact(1e-3) });
    expect(Math.hypot(...tight)).toBeLessThanOrEqual(1e-3 * (1 + 1e-12));
  });

  test('an oracle answers what its listing says, and is charged like its noise', () => {
    const here = world();
    const oracle = asker(here)<Vector>({ ask: 'mean', of: { terms: [{ weight: 1, at: zero }] }, batch: here.curator.everyone, release: { by: 'oracle', oracle: clippedGaussian({ radius: 1 }), target: { noiseMultiplier: 2 } } });
    expect(oracle).toHaveLength(3);
    expect(sameEvent(here.curator.spent(), clippedMeanEvent(2, 'replace-one'))).toBe(true);
  });

  test('the noise has the scale multiplier × sensitivity of the run\'s adjacency', () => {
    for (const [adjacency, factor] of [['replace-one', 2], ['zero-out', 1]] as const) {
      const here = world({ adjacency, allowUnprotected: true });
      const ask = asker(here);
      const centre = ask<Vector>(mean(here.curator.everyone, zero, exact(1)));
      let squares = 0;
      const draws = 4000;
      for (let t = 0; t < draws; t++) ask<Vector>(mean(here.curator.everyone, zero, { by: 'noise', bound: clip(1), noise: noise(3) })).forEach((value, j) => { squares += (value - centre[j]!) ** 2; });
      const sigma = (3 * factor) / 12;
      // Chi-square with 12 000 degrees of freedom: 8 standard deviations are 10.3 %; false alarm below 1e-12, and the seed is fixed.
      expect(Math.abs(squares / (draws * 3) / sigma ** 2 - 1)).toBeLessThan(0.103);
    }
  });

  test('a certificate needs an every-record fact; a clip needs a positive radius', () => {
    const bare = world();
    const certified: MeanQuery['release'] = { by: 'noise', bound: { by: 'certificate', fact: 'lipschitz' }, noise: noise(1) };
    expect(() => bare.curator.answer(0, mean(bare.curator.everyone, zero, certified))).toThrow(Unsupported);
    const bound = world({ domain: { featureNorm: 3, labelBound: 20, iterateNorm: 1 } });
    bound.curator.answer(0, mean(bound.curator.everyone, zero, certified));
    expect(bound.curator.spent().kind).toBe('core/gaussian');
    expect(() => clip(0)).toThrow(InvalidParameter);
  });

  test('a refused query spends nothing and takes no index', () => {
    const here = world();
    const bad: readonly Query[] = [
      mean(here.curator.everyone, Float64Array.of(0, Number.NaN, 0)), mean(here.curator.everyone, new Float64Array(2)),
      mean(here.curator.everyone, zero, exact(1)), mean({ ...here.curator.everyone, id: 'forged' }),
      mean(here.curator.everyone, zero, { by: 'noise', bound: clip(1), noise: noise(0) }), mean(here.curator.everyone, zero, { by: 'noise', bound: clip(1), noise: noise(Infinity) }),
      mean(here.curator.everyone, zero, { by: 'noise', bound: clip(1), noise: { mechanism: laplace({}), target: { noiseMultiplier: 1 } } }),
      mean(here.curator.everyone, zero, { by: 'noise', bound: { by: 'clip', clip: { kind: 'clip', name: 'nobody', params: {} } }, noise: noise(1) }),
      { ask: 'mean', of: { terms: [] }, batch: here.curator.everyone, release: exact(1) },
      { ask: 'split', of: here.curator.everyone, order: 'stored', parts: { by: 'size', sizes: [13] } },
      { ask: 'split', of: here.curator.everyone, order: 'stored', parts: { by: 'size', sizes: [] } },
      { ask: 'split', of: here.curator.everyone, order: 'stored', parts: { by: 'weight', weights: [0.7, 0.7] } },
      { ask: 'select' } as unknown as Query,
    ];
    for (const query of bad) expect(() => here.curator.answer(0, query)).toThrow(LetheError);
    expect(here.curator.recorded()).toBe(0);
    expect(here.curator.spent().kind).toBe('core/free');
  });
});

describe('null records and records that misbehave', () => {
  test('a null record contributes nothing, keeps its slot and counts in the normaliser', () => {
    const nulls = Uint8Array.from({ length: 12 }, (_, i) => (i === 11 ? 1 : 0));
    const here = world({ allowUnprotected: true, nulls });
    const answer = asker(here)<Vector>(mean(here.curator.everyone, zero, exact(1e9)));
    const without = world({ n: 11, allowUnprotected: true });
    const rest = asker(without)<Vector>(mean(without.curator.everyone, zero, exact(1e9)));
    answer.forEach((value, j) => expect(value * 12).toBeCloseTo(rest[j]! * 11, 12));
  });

  test('bad data are refused when attached, naming the place', () => {
    const { features, labels } = records(4);
    const attach = (change: object) => () => world({ n: 4, ...change });
    const spoilt = features.slice();
    spoilt[4] = Number.NaN;
    const view = { rows: 4, columns: 3, offset: 0, rowStride: 3, columnStride: 1 };
    expect(attach({ features: { data: spoilt, ...view } })).toThrow(/row 1, column 1 is NaN/);
    expect(attach({ labels: Float64Array.of(0, 1, Infinity, 3) })).toThrow(InvalidData);
    expect(attach({ labels, loss: logistic({}) })).toThrow(/label of row 0 is 0/);
    expect(attach({ domain: { featureNorm: 0.3 } })).toThrow(/row 2 has norm/);
    expect(attach({ labels: new Float64Array(3) })).toThrow(InvalidParameter);
    expect(attach({ features: { ...view, data: features, rows: 0 } })).toThrow(InvalidData);
    for (const featureNorm of [0, -1, Number.NaN, Infinity]) expect(attach({ domain: { featureNorm } })).toThrow(InvalidParameter);
  });

  test('clipping records onto the declared domain keeps every fact true', () => {
    const { data } = world({ domain: { featureNorm: 0.5, labelBound: 2 }, outside: 'clip' });
    expect(Math.max(...data.norms)).toBeLessThanOrEqual(0.5 * (1 + 1e-12));
    expect(Math.max(...data.labels)).toBe(2);
  });

  test('a gradient that overflows counts as zero, silently', () => {
    const features = Float64Array.of(1e200, 0, 0, 1, 0, 0);
    const here = world({ n: 2, allowUnprotected: true, features: { data: features, rows: 2, columns: 3, offset: 0, rowStride: 3, columnStride: 1 }, labels: Float64Array.of(0, 0) });
    const answer = asker(here)<Vector>(mean(here.curator.everyone, Float64Array.of(1e200, 0, 0), exact(1)));
    expect([...answer]).toEqual([0.5, 0, 0]);
  });
});

describe('batches and what they cost', () => {
  test('splits by size are parallel, overlapping splits compose', () => {
    const here = world();
    const ask = asker(here);
    const parts = ask<readonly Batch[]>({ ask: 'split', of: here.curator.everyone, order: 'stored', parts: { by: 'size', sizes: [6, 6] } });
    parts.forEach((part) => ask(mean(part)));
    const one = clippedMeanEvent(1, 'replace-one');
    expect(sameEvent(here.curator.spent(), one)).toBe(true);
    const again = ask<readonly Batch[]>({ ask: 'split', of: here.curator.everyone, order: 'shuffled', parts: { by: 'size', sizes: [4, 4] } });
    again.forEach((part) => ask(mean(part)));
    expect(sameEvent(here.curator.spent(), repeatedEvent(one, 2))).toBe(true);
  });

  test('shuffled parts are disjoint and a full split covers everyone', () => {
    const here = world({ allowUnprotected: true });
    const ask = asker(here);
    const total = ask<Vector>(mean(here.curator.everyone, zero, exact(1e9)));
    const parts = ask<readonly Batch[]>({ ask: 'split', of: here.curator.everyone, order: 'shuffled', parts: { by: 'size', sizes: [5, 4, 3] } });
    const sums = parts.map((part) => ask<Vector>(mean(part, zero, exact(1e9))).map((x) => x * part.normaliser));
    total.forEach((value, j) => expect(sums.reduce((sum, part) => sum + part[j]!, 0)).toBeCloseTo(value * 12, 10));
    const weighted = ask<readonly Batch[]>({ ask: 'split', of: here.curator.everyone, order: 'shuffled', parts: { by: 'weight', weights: [0.5, 0.5] } });
    const halves = weighted.map((part) => ask<Vector>(mean(part, zero, exact(1e9))).map((x) => x * part.normaliser));
    total.forEach((value, j) => expect(halves[0]![j]! + halves[1]![j]!).toBeCloseTo(value * 12, 10));
    expect(weighted.every(({ size, normaliser }) => size === 'hidden' && normaliser === 6)).toBe(true);
  });

  test('a Poisson draw tells no size, its answers are one sampled composition, and the next draw ends it', () => {
    const here = world({ adjacency: 'zero-out' });
    const ask = asker(here);
    const draw: Query = { ask: 'draw', sampler: poisson({ rate: 0.25 }), from: here.curator.everyone };
    const batch = ask<Batch>(draw);
    expect(Object.keys(batch).toSorted()).toEqual(['id', 'normaliser', 'scope', 'size']);
    expect(batch).toMatchObject({ normaliser: 3, size: 'hidden' });
    ask(mean(batch));
    ask(mean(batch));
    const scope = sampledEvent({ kind: 'core/poisson', rate: 0.25 }, repeatedEvent(clippedMeanEvent(1, 'zero-out'), 2));
    expect(sameEvent(here.curator.spent(), scope)).toBe(true);
    const next = ask<Batch>(draw);
    expect(() => here.curator.answer(4, mean(batch))).toThrow(/scope has ended/);
    ask(mean(next));
    ask({ ask: 'close', batch: next });
    expect(() => here.curator.answer(6, mean(next))).toThrow(/scope has ended/);
    expect(here.ledger.total()).toEqual(here.curator.spent());
  });

  test('an empty Poisson batch answers noise at full dimension and is charged', () => {
    const here = world({ adjacency: 'zero-out', n: 1 });
    const ask = asker(here);
    const batch = ask<Batch>({ ask: 'draw', sampler: poisson({ rate: 1e-9 }), from: here.curator.everyone });
    const answer = ask<Vector>(mean(batch));
    expect(answer.every((x) => Number.isFinite(x) && x !== 0)).toBe(true);
    expect(here.curator.spent().kind).toBe('core/sampled');
  });

  test('under add-remove: no split by size, no fixed size, n is a public guess', () => {
    expect(() => world({ adjacency: 'add-remove' })).toThrow(/publicSlots/);
    const here = world({ adjacency: 'add-remove', publicSlots: 10 });
    expect(here.curator.everyone).toMatchObject({ normaliser: 10, size: 'hidden' });
    expect(() => here.curator.answer(0, { ask: 'split', of: here.curator.everyone, order: 'stored', parts: { by: 'size', sizes: [5, 5] } })).toThrow(Unsupported);
    here.curator.answer(0, { ask: 'split', of: here.curator.everyone, order: 'stored', parts: { by: 'weight', weights: [0.5, 0.5] } });
    expect(() => world({ publicSlots: 11 })).toThrow(InvalidParameter);
  });

  test('a full draw costs as much as no draw', () => {
    const here = world();
    const ask = asker(here);
    ask(mean(ask<Batch>({ ask: 'draw', sampler: full({}), from: here.curator.everyone })));
    expect(sameEvent(here.curator.spent(), clippedMeanEvent(1, 'replace-one'))).toBe(true);
  });
});

describe('the ledger outlives the run', () => {
  test('a limit refuses before anything is spent, whatever run asks', () => {
    const limit = { epsilon: 2, delta: 1e-6, accountant: bestOf(accountants) };
    const ledger = openLedger({ adjacency: 'replace-one', limit });
    const here = world({ ledger });
    const ask = asker(here);
    ask(mean(here.curator.everyone, zero, { by: 'noise', bound: clip(1), noise: noise(4) }));
    const before = ledger.total();
    const second = centralCurator({ data: here.data, registry, run: 'second', random: seededRandom('other') });
    expect(() => second.answer(0, mean(second.everyone))).toThrow(BudgetExceeded);
    expect(second.recorded()).toBe(0);
    expect(ledger.total()).toEqual(before);
    expect(() => centralCurator({ data: here.data, registry, run: 'third', planned: clippedMeanEvent(1, 'replace-one') })).toThrow(BudgetExceeded);
  });

  test('a stored ledger comes back whole, knows its data, its adjacency and its runs', () => {
    const here = world();
    const ask = asker(here);
    ask(mean(ask<readonly Batch[]>({ ask: 'split', of: here.curator.everyone, order: 'shuffled', parts: { by: 'size', sizes: [6, 6] } })[1]!));
    const spent = here.ledger.total();
    const again = openLedger({ adjacency: 'replace-one', store: here.store });
    expect(again.total()).toEqual(spent);
    expect(again.runs()).toEqual(['run']);
    expect(() => world({ store: here.store, n: 11 })).toThrow(Corrupt);
    expect(() => openLedger({ adjacency: 'zero-out', store: here.store })).toThrow(InvalidParameter);
  });

  test('an ended run answers no more', () => {
    const here = world();
    asker(here)(mean(here.curator.everyone));
    here.curator.end();
    expect(() => here.curator.answer(1, mean(here.curator.everyone))).toThrow(/ended/);
  });
});

describe('coins are keyed', () => {
  test('the same query asked again gets the same answer at no cost; another is refused', () => {
    const here = world();
    const ask = asker(here);
    const parts = ask<readonly Batch[]>({ ask: 'split', of: here.curator.everyone, order: 'shuffled', parts: { by: 'size', sizes: [6, 6] } });
    const answer = ask<Vector>(mean(parts[0]!));
    const resumed = world({ store: here.store, seed: 'ignored: the ledger has the key' });
    expect(resumed.curator.recorded()).toBe(2);
    const same = asker(resumed);
    same({ ask: 'split', of: here.curator.everyone, order: 'shuffled', parts: { by: 'size', sizes: [6, 6] } });
    expect([...same<Vector>(mean(parts[0]!))]).toEqual([...answer]);
    expect(resumed.curator.spent()).toEqual(here.curator.spent());
    const other = world({ store: here.store });
    expect(() => other.curator.answer(1, mean(parts[0]!, Float64Array.of(1e-9, 0, 0)))).toThrow(Corrupt);
    expect(() => other.curator.answer(3, mean(parts[0]!))).toThrow(Corrupt);
  });

  test('two queries, two indices, two runs never share noise', () => {
    const here = world();
    const ask = asker(here);
    const answers = [ask<Vector>(mean(here.curator.everyone)), ask<Vector>(mean(here.curator.everyone)), ask<Vector>(mean(here.curator.everyone, Float64Array.of(1e-300, 0, 0)))];
    const second = centralCurator({ data: here.data, registry, run: 'second', random: seededRandom('other') });
    answers.push(second.answer(0, mean(second.everyone)).answer as Vector);
    expect(new Set(answers.map((a) => a[0])).size).toBe(4);
  });

  test('CSR rows answer as dense rows do', () => {
    const { features, labels } = records(12);
    const values: number[] = []; const columnIndices: number[] = []; const rowStarts = [0];
    for (let i = 0; i < 12; i++) {
      for (let j = 0; j < 3; j++) { const v = features[3 * i + j]!; if (v !== 0) { values.push(v); columnIndices.push(j); } }
      rowStarts.push(values.length);
    }
    const sparse = attachData({ features: { rows: 12, columns: 3, values: Float64Array.from(values), columnIndices: Uint32Array.from(columnIndices), rowStarts: Uint32Array.from(rowStarts) }, labels, loss: squared({}), registry, ledger: openLedger({ adjacency: 'replace-one' }) });
    const dense = world({ allowUnprotected: true });
    const curator = centralCurator({ data: sparse, registry, run: 'run', random: seededRandom('coins'), allowUnprotected: true });
    const w = Float64Array.of(1, 2, 3);
    const a = curator.answer(0, mean(curator.everyone, w, exact(0.3))).answer as Vector;
    const b = dense.curator.answer(0, mean(dense.curator.everyone, w, exact(0.3))).answer as Vector;
    a.forEach((value, j) => expect(value).toBeCloseTo(b[j]!, 12));
  });
});
