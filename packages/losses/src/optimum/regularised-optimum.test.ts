import {
  box,
  l2Ball,
  proximalGroup,
  proximalL1,
  proximalL2Squared,
  wholeSpace,
  type Proximal,
} from '@lethe/numerics';
import { seededRandom, Unsupported, type Loss, type Resolved } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { averageRisk } from '../average-risk.js';
import { huber } from '../huber.js';
import { linear } from '../linear.js';
import { logistic } from '../logistic.js';
import { squared } from '../squared.js';
import { nonPrivateOptimum } from './non-private-optimum.js';
import { objectiveOf } from './objective-of.js';

const of = (plugin: Loss): Resolved<Loss> => ({ plugin, params: plugin === huber ? { width: 0.5 } : {} });
const ridge = (strength: number | number[], centre?: number[], dimension = 5): Proximal =>
  proximalL2Squared({
    strength: Float64Array.from(typeof strength === 'number' ? { length: dimension } : strength, (one) =>
      typeof strength === 'number' ? strength : (one as number),
    ),
    ...(centre === undefined ? {} : { centre: Float64Array.from(centre) }),
  });
const lasso = (strength: number): Proximal => proximalL1({ strength });

/** Columns of sizes 10⁻² to 10²; labels ±1. */
function sample(seed: number, rows = 200, columns = 5) {
  const random = seededRandom(seed);
  const features = random
    .fork('x')
    .gaussianInto(new Float64Array(rows * columns))
    .map((z, k) => z * 10 ** ((k % columns) - 2));
  const labels = random
    .fork('y')
    .gaussianInto(new Float64Array(rows))
    .map((z, i) => Math.sign(z + 0.7 * features[i * columns + 2]));
  return { features, rows, columns, labels };
}
type Data = ReturnType<typeof sample>;
const heightOf =
  (loss: Loss, data: Data, regulariser: Proximal) =>
  (w: Float64Array): number =>
    averageRisk(of(loss), data, w) + regulariser.value(w);

const cases: readonly (readonly [string, Loss, Proximal])[] = [
  ['squared, one strength', squared, ridge(0.1)],
  [
    'squared, a strength and a centre for each coordinate',
    squared,
    ridge([1e-4, 1e-2, 1, 10, 1e3], [1, -2, 3, 0, 0.5]),
  ],
  ['logistic, ridge', logistic, ridge(0.01)],
  ['squared, l1', squared, lasso(0.05)],
  ['logistic, l1', logistic, lasso(0.02)],
  ['Huber, l1', huber, lasso(0.03)],
  ['Huber, ridge', huber, ridge(0.05)],
];

