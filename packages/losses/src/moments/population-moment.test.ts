import { InvalidParameter, seededRandom, Unsupported, type Loss, type Resolved } from '@lethe/core';
import { defined, logGamma } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { absolute } from '../absolute.js';
import { drawInto, law, momentsOf, type DistributionSpec } from '../data/distribution.js';
import { squaredGradientMoment } from '../gradient-moments.js';
import { hinge } from '../hinge.js';
import { huber } from '../huber.js';
import { linear } from '../linear.js';
import { squared } from '../squared.js';
import { squaredDistance } from '../squared-distance.js';
import { discreteMoments } from './discrete-distribution.js';
import { logSumOf, magnitudeOf, type FeatureDistributionSpec } from './magnitude.js';
import { gradientMomentOf, type RegressionPopulation } from './population-moment.js';

const of = (plugin: Loss, params: object = {}): Resolved<Loss> => ({
  plugin,
  params: plugin.params.parse(params),
});
const normal = { law: 'gaussian', scale: 1 } as const;
const gamma = (x: number): number => Math.exp(logGamma(x));
const moment = (spec: FeatureDistributionSpec, columns: number, p: number): number => {
  const size = magnitudeOf(spec, columns, p);
  return size === null
    ? Infinity
    : Math.exp(logSumOf(size.logWeights.map((weight, i) => weight + (p === 0 ? 0 : p * size.logs[i]))));
};

describe('the law of a size', () => {
  const powers = fc.oneof(
    fc.integer({ min: 1, max: 16 }),
    fc.integer({ min: 1, max: 64 }).map((p) => p / 4),
  );
  const scale = fc.integer({ min: -3, max: 3 }).map((e) => 10 ** e);

  it('has the moments of a chi, of a root of F and of a log-normal, in closed form', () => {
    fc.assert(
      fc.property(
        powers,
        scale,
        fc.constantFrom(1, 2, 3, 10, 200),
        fc.integer({ min: 1, max: 30 }),
        (p, s, d, extra) => {
          const chi = 2 ** (p / 2) * Math.exp(logGamma((d + p) / 2) - logGamma(d / 2));
          expect(moment({ law: 'gaussian', scale: s }, d, p) / (s ** p * chi)).toBeCloseTo(1, 10);
          const nu = p + extra / 4;
          const tail = Math.exp((p / 2) * Math.log(nu / 2) + logGamma((nu - p) / 2) - logGamma(nu / 2));
          expect(
            moment({ law: 'multivariate-t', degreesOfFreedom: nu, scale: s }, d, p) / (s ** p * chi * tail),
          ).toBeCloseTo(1, 10);
          expect(moment({ law: 'student-t', degreesOfFreedom: nu, scale: s }, 1, p)).toBe(
            moment({ law: 'multivariate-t', degreesOfFreedom: nu, scale: s }, 1, p),
          );
          const sigma = Math.min(2, 20 / p);
          expect(
            moment({ law: 'log-normal', sigma, scale: s, centred: false }, 1, p) /
              (s ** p * Math.exp((p * sigma) ** 2 / 2)),
          ).toBeCloseTo(1, 9);
          expect(
            moment({ law: 'pareto', tail: nu, scale: s, signed: true }, 1, p) / ((s ** p * nu) / (nu - p)),
          ).toBeCloseTo(1, 9);
          expect(
            moment({ law: 'two-point', probability: 0.25, scale: s, signed: true }, 1, p) / (s ** p / 4),
          ).toBeCloseTo(1, 12);
        },
      ),
      { numRuns: 30 },
    );
  });

  it('agrees with the moments that laws state of themselves', () => {
    for (const spec of [
      { law: 'gaussian', scale: 2 },
      { law: 'log-normal', sigma: 0.7, scale: 2 },
      { law: 'log-normal', sigma: 1.5 },
      { law: 'student-t', degreesOfFreedom: 5 },
      { law: 'truncated-normal', bound: 0.5, scale: 3 },
      { law: 'truncated-normal', bound: 3 },
      { law: 'truncated-normal', bound: 1e10 },
      { law: 'pareto', tail: 4.5 },
      { law: 'two-point', probability: 0.1 },
    ] satisfies DistributionSpec[]) {
      const parsed = law.parse(spec);
      const { second, fourth } = momentsOf(parsed);
      expect([moment(parsed, 1, 2) / second, moment(parsed, 1, 4) / fourth]).toEqual([
        expect.closeTo(1, 9),
        expect.closeTo(1, 9),
      ]);
    }
  });

  it('has no moments beyond the tail, and says where it cannot tell', () => {
    expect(magnitudeOf({ law: 'student-t', degreesOfFreedom: 4, scale: 1 }, 1, 4)).toBeNull();
    expect(magnitudeOf({ law: 'pareto', tail: 3, scale: 1, signed: true }, 1, 3.5)).toBeNull();
    expect(() => magnitudeOf({ law: 'student-t', degreesOfFreedom: 4, scale: 1 }, 1, 3.99)).toThrow(
      Unsupported,
    );
    expect(() => magnitudeOf({ law: 'student-t', degreesOfFreedom: 4, scale: 1 }, 2, 2)).toThrow(Unsupported);
    for (const columns of [0, 1.5]) expect(() => magnitudeOf(normal, columns, 2)).toThrow(InvalidParameter);
  });
});

