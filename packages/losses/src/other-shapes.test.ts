import { InvalidParameter, seededRandom, type Loss, type Vector } from '@lethe/core';
import { defined, l2Ball, wholeSpace } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { multiScale } from '../test/support/arbitraries.js';
import { averageRisk } from './average-risk.js';
import { matrixFactorisation } from './matrix-factorisation.js';
import { multiOutputSquared } from './multi-output-squared.js';
import { nonPrivateOptimum } from './optimum/non-private-optimum.js';
import { poissonRegression } from './poisson-regression.js';
import { squared } from './squared.js';
import { twoLayerPerceptron } from './two-layer-perceptron.js';

const gradientOf = (
  loss: Loss,
  params: unknown,
  at: readonly number[],
  features: readonly number[],
  label: number,
): Vector => {
  const out = new Float64Array(at.length).fill(NaN);
  loss.gradientInto(params, out, Float64Array.from(at), { features: Float64Array.from(features), label });
  return out;
};

describe('Poisson regression', () => {
  const { value, slope, curvature } = defined(poissonRegression.linear);

  it('is half the deviance: y log(y/μ) − y + μ, and μ at y = 0', () => {
    fc.assert(
      fc.property(multiScale(-3, 1), multiScale(-3, 2).map(Math.abs), (m, y) => {
        const mean = Math.exp(m);
        const expected = y === 0 ? mean : y * Math.log(y / mean) - y + mean;
        expect(Math.abs(value({}, m, y) - expected)).toBeLessThanOrEqual(
          1e-12 * (1 + mean + y * (1 + Math.abs(Math.log(y || 1)) + Math.abs(m))),
        );
        expect(value({}, m, y)).toBeGreaterThanOrEqual(0);
        expect(slope({}, m, y)).toBe(mean - y);
        expect(defined(curvature)({}, m, y)).toBe(mean);
      }),
    );
    expect(value({}, Math.log(7), 7)).toBe(0);
    expect(value({}, 0, 0)).toBe(1);
    // Near the minimum it is ½ y (m − log y)².
    expect(value({}, Math.log(3) + 1e-6, 3) / 1.5e-12).toBeCloseTo(1, 5);
  });

  it('has constants only where margins are bounded, and they are attained', () => {
    const bounded = { columns: 2, featureNorm: 2, iterateNorm: 1.5, labelBound: 4 };
    const facts = poissonRegression.facts({}, bounded);
    const size = Math.exp(3);
    expect(facts['smoothness'].value / (4 * size)).toBeCloseTo(1, 9);
    expect(facts['lipschitz'].value / (2 * size)).toBeCloseTo(1, 9);
    expect(Math.hypot(...gradientOf(poissonRegression, {}, [1.5, 0], [2, 0], 0))).toBeLessThanOrEqual(
      facts['lipschitz'].value,
    );
    // With labels far above e^margin, the label decides: gradient at
    // −3 is e⁻³ − 100, the loss y(m + log y − 1) + e⁻ᵐ.
    const far = poissonRegression.facts({}, { ...bounded, labelBound: 100 });
    expect(far['lipschitz'].value / (2 * (100 - Math.exp(-3)))).toBeCloseTo(1, 9);
    expect(far['range'].value / (Math.exp(-3) + 100 * (3 + Math.log(100) - 1))).toBeCloseTo(1, 9);
    expect(far['range'].value).toBeGreaterThanOrEqual(value({}, -3, 100));
    const { iterateNorm: _, ...open } = bounded;
    const { labelBound: __, ...unlabelled } = bounded;
    expect(poissonRegression.facts({}, open)).toEqual({});
    expect(Object.keys(poissonRegression.facts({}, unlabelled))).toEqual(['smoothness']);
    expect(poissonRegression.facts({}, { ...bounded, iterateNorm: 1e3 })).toEqual({});
  });

  it('has the logarithm of the mean count as its optimum, for a column of ones', () => {
    const data = {
      features: new Float64Array(4).fill(1),
      rows: 4,
      columns: 1,
      labels: Float64Array.of(0, 1, 2, 9),
    };
    const { point, gap, certified } = nonPrivateOptimum(
      { plugin: poissonRegression, params: {} },
      data,
      l2Ball({ dimension: 1, radius: 5 }),
    );
    expect(point[0]).toBeCloseTo(Math.log(3), 6);
    expect([certified, gap < 1e-8]).toEqual(['gap', true]);
    expect(
      [0, 2.5, 1e9, -1, NaN, Infinity].map((label) => poissonRegression.labels.accepts(label, {})),
    ).toEqual([true, true, true, false, false, false]);
  });
});

