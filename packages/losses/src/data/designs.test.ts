import { InvalidParameter, seededRandom } from '@lethe/core';
import { defined, normalCdf } from '@lethe/numerics';
import { describe, expect, it } from 'vitest';
import { sineLinkGrowth } from '../sine-link.js';
import { syntheticData } from './generators.js';
import { drawInto, law, momentsOf, type DistributionSpec } from './distribution.js';
import type { SyntheticSpec } from './synthetic-spec.js';

const draws = 100_000;
/** Dvoretzky–Kiefer–Wolfowitz: the largest gap passes this with chance 1e-9. */
const gapAllowed = Math.sqrt(Math.log(2e9) / (2 * draws));
const largestGap = (sample: Float64Array, cdf: (x: number) => number): number => {
  const sorted = sample.toSorted();
  return sorted.reduce((gap, x, rank) => Math.max(gap, Math.abs(cdf(x) - (rank + 1) / sorted.length)), 0);
};
const drawn = (spec: DistributionSpec): Float64Array =>
  drawInto(new Float64Array(draws), law.parse(spec), seededRandom(JSON.stringify(spec)));
const normal = { law: 'gaussian' } as const;
const shape = { rows: 300, columns: 6 } as const;
const make = (spec: Partial<SyntheticSpec>, seed = 'seed') =>
  syntheticData({ ...shape, features: normal, ...spec } as SyntheticSpec, seededRandom(seed));
const secondMoments = ({
  features,
  rows,
  columns,
}: {
  readonly features: Float64Array;
  readonly rows: number;
  readonly columns: number;
}): number[] =>
  Array.from({ length: columns * columns }, (_, k) => {
    let sum = 0;
    for (let i = 0; i < rows; i++)
      sum += features[i * columns + Math.floor(k / columns)] * features[i * columns + (k % columns)];
    return sum / rows;
  });

describe('laws', () => {
  it.each<[DistributionSpec, (x: number) => number]>([
    [
      { law: 'truncated-normal', bound: 0.5, scale: 2 },
      (x) => (normalCdf(x / 2) - normalCdf(-0.5)) / (2 * normalCdf(0.5) - 1),
    ],
    [{ law: 'truncated-normal', bound: 2 }, (x) => (normalCdf(x) - normalCdf(-2)) / (2 * normalCdf(2) - 1)],
    [{ law: 'pareto', tail: 2.5, scale: 3, signed: false }, (x) => 1 - (3 / x) ** 2.5],
    [{ law: 'pareto', tail: 1.5 }, (x) => (x < 0 ? Math.abs(x) ** -1.5 / 2 : 1 - x ** -1.5 / 2)],
  ])('%o has its distribution function', (spec, cdf) => {
    expect(largestGap(drawn(spec), cdf)).toBeLessThan(gapAllowed);
  });

  it('of two points takes each with its probability, and no other', () => {
    const share = (sample: Float64Array, value: number): number =>
      sample.reduce((sum, x) => sum + Number(x === value), 0) / draws;
    const signed = drawn({ law: 'two-point', probability: 0.2, scale: 5 });
    const spikes = drawn({ law: 'two-point', probability: 0.2, scale: 5, signed: false });
    for (const [sample, value, chance] of [
      [signed, 5, 0.1],
      [signed, -5, 0.1],
      [signed, 0, 0.8],
      [spikes, 5, 0.2],
      [spikes, 0, 0.8],
    ] as const)
      expect(Math.abs(share(sample, value) - chance)).toBeLessThan(gapAllowed);
  });

  it('state exact moments', () => {
    const at = (spec: DistributionSpec): unknown => momentsOf(law.parse(spec));
    expect(at({ law: 'two-point', probability: 0.25, scale: 2 })).toEqual({ mean: 0, second: 1, fourth: 4 });
    expect(at({ law: 'two-point', probability: 0.25, scale: 2, signed: false })).toMatchObject({ mean: 0.5 });
    expect(at({ law: 'pareto', tail: 3, signed: false })).toEqual({ mean: 1.5, second: 3, fourth: Infinity });
    expect(at({ law: 'pareto', tail: 1 })).toEqual({ mean: null, second: Infinity, fourth: Infinity });
    expect(at({ law: 'pareto', tail: 6, scale: 2 })).toEqual({ mean: 0, second: 6, fourth: 48 });
    // ∫ z² φ over ±b is 1 − 2bφ(b)/(2Φ(b) − 1).
    const { second, fourth } = momentsOf(law.parse({ law: 'truncated-normal', bound: 1.5, scale: 2 }));
    const density = Math.exp(-1.125) / Math.sqrt(2 * Math.PI);
    const mass = 2 * normalCdf(1.5) - 1;
    expect(second / 4).toBeCloseTo(1 - (3 * density) / mass, 12);
    expect(fourth / 16).toBeCloseTo(3 * (1 - (3 * density) / mass) - (2 * 1.5 ** 3 * density) / mass, 12);
    expect(momentsOf(law.parse({ law: 'truncated-normal', bound: 1e-3 })).second / (1e-6 / 3)).toBeCloseTo(
      1,
      6,
    );
    expect(at({ law: 'truncated-normal', bound: 1e10 })).toEqual({
      mean: 0,
      second: expect.closeTo(1, 12),
      fourth: expect.closeTo(3, 12),
    });
  });
});