describe('gradientMomentOf', () => {
  it('is what Example 1 comes to: independent normals, labels beside one feature', () => {
    const at = (order: number): number =>
      gradientMomentOf(
        of(squared),
        {
          features: { law: 'truncated-normal', bound: 1e10 },
          residual: { law: 'truncated-normal', bound: 1e10 },
        },
        { order, distance: 1 },
      ).uniform;
    expect(at(2)).toBeCloseTo(2.5586, 4);
    expect(at(4)).toBeCloseTo(4.3768, 4);
    expect(at(8)).toBeCloseTo(7.9627, 4);
    expect(at(2)).toBeCloseTo(Math.sqrt(4 + 8 / Math.PI), 10);
    // Whatever the two depend on each other, 2‖N‖²_2k is more; and no record is further than L_f.
    [
      [2, 3.4641],
      [4, 6.4022],
      [8, 12.2853],
    ].forEach(([k, worst]) => {
      expect(2 * moment(normal, 1, 2 * k) ** (1 / k)).toBeCloseTo(worst, 3);
      expect(at(k)).toBeLessThan(worst);
      expect(
        squaredGradientMoment({
          order: k,
          distance: 1,
          featureMoment: moment(normal, 1, 2 * k) ** (0.5 / k),
          residualMoment: moment(normal, 1, 2 * k) ** (0.5 / k),
        }),
      ).toBeCloseTo(worst, 3);
    });
    expect(
      squared.facts({}, { columns: 1, featureBounds: [1e10], labelBound: 1e10, iterateNorm: 1 })['lipschitz']
        .value / 2e20,
    ).toBeCloseTo(1, 9);
  });

  it('is the binomial sum of closed moments for whole orders, and increases between them', () => {
    const absoluteMoment = (p: number): number => (2 ** (p / 2) * gamma((p + 1) / 2)) / Math.sqrt(Math.PI);
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 8 }),
        fc.integer({ min: 0, max: 30 }),
        fc.integer({ min: 1, max: 9 }),
        fc.constantFrom(1, 3, 12),
        (k, tenths, noise, d) => {
          const distance = tenths / 10;
          const population: RegressionPopulation = {
            features: { law: 'gaussian', scale: 1.5 },
            columns: d,
            residual: { law: 'gaussian', scale: noise / 3 },
          };
          const chi = (p: number): number =>
            1.5 ** p * 2 ** (p / 2) * Math.exp(logGamma((d + p) / 2) - logGamma(d / 2));
          let choose = 1;
          let sum = 0;
          for (let j = 0; j <= k; j++, choose *= (k - j + 1) / j)
            sum += choose * distance ** j * chi(k + j) * (noise / 3) ** (k - j) * absoluteMoment(k - j);
          const { uniform } = gradientMomentOf(of(squared), population, { order: k, distance });
          expect(uniform / sum ** (1 / k)).toBeCloseTo(1, 9);
          expect(
            gradientMomentOf(of(squared), population, { order: k + 0.5, distance }).uniform,
          ).toBeGreaterThan(uniform);
        },
      ),
      { numRuns: 8 },
    );
  });

  it('knows the moments at the worst point of laws that look alike in every direction', () => {
    const gauss = gradientMomentOf(
      of(squared),
      { features: { law: 'gaussian', scale: 2 }, columns: 5, residual: { law: 'gaussian', scale: 3 } },
      { order: 2, distance: 0.5 },
    );
    // s²((d + 2) R² s² + d σ²).
    expect(defined(gauss.pointwise) ** 2).toBeCloseTo(4 * (7 * 0.25 * 4 + 5 * 9), 8);
    for (const order of [2, 4, 6])
      for (const features of [{ law: 'gaussian' }, { law: 'multivariate-t', degreesOfFreedom: 13 }] as const)
        for (const columns of [1, 4]) {
          const { pointwise, uniform } = gradientMomentOf(
            of(squared),
            { features, columns, residual: { law: 'student-t', degreesOfFreedom: 9 } },
            { order, distance: 1 },
          );
          expect(defined(pointwise)).toBeLessThanOrEqual(uniform * (1 + 1e-12));
          expect(defined(pointwise)).toBeGreaterThan(
            gradientMomentOf(
              of(squared),
              { features, columns, residual: { law: 'student-t', degreesOfFreedom: 9 } },
              { order, distance: 0 },
            ).uniform,
          );
        }
    expect(
      gradientMomentOf(of(squared), { features: normal }, { order: 3, distance: 1 }).pointwise,
    ).toBeNull();
    expect(
      gradientMomentOf(of(squared), { features: { law: 'log-normal', sigma: 1 } }, { order: 2, distance: 1 })
        .pointwise,
    ).toBeNull();
  });

  it('agrees with a finite law that is one', () => {
    const features = { law: 'two-point', probability: 0.3, scale: 2 } as const;
    const residual = { law: 'two-point', probability: 0.5, scale: 3 } as const;
    const values = [
      [2, 0.15],
      [-2, 0.15],
      [0, 0.7],
    ] as const;
    const errors = [
      [3, 0.25],
      [-3, 0.25],
      [0, 0.5],
    ] as const;
    const records = values.flatMap(([x, p]) => errors.map(([y, q]) => [x, y, p * q] as const));
    const finite = {
      points: {
        features: Float64Array.from(records, ([x]) => x),
        rows: 9,
        columns: 1,
        labels: Float64Array.from(records, ([, y]) => y),
      },
      probabilities: records.map(([, , p]) => p),
    };
    for (const order of [2, 4])
      for (const loss of [of(squared), of(squaredDistance, { scale: 0.5 }), of(linear)]) {
        const found = gradientMomentOf(loss, { features, residual }, { order, distance: 0.7 });
        const exact = discreteMoments(finite, loss, { order, over: { radius: 0.7 } });
        expect([found.uniform, found.pointwise]).toEqual([
          expect.closeTo(exact.uniform, 10),
          expect.closeTo(defined(exact.pointwise), 10),
        ]);
        if (found.coordinate !== null) expect(found.coordinate).toBeCloseTo(defined(exact.coordinate), 10);
      }
  });

  it('is near what a large sample says', () => {
    const rows = 200_000;
    const random = seededRandom('sample');
    const spec = law.parse({ law: 'log-normal', sigma: 0.3 });
    const features = drawInto(new Float64Array(rows), spec, random.fork('x'));
    const labels = random.fork('y').gaussianInto(new Float64Array(rows));
    const sizes = features.map((x, i) => (Math.abs(x) * (2 * Math.abs(x) + Math.abs(labels[i]))) ** 2);
    const mean = sizes.reduce((a, b) => a + b, 0) / rows;
    const spread = Math.sqrt(sizes.reduce((sum, size) => sum + (size - mean) ** 2, 0) / rows / rows);
    expect(
      Math.abs(
        gradientMomentOf(of(squared), { features: spec, residual: normal }, { order: 2, distance: 2 })
          .uniform **
          2 -
          mean,
      ),
    ).toBeLessThan(7 * spread);
  });

  it('of affine losses, and of slopes no larger than 1, is the moment of the features', () => {
    for (const loss of [linear, absolute, hinge]) {
      const { pointwise, uniform, coordinate } = gradientMomentOf(
        of(loss),
        { features: normal, columns: 4 },
        { order: 2, distance: 1 },
      );
      expect([pointwise, uniform]).toEqual([expect.closeTo(2, 10), expect.closeTo(2, 10)]);
      expect(coordinate).toEqual(loss === linear ? expect.closeTo(1, 10) : null);
    }
    expect(
      gradientMomentOf(
        of(linear),
        { features: { law: 'log-normal', sigma: 1, centred: false } },
        { order: 2, distance: 1 },
      ).coordinate,
    ).toBeNull();
    const spread = gradientMomentOf(
      of(squaredDistance, { scale: 2 }),
      { features: normal, columns: 9 },
      { order: 2, distance: 4 },
    );
    expect([spread.pointwise, spread.coordinate]).toEqual([expect.closeTo(2 * 5, 10), expect.closeTo(2, 10)]);
  });

  it('is infinite where moments are', () => {
    const heavy = { law: 'student-t', degreesOfFreedom: 4 } as const;
    expect(gradientMomentOf(of(squared), { features: heavy }, { order: 2, distance: 1 })).toMatchObject({
      uniform: Infinity,
      pointwise: Infinity,
    });
    expect(
      gradientMomentOf(of(squared), { features: heavy }, { order: 2, distance: 0 }).uniform,
    ).toBeLessThan(Infinity);
    expect(
      gradientMomentOf(of(squared), { features: normal, residual: heavy }, { order: 4, distance: 1 }).uniform,
    ).toBe(Infinity);
    expect(gradientMomentOf(of(linear), { features: heavy }, { order: 5, distance: 1 })).toEqual({
      pointwise: Infinity,
      uniform: Infinity,
      coordinate: Infinity,
    });
    expect(
      gradientMomentOf(of(squaredDistance), { features: heavy }, { order: 5, distance: 1 }).uniform,
    ).toBe(Infinity);
  });

  it('refuses nonsense with typed errors', () => {
    const ask =
      (
        question: { order: number; distance: number },
        population: object = { features: normal },
        loss = of(squared),
      ) =>
      () =>
        gradientMomentOf(loss, population as RegressionPopulation, question);
    for (const question of [
      { order: 1, distance: 1 },
      { order: Number.NaN, distance: 1 },
      { order: 2, distance: -1 },
      { order: 2, distance: Infinity },
    ])
      expect(ask(question)).toThrow(InvalidParameter);
    for (const population of [
      { features: { law: 'cauchy' } },
      { features: normal, columns: 0 },
      { features: normal, label: normal },
    ])
      expect(ask({ order: 2, distance: 1 }, population)).toThrow(InvalidParameter);
    expect(ask({ order: 2, distance: 1 }, { features: normal }, of(huber))).toThrow(Unsupported);
    expect(ask({ order: 2, distance: 1 }, { features: { law: 'log-normal', sigma: 1 }, columns: 2 })).toThrow(
      Unsupported,
    );
  });
});