describe('least squares of several outputs', () => {
  it('is the sum of those of one output', () => {
    const columns = 3;
    const rows = 20;
    const features = seededRandom('x').gaussianInto(new Float64Array(rows * columns));
    const labels = seededRandom('y').gaussianInto(new Float64Array(rows * 2));
    const both = { plugin: multiOutputSquared, params: { outputs: 2 } };
    const single = { plugin: squared, params: {} };
    const ball = (dimension: number) => l2Ball({ dimension, radius: 50 });
    const parts = [0, 1].map((k) => ({
      features,
      rows,
      columns,
      labels: Float64Array.from({ length: rows }, (_, i) => labels[2 * i + k]),
    }));
    const found = nonPrivateOptimum(both, { features, rows, columns, labels }, ball(6));
    const each = parts.map((part) => nonPrivateOptimum(single, part, ball(3)));
    expect(found.risk).toBeCloseTo(each[0].risk + each[1].risk, 9);
    expect(found.gap).toBeLessThan(1e-8);
    each.forEach(({ point }, k) =>
      point.forEach((entry, j) => expect(found.point[3 * k + j]).toBeCloseTo(entry, 6)),
    );
    expect(averageRisk(both, { features, rows, columns, labels }, new Float64Array(6))).toBeCloseTo(
      labels.reduce((sum, y) => sum + y * y, 0) / 2 / rows,
      12,
    );
    expect(() => averageRisk(both, parts[0], new Float64Array(6))).toThrow(InvalidParameter);
  });

  it('attains its constants', () => {
    const facts = multiOutputSquared.facts(
      { outputs: 2 },
      { columns: 1, featureBounds: [2], iterateNorm: 3, labelBound: 5 },
    );
    const gradient = new Float64Array(2);
    multiOutputSquared.gradientInto({ outputs: 2 }, gradient, Float64Array.of(0, 3), {
      features: Float64Array.of(2),
      label: 0,
      labels: Float64Array.of(0, -5),
    });
    expect([...gradient]).toEqual([0, 22]);
    for (const [name, value] of Object.entries({
      lipschitz: 22,
      coordinateLipschitz: 22,
      smoothness: 4,
      coordinateSmoothness: 4,
      range: 60.5,
    }))
      expect(facts[name].value / value).toBeCloseTo(1, 9);
  });
});

