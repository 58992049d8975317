import fc from 'fast-check';
import { InvalidParameter } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { describe, expect, it } from 'vitest';
import { gaussianDesign, logNormalDesign, studentTDesign, syntheticData } from './generators.js';
import type { SyntheticSpec } from './synthetic-spec.js';
import { drawInto, law, momentsOf, type DistributionSpec } from './distribution.js';
import type { DataRandom } from './random-source.js';
import { logGammaStream, studentTInto, studentTLimit } from './student-t.js';

/** A small seeded source for these tests: splitmix-like 32-bit mixing and the polar method. */
function seeded(seed: number): DataRandom {
  let state = seed >>> 0;
  const word = (): number => {
    state = (state + 0x9e3779b9) >>> 0;
    let z = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return (z ^ (z >>> 15)) >>> 0;
  };
  const uniform = (): number => (word() * 2 ** 21 + (word() >>> 11)) / 2 ** 53;
  const gaussian = (): number => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
  return {
    uniform,
    gaussianInto: (out) => out.map((_, index) => (out[index] = gaussian())) && out,
    fork: (label) =>
      seeded(
        [...label].reduce(
          (hash, letter) => Math.imul(hash ^ letter.charCodeAt(0), 16_777_619),
          seed ^ 0x811c9dc5,
        ),
      ),
  };
}

const draws = 100_000;
/** Dvoretzky–Kiefer–Wolfowitz: the largest gap passes this with chance 1e-9. */
const gapAllowed = Math.sqrt(Math.log(2e9) / (2 * draws));

function largestGap(sample: Float64Array, cdf: (x: number) => number): number {
  const sorted = sample.toSorted();
  return sorted.reduce(
    (gap, x, rank) =>
      Math.max(gap, Math.abs(cdf(x) - rank / sorted.length), Math.abs(cdf(x) - (rank + 1) / sorted.length)),
    0,
  );
}

describe('samplers', () => {
  it.each<[number, (x: number) => number]>([
    [1, (x) => 0.5 + Math.atan(x) / Math.PI],
    [2, (x) => 0.5 + x / (2 * Math.sqrt(2 + x * x))],
    [3, (x) => 0.5 + (x / Math.sqrt(3) / (1 + (x * x) / 3) + Math.atan(x / Math.sqrt(3))) / Math.PI],
    [4, (x) => 0.5 + (0.375 * x * (1 - (x * x) / (12 * (1 + (x * x) / 4)))) / Math.sqrt(1 + (x * x) / 4)],
  ])('Student-t with %i degrees of freedom has its distribution function', (degreesOfFreedom, cdf) => {
    expect(largestGap(studentTInto(new Float64Array(draws), degreesOfFreedom, seeded(7)), cdf)).toBeLessThan(
      gapAllowed,
    );
  });

  it.each<[number, (x: number) => number]>([
    [1, (x) => -Math.expm1(-x)],
    [2, (x) => 1 - (1 + x) * Math.exp(-x)],
    [3, (x) => 1 - (1 + x + (x * x) / 2) * Math.exp(-x)],
  ])('Gamma of shape %i has its distribution function', (shape, cdf) => {
    const next = logGammaStream(shape, seeded(11));
    expect(largestGap(Float64Array.from({ length: draws }, next), (x) => cdf(Math.exp(x)))).toBeLessThan(
      gapAllowed,
    );
  });

  it('Gamma of shape below one is the sum that it should be: Gamma(¼) + Gamma(¾) is exponential', () => {
    const [quarter, rest] = [logGammaStream(0.25, seeded(13)), logGammaStream(0.75, seeded(17))];
    expect(
      largestGap(
        Float64Array.from({ length: draws }, () => Math.exp(quarter()) + Math.exp(rest())),
        (x) => -Math.expm1(-x),
      ),
    ).toBeLessThan(gapAllowed);
  });

  it('is finite for every degree of freedom', () => {
    fc.assert(
      fc.property(
        fc
          .tuple(fc.integer({ min: 1, max: 999 }), fc.integer({ min: -300, max: 6 }))
          .map(([m, e]) => Number(`${m}e${e}`)),
        fc.integer(),
        (nu, seed) => {
          expect(
            studentTInto(new Float64Array(50), nu, seeded(seed)).every((x) => Math.abs(x) <= studentTLimit),
          ).toBe(true);
        },
      ),
    );
  });
});

