import {
  InvalidParameter,
  meanShape,
  seededRandom,
  unprotectedEvent,
  Unsupported,
  type MeanRun,
  type Vector,
} from '@lethe/core';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { notPositive, vectorOf } from '../../test/support/arbitraries.js';
import { norm } from '../../test/support/discrete-distribution.js';
import { classicalGaussian } from '../noise/classical-gaussian.js';
import { gaussianL1Recovery } from './gaussian-l1-recovery.js';
import { l1RecoveryOrProjection, l1RecoveryPlan } from './l1-recovery-plan.js';
import { keepLargestEntries } from './largest-entries.js';
import { measurementsWithin, sensingNormWithin } from './restricted-isometry.js';

const certified = { mode: 'certified', radius: 1, sparsity: 2, measurements: 4, failure: 1e-3 } as const;
const verified = { mode: 'verified', radius: 1, sparsity: 2, measurements: 4 } as const;
type Params = Parameters<typeof gaussianL1Recovery.begin>[0];
const begin = (params: Params, dimension = 9, slots = 1, seed: string | number = 'run'): MeanRun =>
  gaussianL1Recovery.begin(params, meanShape({ dimension, slots }), seededRandom(seed));
const measured = (params: Params, record: Vector, seed?: string | number): Vector => {
  const run = begin(params, record.length, 1, seed);
  run.add(0, record);
  return run.value();
};

describe('gaussianL1Recovery', () => {
  it('recovers a sparse mean exactly without noise, from fewer measurements than dimensions', () => {
    const dimension = 120;
    const truth = new Float64Array(dimension);
    const params = { ...certified, sparsity: 4, measurements: 40, radius: 5 };
    truth.set([1, -2, 0.5], 17);
    for (const by of [1, -1]) {
      const run = begin(params, dimension, 2);
      run.add(0, truth);
      run.add(
        1,
        truth.map((x) => 0.5 * by * x),
      );
      const value = run.value();
      expect(value).toHaveLength(40);
      run.finish(value).forEach((x, j) => expect(Math.abs(x - (truth[j] * (2 + by)) / 4)).toBeLessThan(1e-9));
    }
  });

  it('has unit columns on average when certified, and at most unit norm on sparse vectors when verified', () => {
    fc.assert(
      fc.property(vectorOf(9, -2, 2), fc.nat(), (z, seed) => {
        expect(norm(measured(verified, z, seed))).toBeLessThanOrEqual(1 + 1e-12);
        // The same matrix up to a factor.
        const [a, b] = [measured(certified, z, seed), measured(verified, z, seed)];
        const factor = norm(b) / (norm(a) || 1);
        b.forEach((x, i) => expect(Math.abs(x - factor * a[i])).toBeLessThan(1e-12));
      }),
    );
    const draws = 400;
    const column = Float64Array.of(1, 0, 0, 0, 0, 0, 0, 0, 0);
    const square =
      Array.from({ length: draws }, (_, seed) => norm(measured(certified, column, seed)) ** 2).reduce(
        (sum, x) => sum + x,
        0,
      ) / draws;
    // A mean of 1600 squared Gaussians over 4: standard deviation 0.035.
    expect(Math.abs(square - 1)).toBeLessThan(0.25);
  });

  it('holds every record to its largest entries and the radius, sparse or not', () => {
    fc.assert(
      fc.property(vectorOf(9, -2, 3), fc.nat({ max: 9 }), (z, seed) => {
        const order = [...z.keys()].toSorted((i, j) => Math.abs(z[j]) - Math.abs(z[i]) || i - j);
        const kept = z.map((x, j) => (order.indexOf(j) < 2 ? x : 0));
        const by = Math.min(1, 1 / norm(kept) || 1);
        const expected = measured(
          certified,
          kept.map((x) => x * by),
          seed,
        );
        measured(certified, z, seed).forEach((x, i) => expect(Math.abs(x - expected[i])).toBeLessThan(1e-12));
      }),
    );
  });

  it('answers zero, not a shorter vector, when what is recovered is too long for a mean', () => {
    const run = begin(certified);
    const huge = Float64Array.of(1, -2, 3, 1);
    expect(norm(run.finish(huge.map((x) => x / 100)))).toBeGreaterThan(0);
    expect(run.finish(huge.map((x) => x * 100))).toEqual(new Float64Array(9));
    fc.assert(
      fc.property(fc.integer({ min: -20, max: 300 }), (exponent) => {
        const answer = run.finish(huge.map((x) => x * 10 ** exponent));
        expect(norm(answer)).toBeLessThanOrEqual(2 * (1 + 1e-12));
      }),
    );
  });

  it('draws a matrix of its own for every release, whatever the records are', () => {
    const record = Float64Array.of(1, 0, 0, 0, 0, 0, 0, 0, 0);
    expect(measured(certified, record, 1)).toEqual(measured(certified, record, 1));
    expect(measured(certified, record, 1)).not.toEqual(measured(certified, record, 2));
  });

  it('can fail only where it says so, and declares the norm it relies on', () => {
    expect(
      gaussianL1Recovery.event(certified, unprotectedEvent, meanShape({ dimension: 9, slots: 10 })),
    ).toEqual({ kind: 'core/failing', v: 1, delta: 1e-3, event: unprotectedEvent });
    expect(gaussianL1Recovery.event(verified, unprotectedEvent, meanShape({ dimension: 9, slots: 10 }))).toBe(
      unprotectedEvent,
    );
    const context = meanShape({ dimension: 9, slots: 10 });
    const kappa = sensingNormWithin({ measurements: 4, dimension: 9, sparsity: 2 }, 1e-3);
    expect(
      defined(gaussianL1Recovery.sensitivity(certified, context)['replace-one']) / ((2 * kappa) / 10),
    ).toBeCloseTo(1, 14);
    expect(gaussianL1Recovery.sensitivity(verified, context)).toEqual({
      'replace-one': 0.2,
      'add-remove': 0.1,
      'zero-out': 0.1,
    });
    // With κ = 3/2, and δ/2 for the noise, this is the variance that the paper prints.
    const [slots, delta] = [1000, 1e-6];
    const sensitivity = defined(
      gaussianL1Recovery.sensitivity(certified, meanShape({ dimension: 9, slots }))['replace-one'],
    );
    expect(((sensitivity * 1.5) / kappa) ** 2 * 2 * Math.log(1.25 / (delta / 2))).toBeCloseTo(
      (18 * Math.log(2.5 / delta)) / slots ** 2,
      14,
    );
  });

  it('refuses measurements that save nothing or do not fit, and modes that are not offered', () => {
    expect(() => gaussianL1Recovery.sensitivity(certified, meanShape({ dimension: 4, slots: 1 }))).toThrow(
      InvalidParameter,
    );
    expect(() => begin(certified, 3)).toThrow(InvalidParameter);
    expect(() =>
      gaussianL1Recovery.sensitivity(
        { ...certified, measurements: 2 ** 14 },
        meanShape({ dimension: 2 ** 14, slots: 1 }),
      ),
    ).toThrow(InvalidParameter);
    expect(() =>
      gaussianL1Recovery.sensitivity(
        { ...certified, measurements: 2 ** 13 },
        meanShape({ dimension: 2 ** 20, slots: 1 }),
      ),
    ).toThrow(Unsupported);
    expect(() => gaussianL1Recovery({ ...certified, mode: 'printed' } as never)).toThrow(InvalidParameter);
    expect(() => gaussianL1Recovery({ ...verified, failure: 0.1 } as never)).toThrow(InvalidParameter);
    fc.assert(
      fc.property(
        notPositive,
        fc.constantFrom('radius', 'sparsity', 'measurements', 'failure'),
        (bad, name) => {
          expect(() => gaussianL1Recovery({ ...certified, [name]: bad })).toThrow(InvalidParameter);
        },
      ),
    );
    expect(() => gaussianL1Recovery({ ...certified, failure: 1 })).toThrow(InvalidParameter);
  });
});