describe('matrix factorisation', () => {
  const params = { users: 2, rank: 2 };

  it('is half the squared residual of two factors, and its gradient touches theirs alone', () => {
    // Users (1, 2) and (3, 4), items (5, 6) and (7, 8); the
    // second user rates the first item: 15 + 24 − 30 = 9.
    const at = [1, 2, 3, 4, 5, 6, 7, 8];
    const features = [0, 1, 1, 0];
    expect(
      matrixFactorisation.value(params, Float64Array.from(at), {
        features: Float64Array.from(features),
        label: 30,
      }),
    ).toBe(40.5);
    expect([...gradientOf(matrixFactorisation, params, at, features, 30)]).toEqual([
      0, 0, 45, 54, 27, 36, 0, 0,
    ]);
    expect(defined(matrixFactorisation.blocks)(params, 4)).toEqual([4, 4]);
    expect(() => matrixFactorisation.iterateDimension(params, 2)).toThrow(
      /at least one more has to tell the item/u,
    );
  });

  it('attains its constants: two aligned factors of one length', () => {
    const facts = matrixFactorisation.facts(
      { users: 1, rank: 1 },
      { columns: 2, featureNorm: Math.SQRT2, iterateNorm: 3 * Math.SQRT2, labelBound: 4 },
    );
    const gradient = gradientOf(matrixFactorisation, { users: 1, rank: 1 }, [3, 3], [1, 1], -4);
    for (const [name, value] of Object.entries({
      lipschitz: Math.hypot(...gradient),
      range: 0.5 * 13 ** 2,
      smoothness: 18 + 13,
    }))
      expect(facts[name].value / value).toBeCloseTo(1, 9);
  });

  it('learns ratings from its start, where 0 is stationary', () => {
    const features = new Float64Array(16 * 8);
    const labels = new Float64Array(16);
    const own = { users: 4, rank: 1 };
    for (let i = 0; i < 16; i++) {
      features[8 * i + (i >> 2)] = 1;
      features[8 * i + 4 + (i & 3)] = 1;
      labels[i] = (1 + (i >> 2)) * (2 - (i & 3));
    }
    const data = { features, rows: 16, columns: 8, labels };
    const loss = { plugin: matrixFactorisation, params: own };
    const w = defined(matrixFactorisation.start)(own, 8, seededRandom('start'));
    const gradient = new Float64Array(8);
    const one = new Float64Array(8);
    for (let step = 0; step < 4000; step++) {
      gradient.fill(0);
      for (let i = 0; i < 16; i++) {
        matrixFactorisation.gradientInto(own, one, w, {
          features: features.subarray(8 * i, 8 * i + 8),
          label: labels[i],
        });
        for (let j = 0; j < 8; j++) gradient[j] += one[j] / 16;
      }
      for (let j = 0; j < 8; j++) w[j] -= 0.2 * gradient[j];
    }
    expect(averageRisk(loss, data, w)).toBeLessThan(1e-6);
    expect(
      gradientOf(matrixFactorisation, own, [0, 0, 0, 0, 0, 0, 0, 0], [1, 0, 0, 0, 1, 0, 0, 0], 2).every(
        (entry) => Math.abs(entry) === 0,
      ),
    ).toBe(true);
    expect(() => nonPrivateOptimum(loss, data, wholeSpace(8))).toThrow(
      /declares no optimum of its own, and is not a linear model/u,
    );
  });
});

describe('a perceptron of two layers', () => {
  it('has closed values and gradients', () => {
    // One hidden unit: v tanh(u x), at u = atanh(½), v = 4, x = 1: output 2, residual −1.
    const at = [Math.atanh(0.5), 4];
    const value = twoLayerPerceptron.value({ hidden: 1 }, Float64Array.from(at), {
      features: Float64Array.of(1),
      label: 3,
    });
    expect(value).toBeCloseTo(0.5, 14);
    const gradient = gradientOf(twoLayerPerceptron, { hidden: 1 }, at, [1], 3);
    [-1 * 4 * 0.75, -0.5].forEach((entry, j) => expect(gradient[j]).toBeCloseTo(entry, 14));
    expect(twoLayerPerceptron.iterateDimension({ hidden: 3 }, 4)).toBe(15);
    expect(defined(twoLayerPerceptron.blocks)({ hidden: 3 }, 4)).toEqual([12, 3]);
  });

  it('states constants that are within a small factor of what random points reach', () => {
    const domain = { columns: 1, featureNorm: 1, iterateNorm: 0.2, labelBound: 1 };
    const facts = twoLayerPerceptron.facts({ hidden: 1 }, domain);
    // Near 0 the output is v·u·x: gradient 0.2 and second derivative 1, times a residual of 1.
    expect(facts['lipschitz'].value).toBeGreaterThanOrEqual(0.2);
    expect(facts['lipschitz'].value).toBeLessThan(0.21);
    expect(facts['smoothness'].value).toBeGreaterThanOrEqual(1);
    expect(facts['smoothness'].value).toBeLessThan(1.3);
    const { labelBound: _, ...unlabelled } = domain;
    expect(twoLayerPerceptron.facts({ hidden: 1 }, unlabelled)).toEqual({});
  });
});