/**
 * ∫ g(u) du by the trapezium rule, which converges
 * geometrically for smooth integrands that vanish at the ends.
 */
const integral = (g: (u: number) => number, end: number): number =>
  Array.from({ length: 40_001 }, (_, k) => g((k / 20_000 - 1) * end) * (end / 20_000)).reduce(
    (a, b) => a + b,
    0,
  );

describe('momentsOf', () => {
  it.each<DistributionSpec>([
    { law: 'gaussian', scale: 3 },
    { law: 'log-normal', sigma: 0.5, scale: 2 },
    { law: 'log-normal', sigma: 0.5, scale: 2, centred: false },
    { law: 'log-normal', sigma: 1.5 },
  ])('agrees with quadrature: %o', (description) => {
    const spec = law.parse(description);
    const moment = (power: number): number =>
      integral(
        (z) =>
          drawInto(Float64Array.of(z), spec, { ...seeded(1), gaussianInto: (out) => out })[0] ** power *
          Math.exp((-z * z) / 2),
        30,
      ) / Math.sqrt(2 * Math.PI);
    const { mean, second, fourth } = momentsOf(spec);
    expect(Math.abs(defined(mean) - moment(1))).toBeLessThan(1e-9);
    expect(second / moment(2)).toBeCloseTo(1, 10);
    expect(fourth / moment(4)).toBeCloseTo(1, 10);
  });

  it.each([2.5, 3, 4.5, 9])('agrees with quadrature for Student-t with %d degrees of freedom', (nu) => {
    const weight = (u: number): number => (1 + Math.sinh(u) ** 2 / nu) ** (-(nu + 1) / 2) * Math.cosh(u);
    const moment = (power: number): number =>
      integral((u) => (2 * Math.sinh(u)) ** power * weight(u), 70) / integral(weight, 70);
    const { second, fourth } = momentsOf(law.parse({ law: 'student-t', degreesOfFreedom: nu, scale: 2 }));
    expect(second / moment(2)).toBeCloseTo(1, 9);
    if (nu > 4) expect(fourth / moment(4)).toBeCloseTo(1, 9);
    else expect(fourth).toBe(Infinity);
  });

  it('says which moments do not exist', () => {
    const at = (degreesOfFreedom: number): unknown =>
      momentsOf(law.parse({ law: 'student-t', degreesOfFreedom }));
    expect(at(1)).toEqual({ mean: null, second: Infinity, fourth: Infinity });
    expect(at(2)).toEqual({ mean: 0, second: Infinity, fourth: Infinity });
    expect(at(4)).toEqual({ mean: 0, second: 2, fourth: Infinity });
  });
});

