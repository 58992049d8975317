import { expect, it } from 'vitest';
import { largestCorrelationEigenvalue } from './constants/largest-correlation-eigenvalue.js';
import { empiricalGradientMoment } from './empirical-moment.js';
import { squaredGradientMoment } from './gradient-moments.js';
import { logistic } from './logistic.js';
import { gradientMomentOf } from './moments/population-moment.js';
import { sineLink, sineLinkSmoothness } from './sine-link.js';
import { softmax } from './softmax.js';
import { squared } from './squared.js';
import { squaredDistance } from './squared-distance.js';

it('facts of a norm and of columns are those of the stricter, and a fact of coordinates is the largest', () => {
  const of = (featureNorm: number, featureBounds: readonly number[]) =>
    logistic.facts({}, { columns: 2, featureNorm, featureBounds });
  expect(of(9, [3, 4])['lipschitz']?.value).toBeCloseTo(5, 10);
  expect(of(2, [3, 4])['lipschitz']?.value).toBeCloseTo(2, 10);
  expect(of(9, [3, 4])['coordinateLipschitz']).toMatchObject({ value: 4, each: [3, 4] });
  expect(of(9, [3, 4])['coordinateSmoothness']?.value).toBeCloseTo(4, 10);
});

it('softmax has losses within its range, and as many entries as classes times features', () => {
  for (const classes of [2, 3, 10, 1000])
    for (const margin of [1e-3, 1, 8]) {
      const facts = softmax.facts(
        { classes },
        { columns: 5, featureNorm: 1, iterateNorm: margin, sparsity: 2 },
      );
      const range = facts['range']?.value ?? Number.NaN;
      // Outputs of length `margin`: all alike, or one that is wrong, or its opposite besides.
      const worst = [
        new Float64Array(classes),
        Float64Array.from({ length: classes }, (_, k) => (k === 1 ? margin : 0)),
        Float64Array.from({ length: classes }, (_, k) => (k > 1 ? 0 : (2 * k - 1) * margin * Math.SQRT1_2)),
      ].map((outputs) => softmax.multiOutput?.value({ classes }, outputs, { label: 0 }));
      const most = Math.max(...worst.map((one) => one ?? Number.NaN));
      expect(range).toBeGreaterThanOrEqual(most);
      expect(range).toBeLessThan(most + margin * Math.SQRT1_2 + 1e-9);
      expect(facts['sparsity']?.value).toBe(2 * classes);
    }
});

it('the constants of a wavy link are those of its own labels, and its smoothness that of its curvature', () => {
  const at = (labelBound: number): number =>
    sineLink.facts({ amplitude: 0.5 }, { columns: 1, featureNorm: 1, iterateNorm: 2, labelBound })[
      'lipschitz'
    ]?.value ?? Number.NaN;
  const [narrow, wide] = [at(1), at(9)];
  // The label counts at most with the largest slope of the link, 1 + a.
  expect(wide - narrow).toBeGreaterThan(8 * 0.5);
  expect(wide - narrow).toBeLessThan(8 * 1.5 + 1e-9);
  expect(
    sineLinkSmoothness({ amplitude: 0.5, largestEigenvalue: 2, thirdMoment: 3, distance: 4 }),
  ).toBeCloseTo(1.5 ** 2 * 2 + 0.5 * 1.5 * 4 * 3, 12);
});

it('an eigenvalue is a bound for all matrices that are near in every entry', () => {
  // The identity, and ones everywhere a tenth of the radius away.
  expect(
    largestCorrelationEigenvalue(Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1), 3, 0.1),
  ).toBeGreaterThanOrEqual(1.3);
  const found = largestCorrelationEigenvalue(Float64Array.of(1, 0.5, 0.5, 1), 2, 0);
  expect(found).toBeGreaterThanOrEqual(1.5);
  expect(found).toBeLessThan(1.5 + 1e-5);
});

it('moments of normal features are the sums of their even terms', () => {
  const loss = (plugin: typeof squared, params: object) =>
    ({ plugin, params }) as Parameters<typeof gradientMomentOf>[0];
  const normal = { law: 'gaussian', scale: 1 } as const;
  const of = (columns: number, order: number, distance: number): number =>
    gradientMomentOf(loss(squared, {}), { features: normal, columns }, { order, distance }).pointwise ??
    Number.NaN;
  // E (R x₁ + e)² r² = R²(d + 2) + d
  expect(of(2, 2, 1) ** 2).toBeCloseTo(6, 6);
  expect(of(3, 2, 2) ** 2).toBeCloseTo(23, 6);
  // E (R x₁ + e)⁴ r⁴ = R⁴ E x₁⁴r⁴ + 6 R² E x₁²r⁴ + 3 E r⁴
  expect(of(1, 4, 1) ** 4).toBeCloseTo(105 + 90 + 9, 4);
  expect(of(2, 4, 1) ** 4).toBeCloseTo(144 + 144 + 24, 4);
  const distance = { plugin: squaredDistance, params: { scale: 3 } } as Parameters<
    typeof gradientMomentOf
  >[0];
  const found = gradientMomentOf(distance, { features: normal, columns: 2 }, { order: 2, distance: 2 });
  // E ‖w − x‖² = R² + d
  expect(found.pointwise).toBeCloseTo(3 * Math.sqrt(6), 8);
  expect(found.coordinate).toBeCloseTo(3, 8);
  // E ‖w − x‖⁴ = (R² + d)² + 4R² + 2d
  const fourth = gradientMomentOf(distance, { features: normal, columns: 2 }, { order: 4, distance: 2 });
  expect((fourth.pointwise ?? 0) ** 4 / 81).toBeCloseTo(36 + 16 + 4, 5);
});

it('moments over points are those of the worst point, and of the worst of each record', () => {
  const rows = { features: Float64Array.of(1, 1), rows: 2, columns: 1, labels: Float64Array.of(0, 4) };
  const loss = { plugin: squared, params: {} } as Parameters<typeof empiricalGradientMoment>[0];
  // Gradients are 3 and −1 at 3, 2 and −2 at 2, 1 and −3 at 1.
  const of = (...points: readonly number[]) =>
    empiricalGradientMoment(loss, rows, {
      order: 2,
      over: { points: points.map((w) => Float64Array.of(w)) },
    });
  for (const points of [
    [3, 2],
    [2, 3],
  ])
    expect(of(...points)).toEqual({
      pointwise: expect.closeTo(Math.sqrt(5), 12),
      uniform: expect.closeTo(Math.sqrt((9 + 4) / 2), 12),
    });
  expect(of(3, 1).uniform).toBeCloseTo(3, 12);
  expect(squaredGradientMoment({ order: 2, featureNorm: 2, distance: 3, residualMoment: 5 })).toBeCloseTo(
    22,
    12,
  );
});
