import { InvalidParameter, noiseVarianceAt, seededRandom, Unsupported } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { notPositive } from '../../test/support/arbitraries.js';
import { compareProductWithOne } from '../../test/support/exact.js';
import { discreteGaussian } from './discrete-gaussian.js';
import { discreteLaplace } from './discrete-laplace.js';
import { gaussian } from './gaussian.js';
import { skellam } from './skellam.js';
import { wholeDistribution } from './whole-distribution.js';

const params = { leastScale: 1e-300 } as { leastScale: number } & Record<string, never>;
const exact = [
  ['discrete-laplace', discreteLaplace, 2 ** 40],
  ['discrete-gaussian', discreteGaussian, 2 ** 40],
  ['skellam', skellam, 2 ** 14],
] as const;

describe.each(exact)('%s', (_name, mechanism, largest) => {
  const noised = (value: readonly number[], scale: number, seed = 'noise'): Float64Array => {
    const out = Float64Array.from(value);
    mechanism.addNoise(params, out, scale, seededRandom(seed));
    return out;
  };

  it('takes every double up to its largest scale, and refuses the next', () => {
    const doubles = fc
      .tuple(fc.integer({ min: -1074, max: Math.log2(largest) - 1 }), fc.integer({ min: 0, max: 2 ** 30 }))
      .map(([exponent, bits]) => 2 ** exponent * (1 + bits / 2 ** 30 + 2 ** -52));
    fc.assert(
      fc.property(
        doubles.filter((scale) => scale >= params.leastScale),
        (scale) => {
          expect(noised([0, 5, -(2 ** 50)], scale).every(Number.isSafeInteger)).toBe(true);
        },
      ),
      { numRuns: 40 },
    );
    expect(noised([1], largest).every(Number.isSafeInteger)).toBe(true);
    expect(noised([1, -7, 2 ** 52], 1e-300)).toEqual(Float64Array.of(1, -7, 2 ** 52));
    const value = Float64Array.of(1, 2);
    expect(() => mechanism.addNoise(params, value, largest * (1 + 2 ** -52), seededRandom(0))).toThrow(
      Unsupported,
    );
    expect(value).toEqual(Float64Array.of(1, 2));
  });

  it('refuses a value that is not whole before it draws or writes anything', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(0.5, 2 ** 53, -(2 ** 60), Number.NaN, Infinity, 1e-300),
        fc.nat(3),
        (bad, at) => {
          const value = Float64Array.of(1, 2, 3, 4);
          const random = seededRandom('refused');
          value[at] = bad;
          const before = value.slice();
          expect(() => mechanism.addNoise(params, value, 2, random)).toThrow(InvalidParameter);
          expect(value).toEqual(before);
          expect(random.bits53()).toBe(seededRandom('refused').bits53());
        },
      ),
    );
  });

  it('holds sums to what doubles count exactly', () => {
    const most = Number.MAX_SAFE_INTEGER;
    const many = noised(
      Array.from({ length: 200 }, (_, i) => (i % 2 === 0 ? most : -most)),
      50,
    );
    expect(many.every(Number.isSafeInteger)).toBe(true);
    expect(many.filter((x) => x === most).length).toBeGreaterThan(20);
    expect(many.filter((x) => x === -most).length).toBeGreaterThan(20);
    expect(many.filter((x) => Math.abs(x) < most).length).toBeGreaterThan(40);
  });

  it('refuses targets that are none', () => {
    fc.assert(
      fc.property(notPositive, (bad) => {
        expect(() => mechanism.multiplierFor(params, { epsilon: bad, delta: 1e-6 })).toThrow(
          InvalidParameter,
        );
        expect(() => mechanism.multiplierFor(params, { rho: bad })).toThrow(InvalidParameter);
      }),
    );
    expect(() => mechanism.multiplierFor(params, { epsilon: 1, delta: 1 })).toThrow(InvalidParameter);
  });

  it('draws the same at one scale whatever scales were asked for between', () => {
    const before = noised([0, 0, 0, 0], 40.5);
    for (let scale = 1; scale < 40; scale++) noised([0], scale);
    expect(noised([0, 0, 0, 0], 40.5)).toEqual(before);
  });
});

