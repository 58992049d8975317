import {
  clippedMeanEvent,
  Corrupt,
  InvalidData,
  InvalidParameter,
  sameEvent,
  seededRandom,
  Unsupported,
  type Batch,
  type Vector,
} from '@lethe/core';
import { attachData, centralCurator, openLedger } from '@lethe/curator';
import { logistic, squared } from '@lethe/losses';
import { full, latticeMean } from '@lethe/mechanisms';
import { describe, expect, test } from 'vitest';
import { asker, certified, exact, mean, zero } from './queries.js';
import { clip, dimension, records, registry, world } from './world.js';

describe('means', () => {
  test('without noise it is the exact mean of clipped gradients', () => {
    const here = world({ allowUnprotected: true });
    const w = Float64Array.of(1, -2, 0.5);
    const answer = asker(here)<Vector>(mean(here.curator.allRecords, w, exact(0.4)));
    const { features, labels } = records(12);
    const sum = new Float64Array(dimension);
    for (let i = 0; i < 12; i++) {
      const x = features.subarray(3 * i, 3 * i + 3);
      const slope = x[0] * w[0] + x[1] * w[1] + x[2] * w[2] - labels[i];
      const size = Math.abs(slope) * Math.hypot(...x);
      for (let j = 0; j < 3; j++) sum[j] += slope * x[j] * Math.min(1, 0.4 / size);
    }
    answer.forEach((value, j) => expect(value).toBeCloseTo(sum[j] / 12, 13));
    expect(here.curator.spent().kind).toBe('core/unprotected');
  });

  test('weights combine before the clip, and coordinates restrict after the sum', () => {
    const here = world({ allowUnprotected: true });
    const ask = asker(here);
    const terms = [
      { weight: 2, at: Float64Array.of(1, 0, 0) },
      { weight: -1, at: Float64Array.of(0, 1, 0) },
    ];
    const whole = ask<Vector>({ ask: 'mean', of: { terms }, batch: here.curator.allRecords, ...exact(1e9) });
    const part = ask<Vector>({
      ask: 'mean',
      of: { terms, coordinates: Uint32Array.of(2, 0) },
      batch: here.curator.allRecords,
      ...exact(1e9),
    });
    expect(part[0]).toBeCloseTo(whole[2], 12);
    expect(part[1]).toBeCloseTo(whole[0], 12);
    const tight = ask<Vector>({ ask: 'mean', of: { terms }, batch: here.curator.allRecords, ...exact(1e-3) });
    expect(Math.hypot(...tight)).toBeLessThanOrEqual(1e-3 * (1 + 1e-12));
  });

  test('a mean of whole numbers is charged like its noise', () => {
    const here = world();
    const answer = asker(here)<Vector>({
      ask: 'mean',
      of: { terms: [{ weight: 1, at: zero }] },
      batch: here.curator.allRecords,
      mean: latticeMean({ radius: 1, spacing: 2 ** -20 }),
      target: { noiseMultiplier: 2 },
    });
    expect(answer).toHaveLength(3);
    expect(here.curator.spent()).toMatchObject({ kind: 'core/discrete-gaussian', entries: 3 });
  });

  test('a certificate needs an every-record fact; a clip needs a positive radius', () => {
    const bare = world();
    expect(() => bare.curator.answer(0, mean(bare.curator.allRecords, zero, certified()))).toThrow(
      Unsupported,
    );
    const bound = world({ domain: { featureNorm: 3, labelBound: 20, iterateNorm: 1 } });
    bound.curator.answer(0, mean(bound.curator.allRecords, zero, certified()));
    expect(bound.curator.spent().kind).toBe('core/gaussian');
    expect(() => clip(0)).toThrow(InvalidParameter);
  });
});

describe('null records and records that misbehave', () => {
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
    for (const featureNorm of [0, -1, Number.NaN, Infinity])
      expect(attach({ domain: { featureNorm } })).toThrow(InvalidParameter);
  });

  test('clipping records onto the declared domain keeps every fact true', () => {
    const { data } = world({ domain: { featureNorm: 0.5, labelBound: 2 }, outside: 'clip' });
    expect(Math.max(...data.norms)).toBeLessThanOrEqual(0.5 * (1 + 1e-12));
    expect(Math.max(...data.labels)).toBe(2);
  });
});

describe('batches and what they cost', () => {
  test('a full draw costs as much as no draw', () => {
    const here = world();
    const ask = asker(here);
    ask(mean(ask<Batch>({ ask: 'draw', sampler: full({}), from: here.curator.allRecords })));
    expect(sameEvent(here.curator.spent(), clippedMeanEvent(1, 'replace-one'))).toBe(true);
  });
});

describe('the ledger outlives the run', () => {
  test('a stored ledger comes back whole, knows its data, its adjacency and its runs', () => {
    const here = world();
    const ask = asker(here);
    ask(
      mean(
        ask<readonly Batch[]>({
          ask: 'split',
          of: here.curator.allRecords,
          order: 'shuffled',
          parts: { by: 'size', sizes: [6, 6] },
        })[1],
      ),
    );
    const spent = here.ledger.total();
    const again = openLedger({ adjacency: 'replace-one', store: here.store });
    expect(again.total()).toEqual(spent);
    expect(again.runs()).toEqual(['run']);
    expect(() => world({ store: here.store, n: 11 })).toThrow(Corrupt);
    expect(() => openLedger({ adjacency: 'zero-out', store: here.store })).toThrow(InvalidParameter);
  });
});

describe('randomness is keyed', () => {
  test('CSR rows answer as dense rows do', () => {
    const { features, labels } = records(12);
    const values: number[] = [];
    const columnIndices: number[] = [];
    const rowStarts = [0];
    for (let i = 0; i < 12; i++) {
      for (let j = 0; j < 3; j++) {
        const v = features[3 * i + j];
        if (v !== 0) {
          values.push(v);
          columnIndices.push(j);
        }
      }
      rowStarts.push(values.length);
    }
    const sparse = attachData({
      features: {
        rows: 12,
        columns: 3,
        values: Float64Array.from(values),
        columnIndices: Uint32Array.from(columnIndices),
        rowStarts: Uint32Array.from(rowStarts),
      },
      labels,
      loss: squared({}),
      registry,
      ledger: openLedger({ adjacency: 'replace-one' }),
    });
    const dense = world({ allowUnprotected: true });
    const curator = centralCurator({
      data: sparse,
      registry,
      run: 'run',
      random: seededRandom('coins'),
      allowUnprotected: true,
    });
    const w = Float64Array.of(1, 2, 3);
    const a = curator.answer(0, mean(curator.allRecords, w, exact(0.3))).answer as Vector;
    const b = dense.curator.answer(0, mean(dense.curator.allRecords, w, exact(0.3))).answer as Vector;
    a.forEach((value, j) => expect(value).toBeCloseTo(b[j], 12));
  });
});
