import { integrate, logBinomial } from '@lethe/numerics';
import { InvalidParameter } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alignmentOfBernoulli, alignmentOfInformation, informationOfHeavyTails } from './hidden-signs.js';

/** `E|E[ν | heads]|²` for a uniform sign and n coins with heads `(1 + bias ν)/2`, exactly. */
function squaredPosterior(n: number, bias: number): number {
  let sum = 0;
  for (let heads = 0; heads <= n; heads++) {
    const [up, down] = [1, -1].map(
      (sign) =>
        Math.exp(logBinomial(n, heads)) *
        ((1 + bias * sign) / 2) ** heads *
        ((1 - bias * sign) / 2) ** (n - heads),
    ) as [number, number];
    sum += up + down === 0 ? 0 : (up - down) ** 2 / (up + down) / 2;
  }
  return sum;
}

describe('alignmentOfBernoulli', () => {
  it('is at least the alignment of the posterior, for any number of coins', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 200 }),
        fc.integer({ min: 0, max: 8 }),
        fc.integer({ min: 1, max: 9 }),
        (n, e, digit) => {
          const bias = (digit / 10) * 2 ** -e;
          expect(squaredPosterior(n, bias)).toBeLessThanOrEqual(
            alignmentOfBernoulli({ n, bias }) ** 2 * (1 + 1e-9),
          );
        },
      ),
    );
  });

  it('is attained by one coin, and leaves at least ¾ at the bias 1/(2√n)', () => {
    for (const bias of [1e-6, 0.2, 0.9, 1])
      expect(alignmentOfBernoulli({ n: 1, bias })).toBeCloseTo(bias, 12);
    for (const n of [1, 2, 10, 1e9])
      expect(alignmentOfBernoulli({ n, bias: 1 / (2 * Math.sqrt(n)) })).toBeLessThanOrEqual(0.5 + 1e-12);
  });
});

describe('alignmentOfInformation', () => {
  const nats = (u: number): number =>
    ((1 + u) * Math.log1p(u) + (u === 1 ? 0 : (1 - u) * Math.log1p(-u))) / 2;
  it('inverts the information of a sign whose posterior mean is ±u', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 999 }), (k) => {
        expect(alignmentOfInformation(nats(k / 1000))).toBeCloseTo(k / 1000, 9);
      }),
    );
    for (const tiny of [1e-300, 1e-20, 1e-8, 1e-4])
      expect(alignmentOfInformation(tiny) / Math.sqrt(2 * tiny)).toBeCloseTo(1, 4);
  });

  it('is rounded up: the information at the result is not smaller', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 1, max: 99 }), (e, k) => {
        const information = (k / 100) * Math.LN2 * 2 ** -e;
        const u = alignmentOfInformation(information);
        const series = Array.from(
          { length: 12 },
          (_, m) => u ** (2 * m + 2) / ((2 * m + 1) * (2 * m + 2)),
        ).reduce((a, b) => a + b, 0);
        expect((u > 0.3 ? nats(u) : series) / information).toBeGreaterThan(1 - 1e-12);
      }),
    );
  });

  it('increases from 0 to 1', () => {
    const all = [0, 1e-30, 1e-9, 1e-3, 0.009, 0.011, 0.1, 0.5, 0.69, Math.LN2, 5, Infinity].map(
      alignmentOfInformation,
    );
    expect(all).toEqual(all.toSorted((a, b) => a - b));
    expect([all[0], all.at(-1), all.at(-3)]).toEqual([0, 1, 1]);
  });

  it('refuses invalid information', () => {
    for (const bad of [-1e-9, Number.NaN])
      expect(() => alignmentOfInformation(bad)).toThrow(InvalidParameter);
  });
});

describe('informationOfHeavyTails', () => {
  it('is ρ E H²/d for a binomial H', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 0, max: 20 }).map((k) => k / 20),
        (n, probability) => {
          let squares = 0;
          for (let h = 0; h <= n; h++)
            squares +=
              h *
              h *
              (probability === 0 || probability === 1
                ? Number(h === n * probability)
                : Math.exp(logBinomial(n, h)) * probability ** h * (1 - probability) ** (n - h));
          expect(informationOfHeavyTails({ n, dimension: 5, rho: 0.3, probability })).toBeCloseTo(
            (0.3 * squares) / 5,
            9,
          );
        },
      ),
    );
  });

  it('bounds the information of the Gaussian mechanism in one dimension, by quadrature', () => {
    // The sum of records in {0, ν}, plus noise of deviation 1/√(2ρ):
    // sensitivity is 1 from null records, ρ-zCDP for these.
    for (const [n, rho, p] of [
      [1, 0.05, 0.5],
      [4, 0.02, 0.25],
      [8, 0.2, 0.1],
      [3, 1, 0.02],
    ] as const) {
      const deviation = 1 / Math.sqrt(2 * rho);
      const weights = Array.from(
        { length: n + 1 },
        (_, h) => Math.exp(logBinomial(n, h)) * p ** h * (1 - p) ** (n - h),
      );
      const density = (sign: number, y: number): number =>
        weights.reduce(
          (sum, weight, h) =>
            sum +
            (weight * Math.exp(-((y - sign * h) ** 2) / (2 * deviation ** 2))) /
              (deviation * Math.sqrt(2 * Math.PI)),
          0,
        );
      const { value } = integrate(
        (y) => {
          const [up, down] = [density(1, y), density(-1, y)];
          const both = (up + down) / 2;
          return both < 1e-280 ? 0 : (up * Math.log(up / both) + down * Math.log(down / both)) / 2;
        },
        -n - 10 * deviation,
        n + 10 * deviation,
      );
      expect(value).toBeGreaterThan(0);
      expect(value).toBeLessThanOrEqual(informationOfHeavyTails({ n, dimension: 1, rho, probability: p }));
    }
  });
});
