import { InvalidParameter, meanShape, scaledMean, seededRandom, type MeanShape } from '@lethe/core';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { notPositive, positive, vectorOf } from '../../test/support/arbitraries.js';
import { discreteDistributions, minus, momentOf, norm } from '../../test/support/discrete-distribution.js';
import { automaticClip } from '../clips/automatic-clip.js';
import { coordinateClip } from '../clips/coordinate-clip.js';
import { domainClip } from '../clips/domain-clip.js';
import { l1Clip } from '../clips/l1-clip.js';
import { l2Clip } from '../clips/l2-clip.js';
import { mechanisms } from '../mechanisms.js';
import { laplace } from '../noise/laplace.js';
import { clippedMean } from './clipped-mean.js';
import { gaussian } from '../noise/gaussian.js';

const dimension = 3;
const random = seededRandom('clipped');
const within = (radius: number) => ({ clip: l2Clip({ radius }), mechanism: gaussian({}) });
const shapeOf = (given: Pick<MeanShape, 'dimension' | 'slots'>): MeanShape =>
  meanShape({ ...given, registry: mechanisms });

function meanOf(records: readonly Float64Array[], radius: number, slots = records.length): Float64Array {
  const run = clippedMean.begin(within(radius), shapeOf({ dimension, slots }), random);
  records.forEach((record, slot) => run.add(slot, record));
  return run.value();
}
const records = fc.array(vectorOf(dimension, -2, 2), { minLength: 1, maxLength: 6 });

