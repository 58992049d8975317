import { box, l2Ball, wholeSpace, type Domain } from '@lethe/numerics';
import { InvalidParameter, seededRandom, Unsupported, type Loss, type Resolved } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { averageRisk } from '../average-risk.js';
import { linear } from '../linear.js';
import { logistic } from '../logistic.js';
import { squared } from '../squared.js';
import { nonPrivateOptimum } from './non-private-optimum.js';
import { optimalityGap } from './optimality-gap.js';
import { marginForm } from '../labelled-rows.js';
import { riskAndGradientInto } from './second-order.js';

const of = (plugin: Loss): Resolved<Loss> => ({ plugin, params: {} });

function sample({
  rows = 400,
  columns = 4,
  seed = 1,
  noise = 1,
  classes = false,
}: {
  rows?: number;
  columns?: number;
  seed?: number;
  noise?: number;
  classes?: boolean;
}) {
  const random = seededRandom(seed);
  const features = random.fork('x').gaussianInto(new Float64Array(rows * columns));
  const weights = random.fork('w').gaussianInto(new Float64Array(columns));
  const labels = random.fork('y').gaussianInto(new Float64Array(rows));
  for (let i = 0; i < rows; i++) {
    let margin = 0;
    for (let j = 0; j < columns; j++) margin += features[i * columns + j] * weights[j];
    labels[i] = margin + noise * labels[i];
    if (classes) labels[i] = Math.sign(labels[i]);
  }
  return { features, rows, columns, labels, weights };
}

const cases: readonly (readonly [string, Loss, Domain, boolean])[] = [
  ['squared inside a ball', squared, l2Ball({ radius: 10, dimension: 4 }), false],
  ['squared on a ball', squared, l2Ball({ radius: 0.5, dimension: 4 }), false],
  [
    'squared in a box',
    squared,
    box({ lower: new Float64Array(4).fill(-0.3), upper: new Float64Array(4).fill(0.3) }),
    false,
  ],
  ['logistic inside a ball', logistic, l2Ball({ radius: 20, dimension: 4 }), true],
  ['logistic on a ball', logistic, l2Ball({ radius: 0.5, dimension: 4 }), true],
  ['linear on a ball', linear, l2Ball({ radius: 2, dimension: 4 }), false],
];