describe('designs', () => {
  it('of groups are rows on spheres about the centre of their label', () => {
    const centres = [
      [3, 0, 0],
      [0, -2, 1],
    ];
    const { features, labels, rows, facts } = make({
      rows: 2000,
      columns: 3,
      features: { law: 'sphere', radius: 0.5 },
      response: { kind: 'groups', centres },
    });
    const second = new Float64Array(3);
    let farthest = 0;
    for (let i = 0; i < rows; i++) {
      const off = centres[labels[i]].map((entry, j) => features.get(i, j) - entry);
      farthest = Math.max(farthest, Math.abs(Math.hypot(...off) - 0.5));
      off.forEach((entry, j) => (second[j] += entry ** 2 / rows));
    }
    expect(farthest).toBeLessThan(1e-12);
    const { second: expected } = facts.feature as { readonly second: number };
    for (const one of second) expect(one).toBeCloseTo(expected, 2);
    const share = labels.reduce((sum, label) => sum + label, 0) / rows;
    expect(Math.abs(share - 0.5)).toBeLessThan(0.07);
    expect(facts).toMatchObject({ spectrum: null, optimum: null, minimalRisk: null });
  });

  it('of multivariate t are large in all entries at once, and spherical', () => {
    const nu = 3;
    const data = make({
      rows: draws / 2,
      columns: 2,
      features: { law: 'multivariate-t', degreesOfFreedom: nu, scale: 2 },
    });
    // ‖x‖²/(d s²) has the F law: P(‖x‖ > r) = (1 + r²/(ν s²))^(−ν/2) in the plane.
    const norms = Float64Array.from({ length: data.rows }, (_, i) =>
      Math.hypot(data.features.get(i, 0), data.features.get(i, 1)),
    );
    expect(largestGap(norms, (r) => 1 - (1 + r ** 2 / (4 * nu)) ** (-nu / 2))).toBeLessThan(
      gapAllowed * Math.SQRT2,
    );
    const angles = norms.map(
      (_, i) => Math.atan2(data.features.get(i, 0), data.features.get(i, 1)) / (2 * Math.PI) + 0.5,
    );
    expect(largestGap(angles, (x) => x)).toBeLessThan(gapAllowed * Math.SQRT2);
    expect(data.facts).toMatchObject({
      feature: { mean: 0, second: 12, fourth: Infinity },
      spectrum: { least: 12, largest: 12, rank: 2 },
    });
    expect(make({ features: { law: 'multivariate-t', degreesOfFreedom: 2 } }).facts).toMatchObject({
      spectrum: null,
      optimum: null,
      growth: null,
    });
  });

  it('of a rank lie in a space of that many dimensions, with the second moments of the factors', () => {
    const data = make({ rows: 20_000, rank: 2, features: { law: 'gaussian', scale: 3 } });
    const matrix = secondMoments({ ...data, features: data.features.data });
    const trace = [0, 1, 2, 3, 4, 5].reduce((sum, j) => sum + matrix[7 * j], 0);
    const square = matrix.reduce((sum, entry) => sum + entry * entry, 0);
    // Two eigenvalues near 9, and four that are 0.
    expect([trace / 18, square / 162]).toEqual([expect.closeTo(1, 1), expect.closeTo(1, 1)]);
    expect(data.facts.spectrum).toEqual({ least: 9, largest: 9, rank: 2 });
    for (let i = 0; i + 2 < 30; i += 3) {
      // Three rows in the plane are dependent: their Gram matrix is singular.
      const [a, b, c] = [0, 1, 2].map((k) => data.features.data.subarray(6 * (i + k), 6 * (i + k + 1)));
      const dot = (u: Float64Array, v: Float64Array): number => u.reduce((sum, x, j) => sum + x * v[j], 0);
      const [aa, bb, cc, ab, ac, bc] = [dot(a, a), dot(b, b), dot(c, c), dot(a, b), dot(a, c), dot(b, c)];
      expect(
        Math.abs(aa * (bb * cc - bc * bc) - ab * (ab * cc - bc * ac) + ac * (ab * bc - bb * ac)),
      ).toBeLessThan(1e-9 * aa * bb * cc);
    }
    expect(
      make({ rank: 2, features: { law: 'two-point', probability: 0.5, scale: 2, signed: false } }).facts
        .spectrum,
    ).toEqual({ least: 1, largest: 3, rank: 2 });
  });

  it('have sparse true weights if asked for', () => {
    const { weights, facts } = make({ columns: 50, nonZeroWeights: 4, weightNorm: 6 });
    expect([...weights].filter((weight) => weight !== 0).map(Math.abs)).toEqual([3, 3, 3, 3]);
    expect(facts.optimum).toEqual(weights);
    expect(make({ columns: 50, nonZeroWeights: 4 }, 'other').weights).not.toEqual(
      make({ columns: 50, nonZeroWeights: 4 }).weights,
    );
    expect(make({ nonZeroWeights: 6, weightNorm: 1 }).weights.every((weight) => weight !== 0)).toBe(true);
  });

  it('answer through a wavy link, with the facts of its risk', () => {
    const noise = { law: 'student-t', degreesOfFreedom: 4, scale: 0.1 } as const;
    const data = make({ response: { kind: 'sine-link', amplitude: 0.3, noise } });
    const errors = drawInto(
      new Float64Array(shape.rows),
      law.parse(noise),
      seededRandom('seed').fork('noise'),
    );
    for (let i = 0; i < shape.rows; i++) {
      const m = data.weights.reduce((sum, weight, j) => sum + weight * data.features.get(i, j), 0);
      expect(data.labels[i] - m - 0.3 * Math.sin(m)).toBeCloseTo(errors[i], 12);
    }
    expect(data.facts).toMatchObject({
      minimalRisk: expect.closeTo(0.01, 12),
      growth: sineLinkGrowth({ amplitude: 0.3, leastEigenvalue: 1 }),
      optimum: data.weights,
    });
  });

  it('answer by the sign of the margin, turned round at times', () => {
    const share = (flipped: number): number => {
      const data = make({ rows: draws, columns: 2, response: { kind: 'sign', flipped } });
      expect(new Set(data.labels)).toEqual(new Set([-1, 1]));
      expect(data.facts).toMatchObject({ noise: null, optimum: null, minimalRisk: null, growth: null });
      return (
        data.labels.reduce(
          (sum, y, i) =>
            sum +
            Number(
              y * (data.weights[0] * data.features.get(i, 0) + data.weights[1] * data.features.get(i, 1)) < 0,
            ),
          0,
        ) / draws
      );
    };
    expect(share(0)).toBe(0);
    expect(Math.abs(share(0.2) - 0.2)).toBeLessThan(gapAllowed);
  });

  it('know the spectrum of entries that are not centred', () => {
    const data = make({
      rows: 50_000,
      columns: 2,
      features: { law: 'log-normal', sigma: 0.5, centred: false },
    });
    const matrix = secondMoments({ ...data, features: data.features.data });
    const { least, largest } = defined(data.facts.spectrum);
    expect([matrix[0] + matrix[1], matrix[0] - matrix[1]]).toEqual([
      expect.closeTo(largest, 1),
      expect.closeTo(least, 1),
    ]);
    expect(
      make({ columns: 3, features: { law: 'balanced-signs', scale: [1, 2, 5] } }).facts.spectrum,
    ).toEqual({ least: 1, largest: 25, rank: 3 });
    expect(make({ features: { law: 'two-point', probability: 1, signed: false } }).facts.spectrum).toEqual({
      least: 6,
      largest: 6,
      rank: 1,
    });
    expect(make({ features: { law: 'pareto', tail: 1e9, signed: false } }).facts.spectrum).toBeNull();
  });

  it.each([
    { rank: 7 },
    { rank: 0 },
    { rank: 2, features: { law: 'balanced-signs' } },
    { nonZeroWeights: 7 },
    { nonZeroWeights: 0 },
    { nonZeroWeights: 1, weights: [1, 0, 0, 0, 0, 0] },
    { response: { kind: 'sign', flipped: 0.6 } },
    { response: { kind: 'sine-link', amplitude: 1 } },
    { features: { law: 'two-point', probability: 0 } },
    { features: { law: 'pareto', tail: 0 } },
    { features: { law: 'truncated-normal', bound: 0 } },
    { features: { law: 'multivariate-t' } },
    { features: { law: 'sphere', radius: 0 } },
    { response: { kind: 'groups', centres: [[0, 0, 0, 0, 0, 0]] } },
    { response: { kind: 'groups', centres: [[1], [2]] } },
    {
      response: { kind: 'groups', centres: [Array(6).fill(0), Array(6).fill(1)] },
      weights: Array(6).fill(1),
    },
  ])('refuses %o', (change) => {
    expect(() => make(change as Partial<SyntheticSpec>)).toThrow(InvalidParameter);
  });
});
