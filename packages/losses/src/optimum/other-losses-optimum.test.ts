import {
  box,
  l2Ball,
  proximalGroup,
  proximalL1,
  proximalL2Squared,
  simplex,
  wholeSpace,
  type Domain,
} from '@lethe/numerics';
import { InvalidParameter, seededRandom, Unsupported, type Loss, type Resolved } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { multiScale, vectorOf } from '../../test/support/arbitraries.js';
import { absolute } from '../absolute.js';
import { averageRisk } from '../average-risk.js';
import { studentTDesign } from '../data/generators.js';
import { hinge } from '../hinge.js';
import { sineLink } from '../sine-link.js';
import { squaredDistance } from '../squared-distance.js';
import { nonPrivateOptimum, type OptimumOptions } from './non-private-optimum.js';

const of = (plugin: Loss, params: object = {}): Resolved<Loss> => ({
  plugin,
  params: plugin.params.parse(params),
});
const ball = (radius: number, dimension: number): Domain => l2Ball({ radius, dimension });
const ridgeOf = (strength: number, dimension: number): OptimumOptions => ({
  regulariser: proximalL2Squared({ strength: new Float64Array(dimension).fill(strength) }),
});
const ridge = ridgeOf(0.01, 40);
const lasso: OptimumOptions = { regulariser: proximalL1({ strength: 0.02 }) };

/** Heavy tails: no fourth moment. */
const heavy = (rows: number, columns: number, classes: boolean) =>
  studentTDesign(
    {
      rows,
      columns,
      degreesOfFreedom: 2.2,
      response: classes
        ? { kind: 'logistic' }
        : { kind: 'linear', noise: { law: 'student-t', degreesOfFreedom: 2.2 } },
    },
    seededRandom(`heavy ${rows}`),
  );

describe('of a loss with a kink', () => {
  it.each<[string, number, number, (d: number) => Domain, OptimumOptions]>([
    ['inside a ball', 400, 4, (d) => ball(10, d), {}],
    ['on a ball', 400, 4, (d) => ball(0.3, d), {}],
    ['many columns', 300, 40, (d) => ball(10, d), {}],
    [
      'in a box',
      400,
      4,
      (d) => box({ lower: new Float64Array(d).fill(-0.1), upper: new Float64Array(d).fill(0.4) }),
      {},
    ],
    ['ridge', 300, 40, wholeSpace, ridge],
    ['l1', 400, 4, wholeSpace, lasso],
  ])('certifies a tiny gap, and no point nearby is better: %s', (_name, rows, columns, domainOf, options) => {
    for (const loss of [absolute, hinge]) {
      const data = heavy(rows, columns, loss === hinge);
      const domain = domainOf(columns);
      const found = nonPrivateOptimum(of(loss), data, domain, options);
      expect(found.gap).toBeLessThan(1e-8);
      expect(found.certified).toBe('gap');
      expect(domain.contains(found.point)).toBe(true);
      const added = (w: Float64Array): number => {
        if (options === ridge) return 0.005 * w.reduce((sum, x) => sum + x * x, 0);
        return options === lasso ? 0.02 * w.reduce((sum, x) => sum + Math.abs(x), 0) : 0;
      };
      expect(found.risk).toBeCloseTo(averageRisk(of(loss), data, found.point) + added(found.point), 12);
      const random = seededRandom('elsewhere');
      for (let i = 0; i < 60; i++) {
        const other = domain.projectInto(
          new Float64Array(columns),
          random.gaussianInto(new Float64Array(columns)).map((z, j) => found.point[j] + 10 ** -(i % 6) * z),
        );
        expect(averageRisk(of(loss), data, other) + added(other)).toBeGreaterThanOrEqual(
          found.risk - found.gap - 1e-13,
        );
      }
    }
  });

  it('is a median, for a single column of ones', () => {
    fc.assert(
      fc.property(fc.array(multiScale(-2, 2), { minLength: 1, maxLength: 15 }), (labels) => {
        const data = {
          features: new Float64Array(labels.length).fill(1),
          rows: labels.length,
          columns: 1,
          labels: Float64Array.from(labels),
        };
        const { risk, gap } = nonPrivateOptimum(of(absolute), data, ball(2000, 1));
        const least = Math.min(...labels.map((y) => averageRisk(of(absolute), data, Float64Array.of(y))));
        expect(Math.abs(risk - least)).toBeLessThanOrEqual(gap + 1e-12 * (1 + least));
        expect(gap).toBeLessThanOrEqual(1e-6 * (1 + least));
      }),
      { numRuns: 30 },
    );
  });

  it('finds a separating plane at no risk, and one through exact labels', () => {
    const classes = {
      features: Float64Array.of(1, 2, 2, 1, -1, -2, -3, -1),
      rows: 4,
      columns: 2,
      labels: Float64Array.of(1, 1, -1, -1),
    };
    expect(nonPrivateOptimum(of(hinge), classes, ball(5, 2)).risk).toBeLessThan(1e-9);
    expect(nonPrivateOptimum(of(hinge), classes, wholeSpace(2))).toMatchObject({ gap: expect.closeTo(0, 9) });
    const labels = Float64Array.of(4, 5, -5, -5);
    const { point, risk } = nonPrivateOptimum(of(absolute), { ...classes, labels }, wholeSpace(2));
    expect([...point]).toEqual([expect.closeTo(1, 6), expect.closeTo(2, 6)]);
    expect(risk).toBeLessThanOrEqual(0.5 + 1e-9);
  });

  it('is no worse than its risk where nothing more is known', () => {
    const { gap, risk, gradientNorm } = nonPrivateOptimum(of(absolute), heavy(400, 4, false), wholeSpace(4));
    expect(gap).toBe(risk);
    expect(gradientNorm).toBeLessThan(1e-4);
  });
});

