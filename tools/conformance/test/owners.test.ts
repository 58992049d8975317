import {
  Corrupt,
  driveSync,
  InvalidData,
  InvalidParameter,
  seededRandom,
  type Owners,
  type Ref,
} from '@lethe/core';
import { attachData, centralCurator, openLedger, type DataInput } from '@lethe/curator';
import { calibrator, accountants } from '@lethe/accountants';
import { dpMu2Sgd } from '@lethe/algorithms';
import { logistic, losses, softmax, squared } from '@lethe/losses';
import { clippedMean, gaussian, l2BallDomain, l2Clip, mechanisms } from '@lethe/mechanisms';
import { describe, expect, it } from 'vitest';

const registry = [...mechanisms, ...losses];
const columns = 2;
const rows = 9;
const random = seededRandom('owners');
const features = random.gaussianInto(new Float64Array(rows * columns));
/** Classes, or the signs that logistic regression takes. */
const labelsFor = ({ name }: Ref<'loss'>): Float64Array =>
  Float64Array.from({ length: rows }, (_, i) => (name === 'logistic' ? (-1) ** i : i % 2));
const owners: Owners = { of: Uint32Array.of(2, 0, 2, 2, 0, 4, 1, 2, 4), slots: 6, most: 3 };

const attach = (loss: Ref<'loss'>, change: Partial<DataInput> = {}, values = features) =>
  attachData({
    features: { data: values, rows, columns, offset: 0, rowStride: columns, columnStride: 1 },
    labels: labelsFor(loss),
    loss,
    registry,
    domain: { featureNorm: 2, iterateNorm: 1 },
    outside: 'clip',
    ledger: openLedger({ adjacency: 'replace-one' }),
    owners,
    ...change,
  });
const meanAt = (data: ReturnType<typeof attach>, at: Float64Array, radius: number): number[] => {
  const curator = centralCurator({
    data,
    registry,
    run: 'run',
    random: seededRandom('c'),
    allowUnprotected: true,
  });
  const { answer } = curator.answer(0, {
    ask: 'mean',
    of: { terms: [{ weight: 1, at }] },
    batch: curator.allRecords,
    mean: clippedMean({ clip: l2Clip({ radius }), mechanism: gaussian({}) }),
    target: { unprotected: true },
  });
  return [...(answer as Float64Array)];
};
/** The same by hand, from data that are attached row by row. */
function byHand(loss: Ref<'loss'>, at: Float64Array, radius: number): number[] {
  const data = attachData({
    features: { data: features, rows, columns, offset: 0, rowStride: columns, columnStride: 1 },
    labels: labelsFor(loss),
    loss,
    registry,
    domain: { featureNorm: 2, iterateNorm: 1 },
    outside: 'clip',
    ledger: openLedger({ adjacency: 'replace-one' }),
  });
  const sum = at.map(() => 0);
  for (let slot = 0; slot < owners.slots; slot++) {
    const own = [...owners.of.keys()].filter((row) => owners.of[row] === slot).slice(0, owners.most);
    const mean = at.map(() => 0);
    for (const row of own) {
      const out = new Float64Array(at.length);
      const {
        data: held,
        offset,
        rowStride,
      } = data.matrix as never as { data: Float64Array; offset: number; rowStride: number };
      const record = {
        features: held.slice(offset + row * rowStride, offset + row * rowStride + columns),
        label: data.labels[row],
      };
      data.loss.plugin.gradientInto(data.loss.params, out, at, record);
      out.forEach((one, j) => (mean[j] += one / own.length));
    }
    const cut = Math.min(1, radius / Math.max(Math.hypot(...mean), 1e-300));
    mean.forEach((one, j) => (sum[j] += (cut * one) / owners.slots));
  }
  return [...sum];
}