describe('gaussianL1Recovery as printed', () => {
  const [slots, delta] = [1000, 1e-6];
  const setting = { dimension: 10_000, sparsity: 5, norm: 1.5 };
  const needed = measurementsWithin(setting, delta / 2);
  const literal = {
    mode: 'literal',
    radius: 2,
    sparsity: 5,
    measurements: needed,
    failure: delta / 2,
  } as const;
  const shape = meanShape({ dimension: 10_000, slots });

  it('has the printed noise where its norm is proved', () => {
    const sensitivity = defined(gaussianL1Recovery.sensitivity(literal, shape)['replace-one']);
    const { name, params: none } = gaussianL1Recovery.mechanism(literal);
    expect([name, none]).toEqual(['classical-gaussian', {}]);
    const sigma = sensitivity * classicalGaussian.multiplierFor({}, { epsilon: 0.5, delta: literal.failure });
    expect(sigma ** 2 / ((18 * 4 * Math.log(2.5 / delta)) / (slots * 0.5) ** 2)).toBeCloseTo(1, 12);
    expect(gaussianL1Recovery.event(literal, unprotectedEvent, shape)).toEqual({
      kind: 'core/failing',
      v: 1,
      delta: delta / 2,
      event: unprotectedEvent,
    });
    // The certified noise is no larger, and what the paper asks for holds.
    const certifiedHere = { ...literal, mode: 'certified' } as const;
    expect(gaussianL1Recovery.sensitivity(certifiedHere, shape)['replace-one']).toBeLessThanOrEqual(
      sensitivity,
    );
    expect(6 * Math.exp(-needed / 8)).toBeLessThanOrEqual(delta);
    expect(needed / (5 * Math.log(2000))).toBeGreaterThanOrEqual(2);
  });

  it('is refused below that, with the numbers and the fix', () => {
    const few = { ...literal, measurements: needed - 1 };
    expect(() => gaussianL1Recovery.sensitivity(few, shape)).toThrow(Unsupported);
    expect(() => gaussianL1Recovery.begin(few, shape, seededRandom('few'))).toThrow(Unsupported);
    expect(() => gaussianL1Recovery.sensitivity(few, shape)).toThrow(
      new RegExp(`6·exp.* is .* delta = 0.000001.*K is .*at least 2.*Give ${needed} measurements`, 'u'),
    );
    // A unit batch of Algorithm 3, where a single row has norm 17 on sparse vectors.
    expect(() => gaussianL1Recovery.sensitivity({ ...literal, measurements: 1 }, shape)).toThrow(
      /at least 2/u,
    );
    expect(() =>
      gaussianL1Recovery.sensitivity(
        { ...literal, sparsity: 1, measurements: 2 },
        meanShape({ dimension: 3, slots }),
      ),
    ).toThrow(/is the dimension, 3, or more/u);
  });
});

