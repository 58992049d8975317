import {
  defineLinearLoss,
  driveSync,
  InvalidParameter,
  seededRandom,
  type Adjacency,
  type Program,
  type Batch,
  type PrivacyEvent,
  type Run,
  type Vector,
} from '@lethe/core';
import { attachData, centralCurator, openLedger } from '@lethe/curator';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { notPositive, positive } from '../../test/support/arbitraries.js';
import { gaussian } from '../noise/gaussian.js';
import { adaptThreshold, nextThreshold } from './adaptive-threshold.js';
import { noiseSplit } from './noise-split.js';
import { privateQuantile } from './private-quantile.js';

/** f(w; x) = ⟨w, x⟩: the gradient of a record is the record. */
const inner = defineLinearLoss({
  name: 'inner',
  summary: '',
  source: { id: 'textbook', item: '' },
  params: z.strictObject({}),
  claims: [],
  capabilities: { convex: true, linear: true, nullRecord: true },
  linear: { value: (_params, margin) => margin, slope: () => 1 },
  facts: () => ({}),
  labels: { rule: 'any', accepts: () => true },
});
const records = 1000;
/** Records of norms 1, 1.01, 1.02, … in two coordinates. */
const norms = Array.from({ length: records }, (_, i) => 1.01 ** i);
const features = Float64Array.from(norms.flatMap((size) => [0.6 * size, -0.8 * size]));

/** Runs a computation against a curator of these records; gives what it returns and what it cost. */
function run<R>(
  steps: (allRecords: Batch, start: Vector) => Program<R>,
  adjacency: Adjacency = 'replace-one',
  nulls?: Uint8Array,
): { readonly result: R; readonly spent: PrivacyEvent } {
  const registry = [gaussian, inner];
  const data = attachData({
    features: { data: features.slice(), rows: records, columns: 2, offset: 0, rowStride: 2, columnStride: 1 },
    loss: inner({}),
    registry,
    ledger: openLedger({ adjacency }),
    ...(nulls === undefined ? {} : { nulls }),
  });
  const curator = centralCurator({
    data,
    registry,
    run: 'test',
    random: seededRandom('secret'),
    ...(adjacency === 'add-remove' ? { publicSlots: records } : {}),
  });
  let result: R | undefined;
  const asking = {
    name: 'test',
    problem: {},
    plan: {},
    *steps({ allRecords, start }: { allRecords: Batch; start: Vector }) {
      result = yield* steps(allRecords, start);
      return start;
    },
  };
  driveSync(asking as unknown as Run, curator, {
    start: new Float64Array(2),
    random: seededRandom('public'),
  });
  return { result: defined(result), spent: data.ledger.spentBy('test') };
}
const noise = (noiseMultiplier: number) => ({ mechanism: gaussian({}), target: { noiseMultiplier } });
const quantileOf = (quantile: number): number => norms[Math.ceil(quantile * records) - 1];

