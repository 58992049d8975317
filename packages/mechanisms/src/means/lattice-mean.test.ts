import { assumptionsOf } from '@lethe/accountants';
import { InvalidParameter, meanShape, seededRandom, unprotectedEvent, type PrivacyEvent } from '@lethe/core';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { notPositive, vectorOf } from '../../test/support/arbitraries.js';
import { minus, norm } from '../../test/support/discrete-distribution.js';
import { discreteGaussian } from '../noise/discrete-gaussian.js';
import { discreteLaplace } from '../noise/discrete-laplace.js';
import { l2Clip } from '../clips/l2-clip.js';
import { mechanisms } from '../mechanisms.js';
import { gaussian } from '../noise/gaussian.js';
import { clippedMean } from './clipped-mean.js';
import { laplaceLatticeMean, latticeMean, skellamLatticeMean } from './lattice-mean.js';

const dimension = 3;
const random = seededRandom('no coins are drawn');
const valueOf = (
  mean: typeof latticeMean | typeof clippedMean,
  params: object,
  records: readonly Float64Array[],
) => {
  const run = mean.begin(
    params as never,
    meanShape({ dimension, slots: records.length, registry: mechanisms }),
    random,
  );
  records.forEach((record, slot) => run.add(slot, record));
  return { run, value: run.value() };
};

describe('latticeMean', () => {
  it('is the mean of clipped records, but for rounding to the grid', () => {
    fc.assert(
      fc.property(
        fc.array(vectorOf(dimension, -2, 1), { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 0, max: 20 }),
        (records, bits) => {
          const spacing = 2 ** -bits;
          const { run, value } = valueOf(latticeMean, { radius: 1.5, spacing }, records);
          const answer = run.finish(value);
          const exact = valueOf(
            clippedMean,
            { clip: l2Clip({ radius: 1.5 }), mechanism: gaussian({}) },
            records,
          ).value;
          expect(norm(minus(answer, exact))).toBeLessThanOrEqual(spacing * (Math.sqrt(dimension) + 1));
        },
      ),
    );
  });

  it('sums whole numbers exactly, up to where slots are refused', () => {
    const radius = 2 ** 26;
    const slots = 2 ** 26;
    const params = { radius, spacing: 1 };
    expect(latticeMean.sensitivity(params, meanShape({ dimension, slots }))).toEqual({
      'replace-one': 2 ** 27,
      'add-remove': radius,
      'zero-out': radius,
    });
    expect(() => latticeMean.sensitivity(params, meanShape({ dimension, slots: slots + 1 }))).toThrow(
      InvalidParameter,
    );
    expect(() => latticeMean.begin(params, meanShape({ dimension, slots: slots + 1 }), random)).toThrow(
      InvalidParameter,
    );
    expect(() =>
      laplaceLatticeMean.varianceBound(
        params,
        meanShape({ dimension, slots: slots + 1 }),
        { order: 2, value: 1 },
        0,
      ),
    ).toThrow(InvalidParameter);
    const run = latticeMean.begin(params, meanShape({ dimension, slots }), random);
    for (let slot = 0; slot < 1000; slot++) run.add(slot, Float64Array.of(1e9, 0, slot % 2));
    expect(run.value()[0]).toBe(1000 * radius);
  });

  it('declares the norm of the largest whole-numbered record, never the radius of the rounded one', () => {
    expect(
      defined(
        latticeMean.sensitivity({ radius: 1, spacing: 0.3 }, meanShape({ dimension, slots: 5 }))['zero-out'],
      ) ** 2,
    ).toBeCloseTo(11, 14);
    expect(
      laplaceLatticeMean.sensitivity({ radius: 1, spacing: 0.3 }, meanShape({ dimension, slots: 5 }))[
        'zero-out'
      ],
    ).toBe(3);
  });

  it('takes the bias of nothing but clip and grid, in the unit of the records', () => {
    const moment = { order: 2, value: 1e-6 };
    const bias = latticeMean.biasBound(
      { radius: 10, spacing: 0.01 },
      meanShape({ dimension, slots: 4 }),
      moment,
    );
    expect(bias).toBeGreaterThan(0.01 * (Math.sqrt(3) + 1));
    expect(bias).toBeLessThan(0.01 * (Math.sqrt(3) + 1) + 1e-6);
    // Noise of 3·10⁶ steps on a sum of four: 3/4 on each entry of the mean.
    expect(
      latticeMean.varianceBound(
        { radius: 10, spacing: 1e-6 },
        meanShape({ dimension, slots: 4 }),
        { order: 2, value: 0 },
        9e12,
      ),
    ).toBeCloseTo((3 * 9e12 * 1e-12) / 16, 9);
  });

  it('assumes nothing of its noise', () => {
    for (const [mean, mechanism] of [
      [latticeMean, discreteGaussian],
      [laplaceLatticeMean, discreteLaplace],
    ] as const) {
      expect(mean.integers).toBe(true);
      expect(mean.mechanism({ radius: 1, spacing: 1 }).name).toBe(mechanism.name);
      expect(mean.norm({ radius: 1, spacing: 1 }, meanShape({ dimension: 2, slots: 3 }))).toBe(
        mechanism.norm,
      );
      expect(
        assumptionsOf(
          mean.event(
            { radius: 1, spacing: 1 },
            mechanism.event({}, 1, { 'zero-out': 1 }),
            meanShape({ dimension: 2, slots: 3 }),
          ),
        ),
      ).toEqual([]);
    }
  });

  it('states its grid in the unit of the sensitivity, whatever the number of slots', () => {
    const noise = discreteGaussian.event({}, 2, { 'replace-one': 1, 'zero-out': 0.5 });
    expect(
      latticeMean.event({ radius: 1, spacing: 2 ** -10 }, noise, meanShape({ dimension: 7, slots: 0.5 })),
    ).toEqual({ ...noise, grid: 2 ** -11, entries: 7 });
    expect(
      latticeMean.event(
        { radius: 1, spacing: 2 ** -10 },
        unprotectedEvent,
        meanShape({ dimension: 7, slots: 3 }),
      ),
    ).toBe(unprotectedEvent);
    const skellam: PrivacyEvent = { kind: 'lethe/skellam', v: 1 };
    expect(
      skellamLatticeMean.event(
        { radius: 1, spacing: 2 ** -10 },
        skellam,
        meanShape({ dimension: 7, slots: 3 }),
      ),
    ).toBe(skellam);
  });

  it('refuses what is no grid', () => {
    fc.assert(
      fc.property(notPositive, (bad) => {
        expect(() => latticeMean({ radius: bad, spacing: 1 })).toThrow(InvalidParameter);
        expect(() => latticeMean({ radius: 1, spacing: bad })).toThrow(InvalidParameter);
        expect(() =>
          latticeMean.sensitivity({ radius: 1, spacing: 1 }, meanShape({ dimension, slots: bad })),
        ).toThrow(InvalidParameter);
      }),
    );
    expect(() => latticeMean({ radius: 1, spacing: 2 })).toThrow(/2\^26/u);
    expect(() => laplaceLatticeMean({ radius: 1, spacing: 1e-9 })).toThrow(InvalidParameter);
    expect(() =>
      latticeMean
        .begin({ radius: 1, spacing: 1 }, meanShape({ dimension, slots: 1 }), random)
        .add(0, new Float64Array(2)),
    ).toThrow(InvalidParameter);
  });
});
