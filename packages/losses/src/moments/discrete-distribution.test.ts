import { InvalidParameter, Unsupported, type Loss, type Resolved } from '@lethe/core';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { multiScale, vectorOf } from '../../test/support/arbitraries.js';
import { empiricalGradientMoment } from '../empirical-moment.js';
import { hinge } from '../hinge.js';
import { linear } from '../linear.js';
import { sineLink } from '../sine-link.js';
import { squared } from '../squared.js';
import { squaredDistance } from '../squared-distance.js';
import { discreteBatchMoment, discreteMoments, type DiscreteDistribution } from './discrete-distribution.js';

const of = (plugin: Loss, params: object = {}): Resolved<Loss> => ({
  plugin,
  params: plugin.params.parse(params),
});
const distributionOf = (rows: number, columns: number): fc.Arbitrary<DiscreteDistribution> =>
  fc
    .record({
      features: vectorOf(rows * columns, multiScale(-1, 1)),
      labels: vectorOf(rows, multiScale(-1, 1)),
      masses: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: rows, maxLength: rows }),
    })
    .map(({ features, labels, masses }) => ({
      points: { features, rows, columns, labels },
      probabilities: masses.map((mass) => mass / masses.reduce((a, b) => a + b, 0)),
    }));
const order = fc.constantFrom(2, 2.5, 3, 4, 8);
const positive = multiScale(-1, 1).map(Math.abs);
const expectation = ({ probabilities }: DiscreteDistribution, f: (i: number) => number): number =>
  Array.from(probabilities).reduce((sum, p, i) => sum + p * f(i), 0);
const sizeAt = (
  loss: Resolved<Loss>,
  { points }: DiscreteDistribution,
  w: Float64Array,
  i: number,
): number => {
  const out = new Float64Array(points.columns);
  loss.plugin.gradientInto(loss.params, out, w, {
    features: points.features.subarray(i * points.columns, (i + 1) * points.columns),
    label: points.labels[i],
  });
  return Math.hypot(...out);
};

describe('discreteMoments', () => {
  it('is the definition at points, in order', () => {
    fc.assert(
      fc.property(
        distributionOf(4, 2),
        fc.array(vectorOf(2, multiScale(-1, 1)), { minLength: 1, maxLength: 3 }),
        order,
        (distribution, points, k) => {
          for (const loss of [of(squared), of(squaredDistance, { scale: 3 }), of(sineLink)]) {
            const { pointwise, uniform, coordinate, lipschitzOfRisk } = discreteMoments(distribution, loss, {
              order: k,
              over: { points },
            });
            const powers = points.map((w) =>
              expectation(distribution, (i) => sizeAt(loss, distribution, w, i) ** k),
            );
            expect(defined(pointwise) / Math.max(...powers) ** (1 / k)).toBeCloseTo(1, 9);
            expect(
              uniform /
                expectation(
                  distribution,
                  (i) => Math.max(...points.map((w) => sizeAt(loss, distribution, w, i))) ** k,
                ) **
                  (1 / k),
            ).toBeCloseTo(1, 9);
            expect(defined(lipschitzOfRisk)).toBeLessThanOrEqual(defined(pointwise) * (1 + 1e-12));
            expect(defined(pointwise)).toBeLessThanOrEqual(uniform * (1 + 1e-12));
            // Lemma 21, with the mean inside: ‖∇f‖ ≤ ‖∇f − ∇F‖ + L.
            expect(defined(pointwise)).toBeLessThanOrEqual(
              (Math.sqrt(2) * defined(coordinate) + defined(lipschitzOfRisk)) * (1 + 1e-12),
            );
            expect(defined(coordinate)).toBeLessThanOrEqual(2 * defined(pointwise) * (1 + 1e-12));
          }
        },
      ),
    );
  });

  it('is the empirical moment where all points weigh the same', () => {
    fc.assert(
      fc.property(distributionOf(5, 2), positive, order, ({ points }, radius, k) => {
        const distribution = { points, probabilities: new Float64Array(5).fill(0.2) };
        expect(
          discreteMoments(distribution, of(squared), { order: k, over: { radius } }).uniform /
            empiricalGradientMoment(of(squared), points, { order: k, over: { radius } }).uniform,
        ).toBeCloseTo(1, 12);
      }),
    );
  });

  it('has every supremum over intervals for affine gradients, and over balls for affine losses', () => {
    const grid = (radius: number): Float64Array[] =>
      Array.from({ length: 21 }, (_, i) => Float64Array.of(((i - 10) / 10) * radius));
    fc.assert(
      fc.property(
        distributionOf(4, 1),
        positive,
        order,
        fc.constantFrom(of(squared), of(squaredDistance)),
        (distribution, radius, k, loss) => {
          const ball = discreteMoments(distribution, loss, { order: k, over: { radius } });
          const points = discreteMoments(distribution, loss, { order: k, over: { points: grid(radius) } });
          for (const key of ['pointwise', 'uniform', 'coordinate', 'lipschitzOfRisk'] as const)
            expect(defined(ball[key]) / defined(points[key])).toBeCloseTo(1, 9);
        },
      ),
    );
    fc.assert(
      fc.property(
        distributionOf(4, 3),
        positive,
        order,
        vectorOf(3, multiScale(-1, 1)),
        (distribution, radius, k, w) => {
          expect(discreteMoments(distribution, of(linear), { order: k, over: { radius } })).toEqual(
            discreteMoments(distribution, of(linear), { order: k, over: { points: [w] } }),
          );
        },
      ),
    );
  });

  it('says what it does not know', () => {
    const distribution: DiscreteDistribution = {
      points: { features: Float64Array.of(1, 0, 0, 1), rows: 2, columns: 2, labels: Float64Array.of(1, -1) },
      probabilities: [0.5, 0.5],
    };
    expect(discreteMoments(distribution, of(hinge), { order: 2, over: { radius: 1 } })).toEqual({
      pointwise: null,
      uniform: 1,
      coordinate: null,
      lipschitzOfRisk: null,
    });
    expect(() =>
      discreteBatchMoment(distribution, of(hinge), { order: 2, over: { radius: 1 }, batch: 2 }),
    ).toThrow(Unsupported);
    for (const probabilities of [[1], [0.5, 0.6], [-0.5, 1.5], [Number.NaN, 1]])
      expect(() =>
        discreteMoments({ ...distribution, probabilities }, of(hinge), { order: 2, over: { radius: 1 } }),
      ).toThrow(InvalidParameter);
    expect(() => discreteMoments(distribution, of(hinge), { order: 1, over: { radius: 1 } })).toThrow(
      InvalidParameter,
    );
    expect(() => discreteMoments(distribution, of(hinge), { order: 2, over: { points: [] } })).toThrow(
      InvalidParameter,
    );
    for (const batch of [0, 1.5, 1e9])
      expect(() =>
        discreteBatchMoment(distribution, of(hinge), {
          order: 2,
          over: { points: [Float64Array.of(0, 0)] },
          batch,
        }),
      ).toThrow(InvalidParameter);
  });

  it('does not mind values without mass', () => {
    const distribution: DiscreteDistribution = {
      points: { features: Float64Array.of(1e100, 3), rows: 2, columns: 1, labels: Float64Array.of(0, 0) },
      probabilities: [0, 1],
    };
    expect(discreteMoments(distribution, of(linear), { order: 8, over: { radius: 1 } }).pointwise).toBe(3);
    expect(
      discreteBatchMoment(distribution, of(linear), { order: 8, over: { radius: 1 }, batch: 3 }),
    ).toBeCloseTo(3, 12);
  });
});