describe('syntheticData', () => {
  const shape = { rows: 300, columns: 4 } as const;
  const margins = ({ features, rows, weights }: ReturnType<typeof syntheticData>): number[] =>
    Array.from({ length: rows }, (_, row) =>
      weights.reduce((sum, weight, column) => sum + weight * features.get(row, column), 0),
    );

  it('has linear labels of margin plus the noise of its own fork', () => {
    const noise = { law: 'student-t', degreesOfFreedom: 3, scale: 0.1 } as const;
    const data = gaussianDesign({ ...shape, response: { kind: 'linear', noise } }, seeded(3));
    const drawn = drawInto(new Float64Array(shape.rows), law.parse(noise), seeded(3).fork('noise'));
    margins(data).forEach((margin, row) => expect(data.labels[row] - margin).toBeCloseTo(drawn[row], 10));
    expect(data.facts).toEqual({
      feature: { mean: 0, second: 1, fourth: 3 },
      noise: momentsOf(law.parse(noise)),
      optimum: data.weights,
      minimalRisk: momentsOf(law.parse(noise)).second / 2,
      spectrum: { least: 1, largest: 1, rank: 4 },
      growth: 1,
    });
    expect(data.facts.minimalRisk).toBeCloseTo(0.015, 12);
  });

  it('has logistic labels of the stated probability', () => {
    const data = studentTDesign(
      { rows: draws, columns: 2, degreesOfFreedom: 2, weightNorm: 2, response: { kind: 'logistic' } },
      seeded(5),
    );
    const signed = margins(data).map((margin, row) => [margin, data.labels[row] as number] as const);
    expect(new Set(data.labels)).toEqual(new Set([-1, 1]));
    for (const keep of [
      (margin: number): boolean => margin > 1,
      (margin: number): boolean => margin < 0,
      (): boolean => true,
    ]) {
      const gaps = signed.map(([margin, label]) =>
        keep(margin) ? (label + 1) / 2 - 1 / (1 + Math.exp(-margin)) : 0,
      );
      expect(Math.abs(gaps.reduce((a, b) => a + b, 0)) / draws).toBeLessThan(gapAllowed);
    }
    expect(data.facts).toMatchObject({ noise: null, optimum: data.weights, minimalRisk: null });
  });

  it('states no optimum that does not exist', () => {
    const linear = (features: DistributionSpec, noise: DistributionSpec): unknown =>
      syntheticData({ ...shape, features, response: { kind: 'linear', noise } }, seeded(1)).facts.optimum;
    const heavy = { law: 'student-t', degreesOfFreedom: 2 } as const;
    expect(linear(heavy, { law: 'gaussian' })).toBeNull();
    expect(linear({ law: 'gaussian' }, heavy)).toBeNull();
    expect(linear({ law: 'gaussian' }, { law: 'log-normal', sigma: 1, centred: false })).toBeNull();
    expect(
      studentTDesign({ ...shape, degreesOfFreedom: 1, response: { kind: 'logistic' } }, seeded(1)).facts
        .optimum,
    ).toBeNull();
  });

  it('is a function of description and source, and draws weights of the stated norm', () => {
    const spec: SyntheticSpec = { ...shape, features: { law: 'log-normal', sigma: 1 }, weightNorm: 3 };
    const [first, again] = [syntheticData(spec, seeded(9)), syntheticData(spec, seeded(9))];
    expect(again).toEqual(first);
    expect(logNormalDesign({ ...shape, sigma: 1, weightNorm: 3 }, seeded(9))).toEqual(first);
    expect(Math.hypot(...first.weights)).toBeCloseTo(3, 12);
    expect([...syntheticData({ ...spec, weights: [1, 2, 3, 4] }, seeded(9)).weights]).toEqual([1, 2, 3, 4]);
  });

  it('writes into storage of the caller', () => {
    const arena = new Float64Array(1500).fill(NaN);
    let used = 0;
    const data = gaussianDesign(shape, seeded(2), {
      allocate: (length) => arena.subarray(used, (used += length)),
    });
    expect(used).toBe(1500);
    expect(data.labels.buffer).toBe(arena.buffer);
    expect(arena.every(Number.isFinite)).toBe(true);
  });

  it.each([
    { rows: 0 },
    { columns: 0 },
    { rows: 1.5 },
    { rows: 2 ** 30, columns: 4 },
    { weights: [1] },
    { weights: [1, NaN, 0, 0] },
    { weightNorm: -1 },
    { noise: 1 },
    { features: { law: 'student-t', degreesOfFreedom: 0 } },
    { features: { law: 'student-t', degreesOfFreedom: NaN } },
    { features: { law: 'cauchy' } },
    { features: { law: 'log-normal', sigma: Infinity } },
    { features: { law: 'gaussian', scale: 0 } },
    { response: { kind: 'poisson' } },
  ])('refuses %o', (change) => {
    expect(() =>
      syntheticData({ ...shape, features: { law: 'gaussian' }, ...change } as SyntheticSpec, seeded(1)),
    ).toThrow(InvalidParameter);
  });
});