describe('discreteLaplace', () => {
  it('writes its multiplier and the relative sensitivities into the event', () => {
    expect(
      discreteLaplace.event({}, 2, { 'replace-one': 1, 'zero-out': 0.5, 'add-remove': undefined }),
    ).toEqual({
      kind: 'core/discrete-laplace',
      v: 1,
      scale: 2,
      sensitivity: { 'replace-one': 1, 'zero-out': 0.5 },
    });
  });

  it('has the closed-form deviation √(2q)/(1 − q), q = e^(−1)', () => {
    expect(discreteLaplace.standardDeviation({})).toBeCloseTo(Math.sqrt(2 / Math.E) / (1 - 1 / Math.E), 13);
    expect(discreteLaplace.cdf({}, 0) - discreteLaplace.cdf({}, -0.5)).toBeCloseTo(Math.tanh(0.5), 14);
  });
});

describe('discreteGaussian', () => {
  it('meets ρ by 1/√(2ρ), rounded to the private side', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1e6 }),
        fc.integer({ min: -100, max: 100 }),
        (mantissa, exponent) => {
          const rho = mantissa * 2 ** exponent;
          const sigma = discreteGaussian.multiplierFor({}, { rho });
          expect(compareProductWithOne(2, rho, sigma, sigma)).toBeGreaterThanOrEqual(0);
          const less = sigma * (1 - 2 ** -51);
          expect(compareProductWithOne(2, rho, less, less)).toBe(-1);
        },
      ),
    );
  });

  it('is refused pure privacy, and says what would do', () => {
    expect(() => discreteGaussian.multiplierFor({}, { epsilon: 1, delta: 0 })).toThrow(
      /delta above 0.*rho.*discrete-laplace/u,
    );
    expect(() => skellam.multiplierFor(params, { epsilon: 1, delta: 0 })).toThrow(Unsupported);
    expect(() => skellam.multiplierFor(params, { rho: 1 })).toThrow(/discrete-gaussian/u);
  });

  it('has less variance than its parameter says, by the known correction', () => {
    // Var = σ²(1 − 4π²σ² · 2e^(−2π²σ²) + …) at σ = 1, by Poisson summation.
    const q = Math.exp(-2 * Math.PI ** 2);
    const variance = 1 - (8 * Math.PI ** 2 * q) / (1 + 2 * q);
    expect(discreteGaussian.standardDeviation({}) ** 2).toBeCloseTo(variance, 13);
  });
});

describe('the deviation of whole noise', () => {
  it('is at most its bound times the scale, at every scale, and near it at large ones', () => {
    for (const [mechanism, weight] of [
      [discreteGaussian, (k: number, scale: number) => Math.exp(-(k ** 2) / (2 * scale ** 2))],
      [discreteLaplace, (k: number, scale: number) => Math.exp(-k / scale)],
    ] as const)
      for (const scale of [0.2, 0.5, 1, 2, 10, 100]) {
        const law = wholeDistribution((k) => weight(k, scale), 60 * Math.ceil(scale));
        const variance = noiseVarianceAt(mechanism, {}, scale);
        expect(law.standardDeviation ** 2).toBeLessThanOrEqual(variance * (1 + 1e-12));
        if (scale >= 10) expect(law.standardDeviation ** 2 / variance).toBeGreaterThan(0.999);
      }
    expect(noiseVarianceAt(gaussian, {}, 3)).toBe(9);
  });
});

describe('skellam', () => {
  it('refuses scales below the least that it states', () => {
    const value = Float64Array.of(3);
    expect(() => skellam.addNoise({ leastScale: 16 }, value, 15.9, seededRandom(0))).toThrow(Unsupported);
    expect(value).toEqual(Float64Array.of(3));
    skellam.addNoise({ leastScale: 16 }, value, 16, seededRandom(0));
    for (const leastScale of [0, -1, Number.NaN, 2 ** 15])
      expect(() => skellam({ leastScale })).toThrow(InvalidParameter);
    expect(skellam({}).params).toEqual({ leastScale: 1 });
  });

  it('has the Bessel probabilities', () => {
    // e^(−1) I_0(1) and e^(−1) I_1(1), from tables.
    expect(skellam.cdf(params, 0) - skellam.cdf(params, -1)).toBeCloseTo(0.46575960759364, 12);
    expect(skellam.cdf(params, 1) - skellam.cdf(params, 0)).toBeCloseTo(0.20791041534971, 12);
  });
});