describe('nonPrivateOptimum', () => {
  it.each(cases)('certifies a tiny gap: %s', (_name, loss, domain, classes) => {
    const data = sample({ classes });
    const { point, risk, gap } = nonPrivateOptimum(of(loss), data, domain);
    expect(gap).toBeLessThanOrEqual(1e-10 * (1 + Math.abs(risk)));
    expect(domain.contains(point)).toBe(true);
    expect(risk).toBeCloseTo(averageRisk(of(loss), data, point), 12);
    const random = seededRandom('elsewhere');
    for (let i = 0; i < 50; i++) {
      const other = domain.projectInto(
        new Float64Array(4),
        random.gaussianInto(new Float64Array(4)).map((z, j) => point[j] + 10 ** -(i % 6) * z),
      );
      expect(averageRisk(of(loss), data, other)).toBeGreaterThanOrEqual(
        risk - gap - 1e-13 * (1 + Math.abs(risk)),
      );
    }
  });

  it('finds the true weights of data without noise', () => {
    const data = sample({ noise: 0 });
    const { point, risk } = nonPrivateOptimum(of(squared), data, wholeSpace(4));
    data.weights.forEach((weight, j) => expect(point[j]).toBeCloseTo(weight, 10));
    expect(risk).toBeLessThan(1e-20);
  });

  it('solves the linear problem in closed form', () => {
    const data = sample({});
    const mean = Float64Array.from({ length: 4 }, (_, j) =>
      data.features.reduce((sum, x, k) => sum + (k % 4 === j ? x / data.rows : 0), 0),
    );
    const { point, risk } = nonPrivateOptimum(of(linear), data, l2Ball({ radius: 2, dimension: 4 }));
    expect(risk).toBeCloseTo(-2 * Math.hypot(...mean), 10);
    mean.forEach((entry, j) => expect(point[j]).toBeCloseTo((2 * entry) / Math.hypot(...mean), 4));
  });

  it('has a gradient along the normal where the ball holds it back', () => {
    const data = sample({});
    const { point, gradientNorm } = nonPrivateOptimum(
      of(squared),
      data,
      l2Ball({ radius: 0.5, dimension: 4 }),
    );
    const gradient = new Float64Array(4);
    riskAndGradientInto(gradient, marginForm(of(squared)), data, point);
    const along = -gradient.reduce((sum, g, j) => sum + g * point[j], 0) / 0.5;
    expect(along / gradientNorm).toBeCloseTo(1, 9);
  });

  it('needs few passes on many rows, though the first Hessians see a sample', () => {
    const data = sample({ rows: 300_000, columns: 3, classes: true, noise: 2 });
    const { passes, gap } = nonPrivateOptimum(of(logistic), data, l2Ball({ radius: 5, dimension: 3 }));
    expect(gap).toBeLessThanOrEqual(1e-9);
    expect(passes).toBeLessThanOrEqual(15);
  });

  it('copes with columns that are zero, equal, or of very different size', () => {
    const base = sample({});
    const features = new Float64Array(base.rows * 4);
    for (let i = 0; i < base.rows; i++)
      features.set([base.features[i * 4], base.features[i * 4], 0, 1e4 * base.features[i * 4 + 1]], i * 4);
    const { gap, risk } = nonPrivateOptimum(
      of(squared),
      { ...base, features },
      l2Ball({ radius: 3, dimension: 4 }),
    );
    expect(gap).toBeLessThanOrEqual(1e-6 * (1 + risk));
  });

  it('certifies no gap on an unbounded domain but that risks are not negative; and a gradient', () => {
    const { gap, risk, gradientNorm } = nonPrivateOptimum(
      of(logistic),
      sample({ classes: true }),
      wholeSpace(4),
    );
    expect(gap).toBe(risk);
    expect(gradientNorm).toBeLessThan(1e-9);
    const [one, another] = [1, -1].map((x) =>
      nonPrivateOptimum(
        of(linear),
        { features: Float64Array.of(x, 0), rows: 2, columns: 1, labels: new Float64Array(2) },
        wholeSpace(1),
      ),
    );
    expect([one.gap, another.gap]).toEqual([Infinity, Infinity]);
  });

  it('refuses other losses and shapes', () => {
    const data = sample({});
    const but = (capabilities: Loss['capabilities']): Loss =>
      ({ ...squared, capabilities: { ...squared.capabilities, ...capabilities } }) as unknown as Loss;
    expect(() => nonPrivateOptimum(of(but({ smooth: false })), data, wholeSpace(4))).toThrow(Unsupported);
    expect(() =>
      nonPrivateOptimum(of({ ...squared, linear: null } as unknown as Loss), data, wholeSpace(4)),
    ).toThrow(/declares no optimum of its own, and is not a linear model/u);
    const wide = { features: new Float64Array(4097), rows: 1, columns: 4097, labels: new Float64Array(1) };
    expect(() => nonPrivateOptimum(of(squared), wide, wholeSpace(4097))).toThrow(/at most 4096 weights/u);
    expect(nonPrivateOptimum(of(but({ convex: false })), data, wholeSpace(4)).certified).toBe('stationary');
    expect(() => nonPrivateOptimum(of(squared), data, wholeSpace(3))).toThrow(InvalidParameter);
    expect(() => nonPrivateOptimum(of(squared), { ...data, rows: 0 }, wholeSpace(4))).toThrow(
      InvalidParameter,
    );
    expect(() =>
      nonPrivateOptimum(of(squared), { ...data, labels: data.labels.map(() => Infinity) }, wholeSpace(4)),
    ).toThrow(InvalidParameter);
    expect(() => averageRisk(of(squared), data, Float64Array.of(1))).toThrow(InvalidParameter);
  });
});

describe('optimalityGap', () => {
  it('bounds the excess risk of every point of the domain', () => {
    const data = sample({});
    const domain = l2Ball({ radius: 0.7, dimension: 4 });
    const { risk: least } = nonPrivateOptimum(of(squared), data, domain);
    const form = marginForm(of(squared));
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 0, max: 6 }), (seed, exponent) => {
        const w = domain.projectInto(
          new Float64Array(4),
          seededRandom(seed)
            .gaussianInto(new Float64Array(4))
            .map((z) => z * 10 ** -exponent),
        );
        const gradient = new Float64Array(4);
        const risk = riskAndGradientInto(gradient, form, data, w);
        expect(optimalityGap(w, gradient, domain)).toBeGreaterThanOrEqual(risk - least - 1e-12);
      }),
    );
  });
});

describe('averageRisk', () => {
  it('is the mean of the values', () => {
    const data = {
      features: Float64Array.of(1, 0, 0, 2),
      labels: Float64Array.of(1, 1),
      rows: 2,
      columns: 2,
    };
    expect(averageRisk(of(squared), data, Float64Array.of(3, 1))).toBe((2 + 0.5) / 2);
  });
});