describe('of the squared distance', () => {
  const scale = 0.25;
  const loss = of(squaredDistance, { scale });
  const cloud = fc.array(vectorOf(3, multiScale(-2, 2)), { minLength: 1, maxLength: 8 }).map((rows) => ({
    features: Float64Array.from(rows.flatMap((row) => [...row])),
    rows: rows.length,
    columns: 3,
    labels: new Float64Array(rows.length),
  }));
  const meanOf = ({
    features,
    rows,
  }: {
    readonly features: Float64Array;
    readonly rows: number;
  }): Float64Array =>
    new Float64Array(3).map((_, j) => features.reduce((sum, x, k) => sum + (k % 3 === j ? x / rows : 0), 0));

  it('is the mean, or the nearest point to it', () => {
    fc.assert(
      fc.property(
        cloud,
        fc.constantFrom(wholeSpace(3), ball(1, 3), simplex({ total: 1, dimension: 3 })),
        (data, domain) => {
          const mean = meanOf(data);
          const { point, gap, risk, gradientNorm } = nonPrivateOptimum(loss, data, domain);
          const nearest = domain.projectInto(new Float64Array(3), mean);
          expect(Math.hypot(...point.map((x, j) => x - nearest[j]))).toBeLessThanOrEqual(
            1e-9 * (1 + Math.hypot(...mean)),
          );
          expect(gap).toBeLessThanOrEqual(1e-9 * (1 + risk));
          expect(risk / (averageRisk(loss, data, point) || 1)).toBeCloseTo(risk === 0 ? 0 : 1, 9);
          expect(gradientNorm).toBeCloseTo(scale * Math.hypot(...point.map((x, j) => x - mean[j])), 6);
        },
      ),
    );
  });

  it('with a regulariser is its proximal point, and with a ridge the projection of a weighted mean', () => {
    fc.assert(
      fc.property(cloud, (data) => {
        const mean = meanOf(data);
        const soft = nonPrivateOptimum(loss, data, wholeSpace(3), {
          regulariser: proximalL1({ strength: 0.5 }),
        });
        soft.point.forEach((x, j) =>
          expect(x).toBeCloseTo(Math.sign(mean[j]) * Math.max(0, Math.abs(mean[j]) - 2), 9),
        );
        const group = proximalGroup({ strength: 0.1, groups: [[0, 1], [2]] });
        const { point, risk } = nonPrivateOptimum(loss, data, wholeSpace(3), { regulariser: group });
        const [a, b, c] = [...point];
        const height = (w: Float64Array): number =>
          averageRisk(loss, data, w) + 0.1 * (Math.hypot(w[0], w[1]) + Math.abs(w[2]));
        expect(risk / height(point)).toBeCloseTo(1, 9);
        for (const by of [1e-3, -1e-3])
          for (const other of [
            [a + by, b, c],
            [a, b + by, c],
            [a, b, c + by],
          ])
            expect(height(Float64Array.from(other))).toBeGreaterThanOrEqual(risk * (1 - 1e-12));
        const held = nonPrivateOptimum(loss, data, ball(1, 3), ridgeOf(0.75, 3));
        const nearest = ball(1, 3).projectInto(
          new Float64Array(3),
          mean.map((x) => x / 4),
        );
        held.point.forEach((x, j) => expect(x).toBeCloseTo(nearest[j], 4));
        expect(held.gap).toBeLessThanOrEqual(1e-8 * (1 + held.risk));
      }),
    );
  });

  it('with l1 over a ball is refused', () => {
    expect(() =>
      nonPrivateOptimum(
        loss,
        { features: Float64Array.of(1), rows: 1, columns: 1, labels: Float64Array.of(0) },
        ball(1, 1),
        lasso,
      ),
    ).toThrow(Unsupported);
  });
});

