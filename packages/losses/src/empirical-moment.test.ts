import { InvalidParameter, Unsupported, type Loss } from '@lethe/core';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { multiScale, vectorOf } from '../test/support/arbitraries.js';
import { absolute } from './absolute.js';
import { empiricalGradientMoment } from './empirical-moment.js';
import { gradientMomentFact, logisticGradientMoment, squaredGradientMoment } from './gradient-moments.js';
import { logistic } from './logistic.js';
import { sineLink } from './sine-link.js';
import { squared } from './squared.js';
import { squaredDistance } from './squared-distance.js';

const rows = 7;
const columns = 3;
const data = fc
  .record({
    features: vectorOf(rows * columns, multiScale(-2, 2)),
    labels: vectorOf(rows, multiScale(-2, 2)),
  })
  .map((d) => ({ ...d, rows, columns }));
const order = fc.constantFrom(2, 2.5, 3, 4, 8);
const least = { plugin: squared, params: {} };
const point = vectorOf(columns, multiScale(-2, 1));

/** The definition, by materialised gradients. */
function naive(
  loss: typeof squared | typeof logistic,
  d: { features: Float64Array; labels: Float64Array },
  w: Float64Array,
  k: number,
): number {
  let sum = 0;
  for (let i = 0; i < rows; i++) {
    const gradient = new Float64Array(columns);
    loss.gradientInto({}, gradient, w, {
      features: d.features.subarray(i * columns, (i + 1) * columns),
      label: d.labels[i],
    });
    sum += Math.hypot(...gradient) ** k / rows;
  }
  return sum ** (1 / k);
}

describe('empiricalGradientMoment', () => {
  it('is the definition at a point', () => {
    fc.assert(
      fc.property(data, point, order, (d, w, k) => {
        const { pointwise, uniform } = empiricalGradientMoment(least, d, { order: k, over: { points: [w] } });
        expect(defined(pointwise) / naive(squared, d, w, k)).toBeCloseTo(1, 9);
        expect(uniform).toBe(pointwise);
      }),
    );
  });

  it('grows from points to their uniform moment to the ball, and with the order', () => {
    fc.assert(
      fc.property(data, point, point, (d, a, b) => {
        const radius = Math.max(Math.hypot(...a), Math.hypot(...b));
        const over = { points: [a, b] };
        let last = 0;
        for (const k of [2, 3, 5]) {
          const { pointwise, uniform } = empiricalGradientMoment(least, d, { order: k, over });
          const ball = empiricalGradientMoment(least, d, { order: k, over: { radius } });
          expect(defined(pointwise)).toBeLessThanOrEqual(uniform * (1 + 1e-12));
          expect(uniform).toBeLessThanOrEqual(ball.uniform * (1 + 1e-12));
          expect(ball.pointwise).toBeNull();
          expect(uniform).toBeGreaterThanOrEqual(last * (1 - 1e-12));
          last = uniform;
        }
      }),
    );
  });

  it('attains the ball at the worst iterate of a single record', () => {
    fc.assert(
      fc.property(
        vectorOf(columns, multiScale(-2, 2)),
        multiScale(-2, 2),
        multiScale(-2, 2).map(Math.abs),
        (x, y, radius) => {
          const one = { features: x, labels: Float64Array.of(y), rows: 1, columns };
          const w = x.map((entry) => (-Math.sign(y) * radius * entry) / Math.hypot(...x));
          const ball = empiricalGradientMoment(least, one, { order: 2, over: { radius } }).uniform;
          expect(
            ball / empiricalGradientMoment(least, one, { order: 2, over: { points: [w] } }).uniform,
          ).toBeCloseTo(1, 9);
        },
      ),
    );
  });

  it('takes losses that are not linear, not smooth or not convex', () => {
    fc.assert(
      fc.property(data, order, multiScale(-1, 1).map(Math.abs), point, (d, k, radius, w) => {
        const inside = w.map((entry) => (entry * radius) / Math.max(radius, Math.hypot(...w)));
        for (const [loss, params] of [
          [squaredDistance, { scale: 0.5 }],
          [absolute, {}],
          [sineLink, { amplitude: 0.6 }],
        ] as const) {
          const of = { plugin: loss as unknown as Loss, params };
          const at = empiricalGradientMoment(of, d, { order: k, over: { points: [inside] } }).uniform;
          expect(at).toBeLessThanOrEqual(
            empiricalGradientMoment(of, d, { order: k, over: { radius } }).uniform * (1 + 1e-12),
          );
        }
        const norms = Array.from(
          { length: rows },
          (_, i) => radius + Math.hypot(...d.features.subarray(i * columns, (i + 1) * columns)),
        );
        const farthest = empiricalGradientMoment({ plugin: squaredDistance, params: { scale: 2 } }, d, {
          order: k,
          over: { radius },
        }).uniform;
        expect(farthest / (2 * (norms.reduce((sum, r) => sum + r ** k, 0) / rows) ** (1 / k))).toBeCloseTo(
          1,
          9,
        );
      }),
    );
    const one = { features: Float64Array.of(2), labels: Float64Array.of(1), rows: 1, columns: 1 };
    const wave = { plugin: sineLink, params: { amplitude: 0.6 } };
    const exact = Math.max(
      ...Array.from(
        { length: 20_001 },
        (_, k) =>
          empiricalGradientMoment(wave, one, { order: 2, over: { points: [Float64Array.of(k / 2000 - 5)] } })
            .uniform,
      ),
    );
    expect(empiricalGradientMoment(wave, one, { order: 2, over: { radius: 5 } }).uniform / exact).toBeCloseTo(
      1,
      3,
    );
  });

  it('survives gradients whose powers overflow', () => {
    const d = {
      features: Float64Array.of(1e100, 1e100),
      labels: Float64Array.of(1e100, 1e100),
      rows: 2,
      columns: 1,
    };
    const moment = empiricalGradientMoment(least, d, {
      order: 50,
      over: { points: [Float64Array.of(0)] },
    }).uniform;
    expect(moment / 1e200).toBeCloseTo(1, 12);
  });

  it('refuses nonsense with typed errors', () => {
    const d = { features: Float64Array.of(1), labels: Float64Array.of(1), rows: 1, columns: 1 };
    const points = [Float64Array.of(0)];
    const over = (options: Parameters<typeof empiricalGradientMoment>[2]) => () =>
      empiricalGradientMoment(least, d, options);
    for (const k of [1, Number.NaN, Infinity])
      expect(over({ order: k, over: { points } })).toThrow(InvalidParameter);
    for (const radius of [0, -1, Number.NaN, Infinity])
      expect(over({ order: 2, over: { radius } })).toThrow(InvalidParameter);
    expect(over({ order: 2, over: { points: [] } })).toThrow(InvalidParameter);
    expect(over({ order: 2, over: { points: [Float64Array.of(Number.NaN)] } })).toThrow(InvalidParameter);
    expect(() => empiricalGradientMoment(least, { ...d, rows: 2 }, { order: 2, over: { points } })).toThrow(
      InvalidParameter,
    );
    const bent = {
      plugin: {
        ...squared,
        capabilities: { ...squared.capabilities, convex: false },
        facts: () => ({}),
      } as never,
      params: {},
    };
    expect(() => empiricalGradientMoment(bent, d, { order: 2, over: { radius: 1 } })).toThrow(Unsupported);
  });
});