describe('nextThreshold', () => {
  it('is threshold · exp(−rate · (fraction − quantile)), with the rate 0.2 of the paper', () => {
    expect(nextThreshold({ threshold: 0.1, fraction: 1, quantile: 0.5 })).toBeCloseTo(
      0.1 * Math.exp(-0.1),
      15,
    );
    expect(nextThreshold({ threshold: 2, fraction: -0.3, quantile: 0.2, learningRate: 2 })).toBeCloseTo(
      2 * Math.E,
      14,
    );
    fc.assert(
      fc.property(
        positive(),
        fc.integer({ min: -20, max: 30 }),
        fc.integer({ min: 0, max: 10 }),
        positive(-2, 0),
        (threshold, tenths, quantile, learningRate) => {
          const next = nextThreshold({
            threshold,
            fraction: tenths / 10,
            quantile: quantile / 10,
            learningRate,
          });
          expect(Math.sign(next - threshold)).toBe(Math.sign(quantile - tenths));
          expect(Math.log(next / threshold)).toBeCloseTo(learningRate * ((quantile - tenths) / 10), 9);
        },
      ),
    );
  });

  it('stays a threshold whatever the noise says', () => {
    for (const fraction of [1e300, -1e300]) {
      const next = nextThreshold({ threshold: 1, fraction, quantile: 0.5 });
      expect(next).toBeGreaterThan(0);
      expect(next).toBeLessThanOrEqual(1e280);
    }
  });

  it('refuses numbers out of their ranges', () => {
    const good = { threshold: 1, fraction: 0.5, quantile: 0.5, learningRate: 0.2 };
    fc.assert(
      fc.property(notPositive, (bad) => {
        expect(() => nextThreshold({ ...good, threshold: bad })).toThrow(InvalidParameter);
        expect(() => nextThreshold({ ...good, learningRate: bad })).toThrow(InvalidParameter);
      }),
    );
    for (const quantile of [-0.01, 1.01, NaN])
      expect(() => nextThreshold({ ...good, quantile })).toThrow(InvalidParameter);
    for (const fraction of [NaN, Infinity])
      expect(() => nextThreshold({ ...good, fraction })).toThrow(InvalidParameter);
  });
});

describe('noiseSplit', () => {
  it('leaves gradients what the count does not cost', () => {
    // z = 1 and σ_b = 10 on a centred count of sensitivity ½: (1 − 1/400)^(−1/2).
    expect(noiseSplit({ noiseMultiplier: 1, countMultiplier: 20 })).toBeCloseTo(1.0012523486435176, 14);
    expect(noiseSplit({ noiseMultiplier: 3, countMultiplier: 5 })).toBeCloseTo(3.75, 14);
    fc.assert(
      fc.property(positive(-3, 3), positive(0, 3), (noiseMultiplier, more) => {
        const countMultiplier = noiseMultiplier * (1 + more);
        const gradient = noiseSplit({ noiseMultiplier, countMultiplier });
        const together = (noiseMultiplier / gradient) ** 2 + (noiseMultiplier / countMultiplier) ** 2;
        expect(Math.abs(together - 1)).toBeLessThanOrEqual(1e-14);
        expect(gradient).toBeGreaterThan(noiseMultiplier);
      }),
    );
  });

  it('refuses noise that is none, and a count that costs everything', () => {
    fc.assert(
      fc.property(notPositive, (bad) => {
        expect(() => noiseSplit({ noiseMultiplier: bad, countMultiplier: 5 })).toThrow(InvalidParameter);
        expect(() => noiseSplit({ noiseMultiplier: 1, countMultiplier: bad })).toThrow(InvalidParameter);
      }),
    );
    for (const countMultiplier of [1, 0.5])
      expect(() => noiseSplit({ noiseMultiplier: 1, countMultiplier })).toThrow(InvalidParameter);
  });
});