describe('of the sine link', () => {
  const loss = of(sineLink, { amplitude: 0.8 });
  const through = (noise: number, rows = 300) => {
    const {
      features,
      columns,
      weights,
      labels: _,
    } = studentTDesign({ rows, columns: 3, degreesOfFreedom: 5, weightNorm: 2 }, seededRandom('sine'));
    const errors = seededRandom('errors').gaussianInto(new Float64Array(rows));
    const labels = errors.map((error, i) => {
      const m = weights.reduce((sum, weight, j) => sum + weight * features.get(i, j), 0);
      return m + 0.8 * Math.sin(m) + noise * error;
    });
    return { features, rows, columns, labels, weights };
  };

  it('finds the true weights of data without noise, and knows that this is the least', () => {
    const data = through(0);
    const { point, risk, gap, certified } = nonPrivateOptimum(loss, data, ball(5, 3));
    data.weights.forEach((weight, j) => expect(point[j]).toBeCloseTo(weight, 6));
    expect([risk, gap, certified]).toEqual([expect.closeTo(0, 12), risk, 'stationary']);
  });

  it('is stationary with noise, and does not pretend to be more', () => {
    const data = through(0.5);
    const { gap, risk, gradientNorm, certified, passes } = nonPrivateOptimum(loss, data, ball(5, 3));
    expect(gradientNorm).toBeLessThan(1e-6);
    expect([gap, certified]).toEqual([risk, 'stationary']);
    expect(passes).toBeGreaterThanOrEqual(5);
    expect(risk).toBeLessThanOrEqual(averageRisk(loss, data, data.weights) + 1e-12);
  });

  it('takes the best of its starts', () => {
    // One record with label 0: at amplitude 0.99 the risk is nearly flat where the slope of the link is.
    const wavy = of(sineLink, { amplitude: 0.99 });
    const data = { features: Float64Array.of(1, 1), rows: 2, columns: 1, labels: Float64Array.of(3, 9.2) };
    const fromOrigin = nonPrivateOptimum(wavy, data, ball(20, 1), { starts: [] });
    const fromMany = nonPrivateOptimum(wavy, data, ball(20, 1), {
      starts: Array.from({ length: 41 }, (_, k) => Float64Array.of(k - 20)),
    });
    const least = Math.min(
      ...Array.from({ length: 4001 }, (_, k) => averageRisk(wavy, data, Float64Array.of(k / 100 - 20))),
    );
    expect(fromMany.risk).toBeLessThanOrEqual(fromOrigin.risk);
    expect(fromMany.risk).toBeLessThanOrEqual(least + 1e-6);
    expect(() => nonPrivateOptimum(wavy, data, ball(20, 1), { starts: [Float64Array.of(1, 2)] })).toThrow(
      InvalidParameter,
    );
  });
});