describe('keepLargestEntries', () => {
  it('keeps as many as it should, ties by index', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -5, max: 5 }), { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 1, max: 41 }),
        (entries, count) => {
          const vector = Float64Array.from(entries);
          const kept = new Set(
            [...vector.keys()]
              .toSorted((i, j) => Math.abs(vector[j]) - Math.abs(vector[i]) || i - j)
              .slice(0, count),
          );
          const expected = vector.map((x, j) => (kept.has(j) ? x : 0));
          keepLargestEntries(vector, count);
          expect(Array.from(vector, (x) => x + 0)).toEqual(Array.from(expected, (x) => x + 0));
        },
      ),
    );
  });

  it('takes a vector made so that every middle entry is the least that is left', () => {
    const length = 2000;
    const vector = new Float64Array(length);
    const places = Uint32Array.from(vector, (_, i) => i);
    for (let i = 0; i < length; i++) {
      const middle = i + ((length - 1 - i) >> 1);
      vector[places[middle]] = i + 1;
      [places[middle], places[i]] = [places[i], places[middle]];
    }
    for (const count of [1, 10, 1000, 1999]) {
      const kept = vector.slice();
      keepLargestEntries(kept, count);
      expect(kept).toEqual(vector.map((x) => (x > length - count ? x : 0)));
    }
  });
});