describe('with a regulariser, over the whole space', () => {
  it.each(cases)('certifies a tiny gap: %s', (_name, loss, regulariser) => {
    const data = sample(1);
    const height = heightOf(loss, data, regulariser);
    const { point, risk, gap, gradientNorm } = nonPrivateOptimum(of(loss), data, wholeSpace(5), {
      regulariser,
    });
    expect(gap).toBeLessThanOrEqual(1e-10 * (1 + Math.abs(risk)));
    expect(risk).toBeCloseTo(height(point), 12);
    expect(gradientNorm).toBeLessThan(1e-4);
    const random = seededRandom('elsewhere');
    for (let i = 0; i < 60; i++) {
      const other = random
        .gaussianInto(new Float64Array(5))
        .map((z, j) => point[j] + 10 ** (1 - (i % 8)) * z);
      expect(height(other)).toBeGreaterThanOrEqual(risk - gap - 1e-13 * (1 + Math.abs(risk)));
    }
  });

  it('is the centre where the loss has mean zero, whatever the strengths, at no more than rounding', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: -6, max: 6 }), fc.integer({ min: -99, max: 99 })), {
          minLength: 1,
          maxLength: 5,
        }),
        (drawn) => {
          const d = drawn.length;
          const centre = drawn.map(([, c]) => c / 7);
          const strength = drawn.map(([e]) => 10 ** e);
          const features = new Float64Array(2 * d).map((_, k) => (k < d ? k + 1 : -(k - d + 1)));
          const { point, risk, gap } = nonPrivateOptimum(
            of(linear),
            { features, rows: 2, columns: d, labels: new Float64Array(2) },
            wholeSpace(d),
            { regulariser: ridge(strength, centre) },
          );
          expect(risk).toBeLessThanOrEqual(1e-10);
          expect(gap).toBeLessThanOrEqual(1.1e-10);
          expect(
            point.reduce((sum, x, j) => sum + (strength[j] * (x - centre[j]) ** 2) / 2, 0),
          ).toBeLessThanOrEqual(1e-10);
        },
      ),
    );
  });

  it('soft-thresholds where columns are orthogonal', () => {
    const features = Float64Array.of(2, 0, 0, 0, 2, 0, 0, 0, 2);
    const labels = Float64Array.of(3, -1, 0.1);
    const { point, risk } = nonPrivateOptimum(
      of(squared),
      { features, rows: 3, columns: 3, labels },
      wholeSpace(3),
      { regulariser: lasso(0.5) },
    );
    // Hessian 4/3, gradient at 0 −2 y/3: the minimiser is soft(2y/3, ½)/(4/3).
    expect([...point]).toEqual([
      expect.closeTo(1.5 / (4 / 3), 12),
      expect.closeTo(-(1 / 6) / (4 / 3), 12),
      0,
    ]);
    expect(risk).toBeLessThan(
      averageRisk(of(squared), { features, rows: 3, columns: 3, labels }, new Float64Array(3)),
    );
  });

  it('leaves nothing where the penalty is above every slope, and copes with a column of zeros', () => {
    const data = sample(2);
    for (let i = 0; i < data.rows; i++) data.features[5 * i + 1] = 0;
    expect([
      ...nonPrivateOptimum(of(logistic), data, wholeSpace(5), { regulariser: lasso(1e4) }).point,
    ]).toEqual([0, 0, 0, 0, 0]);
    const { point, gap } = nonPrivateOptimum(of(logistic), data, wholeSpace(5), { regulariser: lasso(0.01) });
    expect(point[1]).toBe(0);
    expect(gap).toBeLessThan(1e-9);
  });

  it('knows no gap of l1 for a loss without a floor, but a subgradient', () => {
    const features = Float64Array.of(0.3, 0.1);
    const data = { features, rows: 1, columns: 2, labels: Float64Array.of(0) };
    expect(nonPrivateOptimum(of(linear), data, wholeSpace(2), { regulariser: lasso(0.5) })).toMatchObject({
      gap: 0,
      gradientNorm: 0,
      risk: 0,
    });
    expect(
      objectiveOf(of(linear), data, wholeSpace(2), lasso(0.2)).gap(
        new Float64Array(2),
        Float64Array.of(-0.3, -0.1),
        0,
      ),
    ).toBe(Infinity);
  });
});

describe('the gap', () => {
  it.each(cases)('bounds the excess of every point: %s', (_name, loss, regulariser) => {
    const data = sample(3, 60);
    const { risk: least } = nonPrivateOptimum(of(loss), data, wholeSpace(5), { regulariser });
    const objective = objectiveOf(of(loss), data, wholeSpace(5), regulariser);
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: -1, max: 8 }), (seed, exponent) => {
        const w = seededRandom(seed)
          .gaussianInto(new Float64Array(5))
          .map((z) => z * 10 ** -exponent);
        const gradient = new Float64Array(5);
        const value = objective.valueAndGradientInto(gradient, w);
        expect(objective.gap(w, gradient, value)).toBeGreaterThanOrEqual(value - least - 1e-12 * (1 + value));
      }),
    );
  });
});

describe('over other domains', () => {
  it.each([
    ['a ball', l2Ball({ radius: 0.3, dimension: 5 })],
    ['a box', box({ lower: new Float64Array(5).fill(-0.1), upper: new Float64Array(5).fill(0.2) })],
  ])('a ridge is minimised over %s', (_name, domain) => {
    const data = sample(4);
    const regulariser = ridge(0.5, [1, 1, 1, 1, 1]);
    const height = heightOf(squared, data, regulariser);
    const { point, risk, gap } = nonPrivateOptimum(of(squared), data, domain, { regulariser });
    expect(domain.contains(point)).toBe(true);
    expect(gap).toBeLessThan(1e-6 * (1 + risk));
    const random = seededRandom('inside');
    for (let i = 0; i < 50; i++) {
      const other = domain.projectInto(
        new Float64Array(5),
        random.gaussianInto(new Float64Array(5)).map((z, j) => point[j] + 10 ** -(i % 5) * z),
      );
      expect(height(other)).toBeGreaterThanOrEqual(risk - gap - 1e-12);
    }
  });

  it('l1 and other functions are refused, with what is taken', () => {
    const data = sample(1);
    expect(() =>
      nonPrivateOptimum(of(squared), data, l2Ball({ radius: 1, dimension: 5 }), { regulariser: lasso(1) }),
    ).toThrow(/l1 over the whole space; not 'l1' over 'l2-ball'/u);
    expect(() =>
      nonPrivateOptimum(of(squared), data, wholeSpace(5), {
        regulariser: proximalGroup({ strength: 1, groups: [[0]] }),
      }),
    ).toThrow(Unsupported);
  });
});