describe('adaptThreshold', () => {
  it('asks once for each round and pays one release of one record for it', () => {
    const one = {
      kind: 'core/gaussian',
      v: 1,
      sigma: 25,
      sensitivity: { 'replace-one': 1, 'add-remove': 1, 'zero-out': 1 },
    };
    expect(
      run((batch, at) => adaptThreshold({ at, batch, threshold: 1, quantile: 0.5, noise: noise(25) })).spent,
    ).toEqual(one);
    expect(
      run((batch, at) =>
        adaptThreshold({ at, batch, threshold: 1, quantile: 0.5, noise: noise(25), rounds: 3 }),
      ).spent,
    ).toMatchObject({ parts: [{ event: one, count: 3 }] });
  });

  it.each(['replace-one', 'zero-out', 'add-remove'] as const)(
    'follows the count of norms under %s',
    (adjacency) => {
      // 250 of 1 000 records have a norm of at most 1.01^249.
      const { threshold, fraction } = run(
        (batch, at) =>
          adaptThreshold({
            at,
            batch,
            threshold: norms[249] * 1.001,
            quantile: 0.5,
            learningRate: 1,
            noise: noise(1e-6),
          }),
        adjacency,
      ).result;
      expect(fraction).toBeCloseTo(0.25, 6);
      expect(threshold).toBeCloseTo(norms[249] * 1.001 * Math.exp(0.25), 4);
    },
  );

  it('counts null records as within', () => {
    const { fraction } = run(
      (batch, at) => adaptThreshold({ at, batch, threshold: 0.5, quantile: 0.5, noise: noise(1e-6) }),
      'zero-out',
      Uint8Array.from(norms, (_, i) => Number(i < 100)),
    ).result;
    expect(fraction).toBeCloseTo(0.1, 6);
  });

  it('comes to the quantile from afar, with noise', () => {
    for (const quantile of [0.2, 0.5, 0.9])
      for (const threshold of [1e-4, 1e7]) {
        const { result } = run((batch, at) =>
          adaptThreshold({ at, batch, threshold, quantile, learningRate: 1, noise: noise(20), rounds: 150 }),
        );
        // Noise has deviation 0.02 in the share, and 10 records lie within a factor 1.1.
        expect(Math.abs(Math.log(result.threshold / quantileOf(quantile)))).toBeLessThan(1.5);
      }
  });

  it('refuses bad numbers before anything is asked', () => {
    const batch = {} as Batch;
    const at = new Float64Array(1);
    for (const bad of [
      { rounds: 0 },
      { rounds: 1.5 },
      { threshold: 0 },
      { quantile: 2 },
      { learningRate: NaN },
    ]) {
      expect(() =>
        adaptThreshold({ at, batch, threshold: 1, quantile: 0.5, noise: noise(1), ...bad }).next(),
      ).toThrow(InvalidParameter);
    }
  });
});

describe('privateQuantile', () => {
  it('brackets the quantile to the ratio it says, and pays for each step', () => {
    for (const quantile of [0.0015, 0.2505, 0.5005, 0.9995]) {
      const {
        result: { lower, upper },
        spent,
      } = run((batch, at) =>
        privateQuantile({ at, batch, quantile, lower: 0.5, upper: 1e6, steps: 12, noise: noise(1e-6) }),
      );
      expect(upper / lower).toBeCloseTo(2e6 ** (2 ** -12), 9);
      expect(norms.filter((size) => size <= upper).length / records).toBeGreaterThanOrEqual(quantile - 1e-9);
      expect(norms.filter((size) => size <= lower).length / records).toBeLessThan(quantile);
      expect(spent).toMatchObject({ parts: [{ count: 12 }] });
    }
  });

  it('is as wrong as its noise: shares at both ends are within the largest of it', () => {
    const {
      result: { lower, upper },
    } = run((batch, at) =>
      privateQuantile({ at, batch, quantile: 0.5, lower: 1e-3, upper: 1e7, steps: 10, noise: noise(10) }),
    );
    // Deviation 0.01; seven of them are passed with probability 1e-11.
    expect(norms.filter((size) => size <= upper).length / records).toBeGreaterThan(0.43);
    expect(norms.filter((size) => size <= lower).length / records).toBeLessThan(0.57);
  });

  it('stays within its ends when the quantile lies beyond them', () => {
    const { result } = run((batch, at) =>
      privateQuantile({ at, batch, quantile: 0.5, lower: 1, upper: 2, steps: 8, noise: noise(1e-6) }),
    );
    expect(result.upper).toBe(2);
    expect(result.lower).toBeGreaterThan(1.99);
  });

  it('refuses bad numbers before anything is asked', () => {
    const good = {
      at: new Float64Array(1),
      batch: {} as Batch,
      quantile: 0.5,
      lower: 1,
      upper: 2,
      steps: 3,
      noise: noise(1),
    };
    for (const bad of [
      { steps: 0 },
      { steps: 0.5 },
      { quantile: -1 },
      { lower: 0 },
      { lower: 2 },
      { upper: Infinity },
      { upper: NaN },
      { lower: NaN },
    ]) {
      expect(() => privateQuantile({ ...good, ...bad }).next()).toThrow(InvalidParameter);
    }
  });
});