describe('discreteBatchMoment', () => {
  /** All sequences, one by one. */
  const naive = (
    distribution: DiscreteDistribution,
    loss: Resolved<Loss>,
    points: readonly Float64Array[],
    k: number,
    m: number,
  ): number => {
    const n = distribution.points.rows;
    let total = 0;
    for (let code = 0; code < n ** m; code++) {
      const drawn = Array.from({ length: m }, (_, t) => Math.floor(code / n ** t) % n);
      const chance = drawn.reduce((product, i) => product * distribution.probabilities[i], 1);
      total +=
        chance *
        Math.max(
          ...points.map((w) => drawn.reduce((sum, i) => sum + sizeAt(loss, distribution, w, i) ** k / m, 0)),
        );
    }
    return total ** (1 / k);
  };

  it('is the definition', () => {
    fc.assert(
      fc.property(
        distributionOf(3, 2),
        fc.array(vectorOf(2, multiScale(-1, 1)), { minLength: 1, maxLength: 3 }),
        order,
        fc.integer({ min: 1, max: 5 }),
        (distribution, points, k, m) => {
          expect(
            discreteBatchMoment(distribution, of(squared), { order: k, over: { points }, batch: m }) /
              naive(distribution, of(squared), points, k, m),
          ).toBeCloseTo(1, 9);
        },
      ),
    );
  });

  it('falls from r̃_k towards r_k as the batch doubles (Lemma 35)', () => {
    fc.assert(
      fc.property(distributionOf(4, 1), positive, order, (distribution, radius, k) => {
        const { uniform, pointwise } = discreteMoments(distribution, of(squared), {
          order: k,
          over: { radius },
        });
        const falling = [1, 2, 4, 8, 16, 32].map((batch) =>
          discreteBatchMoment(distribution, of(squared), { order: k, over: { radius }, batch }),
        );
        expect(falling[0]).toBe(uniform);
        falling.forEach((moment, i) =>
          expect(moment).toBeLessThanOrEqual((falling[i - 1] ?? Infinity) * (1 + 1e-12)),
        );
        expect(falling[falling.length - 1]).toBeGreaterThanOrEqual(defined(pointwise) * (1 - 1e-12));
      }),
      { numRuns: 30 },
    );
  });

  it('does not depend on the batch where gradients do not depend on the iterate', () => {
    fc.assert(
      fc.property(distributionOf(4, 2), order, fc.integer({ min: 1, max: 20 }), (distribution, k, batch) => {
        const over = { radius: 1 };
        expect(
          discreteBatchMoment(distribution, of(linear), { order: k, over, batch }) /
            discreteMoments(distribution, of(linear), { order: k, over }).uniform,
        ).toBeCloseTo(1, 9);
      }),
    );
  });
});