describe('declared gradient moments', () => {
  const mean = (values: readonly number[], k: number): number =>
    (values.reduce((sum, v) => sum + Math.abs(v) ** k, 0) / values.length) ** (1 / k);

  it('bound the exact moment over the ball', () => {
    fc.assert(
      fc.property(data, order, multiScale(-1, 1).map(Math.abs), (d, k, radius) => {
        const norms = Array.from({ length: rows }, (_, i) =>
          Math.hypot(...d.features.subarray(i * columns, (i + 1) * columns)),
        );
        const labels = [...d.labels];
        const exact = empiricalGradientMoment(least, d, { order: k, over: { radius } }).uniform * (1 - 1e-9);
        expect(
          squaredGradientMoment({
            order: k,
            distance: radius,
            featureNorm: Math.max(...norms),
            residualMoment: mean(labels, k),
          }),
        ).toBeGreaterThanOrEqual(exact);
        expect(
          squaredGradientMoment({
            order: k,
            distance: radius,
            featureMoment: mean(norms, 2 * k),
            residualMoment: mean(labels, 2 * k),
          }),
        ).toBeGreaterThanOrEqual(exact);
        const signs = { ...d, labels: d.labels.map(Math.sign) };
        const exactLogistic =
          empiricalGradientMoment({ plugin: logistic, params: {} }, signs, { order: k, over: { radius } })
            .uniform *
          (1 - 1e-9);
        expect(logisticGradientMoment({ order: k, featureMoment: mean(norms, k) })).toBeGreaterThanOrEqual(
          exactLogistic,
        );
        expect(logisticGradientMoment({ order: k, featureNorm: Math.max(...norms) })).toBeGreaterThanOrEqual(
          exactLogistic,
        );
      }),
    );
  });

  it('are attained by records that are all alike', () => {
    const d = { features: Float64Array.of(2, -2), labels: Float64Array.of(3, 3), rows: 2, columns: 1 };
    const exact = empiricalGradientMoment(least, d, { order: 4, over: { radius: 5 } }).uniform;
    expect(squaredGradientMoment({ order: 4, distance: 5, featureNorm: 2, residualMoment: 3 })).toBeCloseTo(
      exact,
      9,
    );
  });

  it('refuse orders below 2 and moments that are not', () => {
    for (const wrong of [1, 1.99, 0, -4, Number.NaN, Infinity])
      expect(() => gradientMomentFact(wrong)).toThrow(InvalidParameter);
    expect([2, 2.5, 4].map(gradientMomentFact)).toEqual([
      'gradientMoment.2',
      'gradientMoment.2.5',
      'gradientMoment.4',
    ]);
    expect(() =>
      squaredGradientMoment({ order: 1.5, distance: 1, featureNorm: 1, residualMoment: 1 }),
    ).toThrow(InvalidParameter);
    expect(() =>
      squaredGradientMoment({ order: 2, distance: 1, featureNorm: 1e200, residualMoment: 1 }),
    ).toThrow(InvalidParameter);
    for (const bad of [-1, Number.NaN, Infinity])
      expect(() => logisticGradientMoment({ order: 2, featureNorm: bad })).toThrow(InvalidParameter);
  });
});