describe('data of owners', () => {
  it.each([
    ['logistic', logistic({}), 2],
    ['squared', squared({}), 2],
    ['softmax', softmax({ classes: 3 }), 6],
  ])('are average gradients of each owner, clipped once: %s', (_name, loss, dimension) => {
    const at = Float64Array.from({ length: dimension }, (_, j) => 0.3 * (-1) ** j);
    for (const radius of [10, 0.1])
      expect(meanAt(attach(loss), at, radius)).toEqual(
        byHand(loss, at, radius).map((one) => expect.closeTo(one, 12)),
      );
  });

  it('do not count null rows among those of an owner', () => {
    // One of four rows of owner 2, and the only one of owner 1.
    const nulls = Uint8Array.of(0, 0, 1, 0, 0, 0, 1, 0, 0);
    const kept = [...nulls.keys()].filter((row) => nulls[row] === 0);
    const values = Float64Array.from(kept.flatMap((row) => [...features.subarray(2 * row, 2 * row + 2)]));
    const labels = labelsFor(squared({}));
    const without = attach(squared({}), {
      features: { data: values, rows: kept.length, columns, offset: 0, rowStride: columns, columnStride: 1 },
      labels: Float64Array.from(kept, (row) => labels[row]),
      owners: { ...owners, of: Uint32Array.from(kept, (row) => owners.of[row]) },
    });
    const at = Float64Array.of(0.5, -0.5);
    expect(meanAt(attach(squared({}), { nulls }), at, 10)).toEqual(
      meanAt(without, at, 10).map((one) => expect.closeTo(one, 12)),
    );
  });

  it('move a mean by 2R over the owners, whatever one of them has', () => {
    const at = Float64Array.of(0.5, -0.5);
    const whole = meanAt(attach(squared({})), at, 0.2);
    for (let slot = 0; slot < owners.slots; slot++) {
      const other = features.map((one, k) =>
        owners.of[Math.floor(k / columns)] === slot ? 1e3 * one + 1 : one,
      );
      const moved = meanAt(attach(squared({}), {}, other), at, 0.2);
      expect(Math.hypot(...moved.map((one, j) => one - whole[j]))).toBeLessThanOrEqual(
        (2 * 0.2) / owners.slots + 1e-12,
      );
    }
  });

  it('keep the constants of records, and have slots of owners', () => {
    const data = attach(logistic({}));
    expect(data.slots).toBe(owners.slots);
    expect(data.unit).toBe('owner');
    expect(data.facts).toEqual(logistic.facts({}, { columns, featureNorm: 2, iterateNorm: 1 }));
    expect([...(data.nulls ?? [])]).toEqual([0, 0, 0, 1, 0, 1]);
  });

  it('are planned for as owners', () => {
    const data = attach(logistic({}));
    const prepare = (unit?: 'owner') =>
      dpMu2Sgd.prepare({
        registry,
        budget: { epsilon: 1, delta: 1e-6 },
        calibrate: calibrator(accountants),
        random,
        params: { rounds: 3 },
        problem: {
          adjacency: 'replace-one',
          trust: { model: 'central' },
          dimension: columns,
          slots: [owners.slots],
          domain: l2BallDomain({ radius: 1 }),
          loss: logistic({}),
          capabilities: logistic.capabilities,
          facts: data.facts,
          ...(unit === undefined ? {} : { unit }),
        },
      });
    const curator = (run: string) => centralCurator({ data, registry, run, random: seededRandom('c') });
    const start = new Float64Array(columns);
    expect(driveSync(prepare('owner'), curator('a'), { start, random }).output).toHaveLength(columns);
    expect(() => driveSync(prepare(), curator('b'), { start, random })).toThrow(/protects one owner/u);
  });

  it('are what a ledger is about: it takes neither single records nor other owners, whatever names them', () => {
    const ledger = openLedger({ adjacency: 'replace-one' });
    const shared = { ledger, identity: [Uint8Array.of(1)] };
    attach(squared({}), shared);
    attach(squared({}), shared);
    const view = { data: features, rows, columns, offset: 0, rowStride: columns, columnStride: 1 };
    const records = { features: view, labels: labelsFor(squared({})), loss: squared({}), registry };
    expect(() => attachData({ ...records, ...shared })).toThrow(Corrupt);
    const of = owners.of.toReversed();
    expect(() => attach(squared({}), { ...shared, owners: { ...owners, of } })).toThrow(Corrupt);
  });

  it('are refused with owners beyond the slots, or without one for each row', () => {
    expect(() => attach(squared({}), { owners: { ...owners, slots: 4 } })).toThrow(InvalidData);
    expect(() => attach(squared({}), { owners: { ...owners, of: owners.of.slice(1) } })).toThrow(
      InvalidParameter,
    );
    expect(() => attach(squared({}), { owners: { ...owners, most: 0 } })).toThrow(InvalidParameter);
  });
});