describe('l1RecoveryPlan', () => {
  const setting = { slots: 1000, dimension: 10_000, sparsity: 5, epsilon: 1, delta: 1e-6 };

  it('has the numbers of the specification', () => {
    const plan = l1RecoveryPlan(setting);
    expect(plan.exact).toBeCloseTo(1658.5711711349575, 9);
    expect(plan.spread).toBeCloseTo(43.64142757950556, 11);
    expect(plan).toMatchObject({ measurements: 1659, branch: 'gaussian' });
    expect(l1RecoveryPlan({ ...setting, sparsity: setting.dimension })).toEqual({
      exact: 0,
      measurements: 1,
      spread: Infinity,
      branch: 'gaussian',
    });
    const call = { dimension: 1e6, sparsity: 10, epsilon: 1 / 32, delta: 1e-9 / 16 };
    expect(l1RecoveryPlan({ ...call, slots: 2 ** 14 }).exact).toBeCloseTo(1133.358, 3);
    expect(l1RecoveryPlan({ ...call, slots: 2 ** 17 }).exact).toBeCloseTo(9066.865, 3);
    expect(l1RecoveryPlan({ ...call, slots: 1 }).exact).toBeCloseTo(0.069, 3);
  });

  it('takes measurements only where they are few against the dimension', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5000 }),
        fc.integer({ min: 1, max: 20_000 }),
        fc.integer({ min: 1, max: 30 }),
        (slots, dimension, s) => {
          const { branch, exact, measurements, spread } = l1RecoveryPlan({
            ...setting,
            slots,
            dimension,
            sparsity: Math.min(s, dimension),
          });
          if (branch === 'recovery') expect(measurements).toBeLessThan(dimension);
          else
            expect(
              dimension < exact * Math.log(exact) ** 2 || dimension <= measurements || 2 * s > dimension,
            ).toBe(true);
          if (s < dimension)
            expect((spread * Math.min(s, dimension) * Math.log(dimension / s)) / exact).toBeCloseTo(1, 12);
        },
      ),
    );
    const branches = (change: object, name: string, values: readonly number[]) =>
      values.map((value) => l1RecoveryPlan({ ...setting, ...change, [name]: value }).branch);
    // m ln m is below 15 000 at both, m ln²m is 103 000 and 113 000.
    expect(branches({}, 'dimension', [50_000, 200_000])).toEqual(['gaussian', 'recovery']);
    expect(branches({ slots: 1, dimension: 100 }, 'sparsity', [50, 51])).toEqual(['recovery', 'gaussian']);
    // Two measurements in two dimensions and in three.
    expect(branches({ slots: 6, sparsity: 1 }, 'dimension', [2, 3])).toEqual(['gaussian', 'recovery']);
    // One measurement in one dimension: m ln²m is 0.
    expect(l1RecoveryPlan({ ...setting, slots: 1, dimension: 1, sparsity: 1 }).branch).toBe('gaussian');
  });

  it('uses the projection unless the published preconditions hold', () => {
    const chosen = (change: Partial<Parameters<typeof l1RecoveryOrProjection>[0]>): string =>
      l1RecoveryOrProjection({ ...setting, radius: 2, ...change }).mean.name;
    expect(chosen({})).toBe('clipped');
    expect(chosen({ slots: 1, dimension: 1e6 })).toBe('projection');
    expect(chosen({ slots: 200, dimension: 1e5 })).toBe('gaussian-l1-recovery');
    // The matrix would not fit.
    expect(chosen({ slots: 200, dimension: 1e6 })).toBe('projection');
    // 6 e^(−m rate) is too large.
    expect(chosen({ slots: 200, dimension: 1e5, rate: 1e-3 })).toBe('projection');
    const { mean, delta } = l1RecoveryOrProjection({ ...setting, radius: 2, slots: 200, dimension: 1e5 });
    expect(delta).toBe(5e-7);
    expect(mean.params).toMatchObject({ mode: 'certified', radius: 2, sparsity: 5, failure: 5e-7 });
    expect(l1RecoveryOrProjection({ ...setting, radius: 2 }).delta).toBe(1e-6);
    expect(l1RecoveryOrProjection({ ...setting, radius: 2, slots: 1, dimension: 1e6 }).delta).toBe(1e-6);
    const at = { slots: 200, dimension: 1e5 } as const;
    const { exact } = l1RecoveryPlan({ ...setting, ...at });
    // e^(−m rate) is δ/3 and δ/7.
    for (const [times, name] of [
      [3, 'projection'],
      [7, 'gaussian-l1-recovery'],
    ] as const)
      expect(chosen({ ...at, rate: Math.log(times / setting.delta) / exact })).toBe(name);
    // K is 1.7 and 2.1.
    expect(chosen({ ...at, slots: 60, sparsity: 10 })).toBe('projection');
    expect(chosen({ ...at, slots: 75, sparsity: 10 })).toBe('gaussian-l1-recovery');
    // As printed: only where its norm is proved, with a constant that asks for enough measurements.
    expect(chosen({ slots: 200, dimension: 1e5, mode: 'literal' })).toBe('projection');
    const enough = { ...setting, radius: 2, slots: 200, dimension: 1e5, constant: 2.1 } as const;
    const needed = measurementsWithin({ norm: 1.5, dimension: 1e5, sparsity: 5 }, setting.delta / 2);
    for (const [fewer, name] of [
      [0, 'gaussian-l1-recovery'],
      [1, 'projection'],
    ] as const)
      expect(chosen({ ...at, mode: 'literal', constant: (needed - fewer - 0.5) / exact })).toBe(name);
    expect(l1RecoveryOrProjection({ ...enough, mode: 'literal' }).mean).toMatchObject({
      name: 'gaussian-l1-recovery',
      params: { mode: 'literal', failure: 5e-7 },
    });
  });

  it('refuses what is no setting', () => {
    for (const bad of [0, -1, 0.5, Number.NaN, Infinity])
      for (const name of ['slots', 'dimension', 'sparsity'])
        expect(() => l1RecoveryPlan({ ...setting, [name]: bad })).toThrow(InvalidParameter);
    for (const bad of [0, -1, 1.5, Number.NaN])
      expect(() => l1RecoveryPlan({ ...setting, epsilon: bad })).toThrow(InvalidParameter);
    for (const bad of [0, 1, -1, Number.NaN])
      expect(() => l1RecoveryPlan({ ...setting, delta: bad })).toThrow(InvalidParameter);
    fc.assert(
      fc.property(notPositive, (bad) => {
        expect(() => l1RecoveryPlan({ ...setting, constant: bad })).toThrow(InvalidParameter);
        expect(() => l1RecoveryOrProjection({ ...setting, radius: 1, rate: bad })).toThrow(InvalidParameter);
      }),
    );
    expect(() => l1RecoveryPlan({ ...setting, sparsity: 10_001 })).toThrow(InvalidParameter);
  });
});