describe('clippedMean', () => {
  it('averages projections onto the ball over the slots', () => {
    fc.assert(
      fc.property(records, positive(-2, 2), fc.nat({ max: 3 }), (data, radius, empty) => {
        const slots = data.length + empty;
        const value = meanOf(data, radius, slots);
        for (let j = 0; j < dimension; j++) {
          const expected =
            data.reduce((sum, z) => sum + z[j] * Math.min(1, radius / norm(z) || 0), 0) / slots;
          expect(Math.abs(value[j] - expected)).toBeLessThanOrEqual(1e-13 * radius);
        }
      }),
    );
  });

  it('leaves the records it is lent alone, and gives its values away', () => {
    const record = Float64Array.of(3, 4, 0);
    const run = clippedMean.begin(within(1), shapeOf({ dimension, slots: 1 }), random);
    run.add(0, record);
    run.value().fill(99);
    expect(record).toEqual(Float64Array.of(3, 4, 0));
    expect(norm(run.value())).toBeCloseTo(1, 14);
    const noised = Float64Array.of(1, 2, 3);
    expect(run.finish(noised)).toBe(noised);
  });

  it('counts a record with an entry that is not finite as zero', () => {
    fc.assert(
      fc.property(records, fc.nat(), fc.constantFrom(Number.NaN, Infinity), (data, at, bad) => {
        const spoilt = data.map((z, i) => (i === at % data.length ? Float64Array.of(1, bad, 1) : z));
        const nulled = data.map((z, i) => (i === at % data.length ? new Float64Array(dimension) : z));
        expect(meanOf(spoilt, 1)).toEqual(meanOf(nulled, 1));
      }),
    );
  });

  it('changes by at most the declared sensitivity, and by that much at opposite records', () => {
    fc.assert(
      fc.property(
        records,
        fc.nat(),
        vectorOf(dimension, -2, 2),
        positive(-2, 2),
        (data, at, other, radius) => {
          const sensitivity = clippedMean.sensitivity(
            within(radius),
            shapeOf({ dimension, slots: data.length }),
          );
          const changed = (z: Float64Array): number =>
            norm(
              minus(
                meanOf(data, radius),
                meanOf(
                  data.map((old, i) => (i === at % data.length ? z : old)),
                  radius,
                ),
              ),
            );
          expect(changed(other)).toBeLessThanOrEqual(defined(sensitivity['replace-one']) * (1 + 1e-12));
          expect(changed(new Float64Array(dimension))).toBeLessThanOrEqual(
            defined(sensitivity['zero-out']) * (1 + 1e-12),
          );
          expect(sensitivity['replace-one']).toBe(2 * defined(sensitivity['zero-out']));
          expect(sensitivity['add-remove']).toBe(sensitivity['zero-out']);
        },
      ),
    );
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), positive(-2, 2), (slots, radius) => {
        const sensitivity = clippedMean.sensitivity(within(radius), shapeOf({ dimension, slots }));
        const far = Float64Array.of(0, 5 * radius, 0);
        expect(
          norm(minus(meanOf([far], radius, slots), meanOf([far.map((x) => -x)], radius, slots))) /
            defined(sensitivity['replace-one']),
        ).toBeCloseTo(1, 12);
        expect(norm(meanOf([far], radius, slots)) / defined(sensitivity['zero-out'])).toBeCloseTo(1, 12);
      }),
    );
  });

  it('does not depend on the unit of the records', () => {
    fc.assert(
      fc.property(records, positive(-2, 2), fc.integer({ min: -200, max: 200 }), (data, radius, exponent) => {
        const unit = 2 ** exponent;
        expect(
          meanOf(
            data.map((z) => z.map((x) => x * unit)),
            radius * unit,
          ),
        ).toEqual(meanOf(data, radius).map((x) => x * unit));
      }),
    );
  });

  it('has the cost of its Gaussian noise and nothing more', () => {
    const noise = gaussian.event({}, 2, { 'replace-one': 1 });
    expect(clippedMean.event(within(1), noise, shapeOf({ dimension: 1, slots: 1 }))).toBe(noise);
    const params = { clip: l1Clip({ radius: 1 }), mechanism: laplace({}) };
    expect(clippedMean.mechanism(params)).toBe(params.mechanism);
    expect(clippedMean.norm(params, shapeOf({ dimension: 1, slots: 1 }))).toBe('l1');
  });

  it('bounds bias and variance of the mean of two independent records of every finite law', () => {
    fc.assert(
      fc.property(
        discreteDistributions(dimension),
        positive(-2, 2),
        fc.constantFrom(2, 3, 4),
        positive(-3, 1),
        (distribution, radius, order, noiseVariance) => {
          const pairs = distribution.points.flatMap((a, i) =>
            distribution.points.map((b, j) => ({
              value: meanOf([a, b], radius),
              weight: distribution.weights[i] * distribution.weights[j],
            })),
          );
          const average = (f: (value: Float64Array) => number): number =>
            pairs.reduce((sum, { value, weight }) => sum + weight * f(value), 0);
          const centre = Float64Array.from({ length: dimension }, (_, j) => average((value) => value[j]));
          const truth = Float64Array.from({ length: dimension }, (_, j) =>
            distribution.points.reduce((sum, z, i) => sum + distribution.weights[i] * z[j], 0),
          );
          const context = shapeOf({ dimension, slots: 2 });
          const moment = momentOf(distribution, order);
          const largest = Math.max(...distribution.points.map(norm));
          expect(norm(minus(centre, truth))).toBeLessThanOrEqual(
            clippedMean.biasBound(within(radius), context, moment) * (1 + 1e-9) + 1e-13 * largest,
          );
          const variance = average((value) => norm(minus(value, centre)) ** 2) + dimension * noiseVariance;
          expect(variance).toBeLessThanOrEqual(
            clippedMean.varianceBound(within(radius), context, moment, noiseVariance) * (1 + 1e-12),
          );
        },
      ),
    );
  });

  it('attains its variance bound at a symmetric law', () => {
    const bound = clippedMean.varianceBound(
      within(10),
      shapeOf({ dimension, slots: 4 }),
      { order: 2, value: 9 },
      0.5,
    );
    expect(bound).toBeCloseTo(3 * 0.5 + 9 / 4, 12);
  });

  it('is linear where its clip is a factor of the norm, and fused where that is min(1, radius/norm)', () => {
    const linearOf = (clip: Parameters<typeof clippedMean>[0]['clip']) =>
      defined(clippedMean.linear)(
        clippedMean.params.parse({ clip, mechanism: gaussian({}) }),
        shapeOf({ dimension, slots: 2 }),
      );
    expect(linearOf(l2Clip({ radius: 0.5 }))).toMatchObject({ radius: 0.5 });
    expect(defined(linearOf(l2Clip({ radius: 0.5 }))).factor(2)).toBe(0.25);
    expect(linearOf(automaticClip({ radius: 1, stability: 0.5 }))).toMatchObject({ radius: null });
    expect(defined(linearOf(automaticClip({ radius: 1, stability: 0.5 }))).factor(1.5)).toBe(0.5);
    expect(linearOf(l1Clip({ radius: 1 }))).toMatchObject({ norms: ['l1'], radius: null });
    expect(linearOf(coordinateClip({ radius: 1 }))).toBeNull();
  });

  it('has other units where its clip has them', () => {
    const doubled = (clip: Parameters<typeof clippedMean>[0]['clip']) =>
      scaledMean(mechanisms, clippedMean({ clip, mechanism: gaussian({}) }), 2);
    expect(doubled(l2Clip({ radius: 0.5 }))).toEqual(
      clippedMean({ clip: l2Clip({ radius: 1 }), mechanism: gaussian({}) }),
    );
    expect(doubled(automaticClip({ radius: 1, stability: 0.25 }))).toEqual(
      clippedMean({ clip: automaticClip({ radius: 2, stability: 0.5 }), mechanism: gaussian({}) }),
    );
    expect(doubled(domainClip({ domain: { name: 'l2-ball', params: { radius: 1 } }, dimension }))).toBeNull();
  });

  it('refuses what is not a mean', () => {
    fc.assert(
      fc.property(notPositive, (bad) => {
        expect(() => clippedMean(within(bad))).toThrow(InvalidParameter);
        expect(() => clippedMean.sensitivity(within(1), shapeOf({ dimension, slots: bad }))).toThrow(
          InvalidParameter,
        );
        expect(() => clippedMean.begin(within(1), shapeOf({ dimension, slots: bad }), random)).toThrow(
          InvalidParameter,
        );
        expect(() =>
          clippedMean.biasBound(within(1), shapeOf({ dimension, slots: bad }), { order: 2, value: 1 }),
        ).toThrow(InvalidParameter);
      }),
    );
    for (const radius of [5e-324, 1e-281, 1.01e280])
      expect(() => clippedMean.sensitivity(within(radius), shapeOf({ dimension, slots: 1 }))).toThrow(
        /a bound is from 1e-280 to 1e280|1e\+280/u,
      );
    for (const bad of [-1, Number.NaN, Infinity]) {
      expect(() =>
        clippedMean.varianceBound(within(1), shapeOf({ dimension, slots: 1 }), { order: 2, value: 1 }, bad),
      ).toThrow(InvalidParameter);
    }
    expect(() => meanOf([new Float64Array(dimension + 1)], 1)).toThrow(InvalidParameter);
  });
});
