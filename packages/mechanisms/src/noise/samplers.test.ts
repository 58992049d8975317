import { seededRandom } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scripted } from '../../test/support/outcome-tree.js';
import { gapMargin, largestGap } from '../../test/support/distribution.js';
import { discreteGaussianSampler } from './discrete-gaussian-sampler.js';
import { discreteLaplaceSampler } from './discrete-laplace-sampler.js';
import { fractionOf } from './dyadic.js';
import { poissonDifferenceSampler } from './poisson-difference-sampler.js';

type Sampler = ReturnType<typeof discreteLaplaceSampler>;
const words = 2 ** 53;

/** The draw that follows when the script is over after it; `undefined` when the sampler asks for more. */
function drawn(sampler: Sampler, script: readonly number[]): number | undefined {
  try {
    return sampler(scripted(script));
  } catch {
    return undefined;
  }
}

/** The least word from which on `is` holds: it must not fall back. */
function leastWord(is: (word: number) => boolean): number {
  let low = -1;
  let high = words;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (is(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** Scales with all of their 53 bits in use, from 32 to 2^40. */
const wideScales = fc
  .tuple(fc.integer({ min: 5, max: 39 }), fc.integer({ min: 0, max: 2 ** 30 }))
  .map(([exponent, bits]) => 2 ** exponent * (1 + bits / 2 ** 30 + 2 ** -52 * (bits % 16)));

// A script: a word for the cell, and one for sign, offset and a number that keeps the offset. With a large
// one the draw is kept at once; with a small one the run of comparisons goes on, and the scripted integers
// end it after two, which rejects.
describe.each([
  [
    'discrete Laplace',
    discreteLaplaceSampler,
    8,
    (offset: bigint, _cell: bigint, scale: number) => {
      const { numerator, denominator } = fractionOf(scale);
      return { numerator: offset * denominator, denominator: numerator };
    },
  ],
  [
    'discrete Gaussian',
    discreteGaussianSampler,
    16,
    (offset: bigint, cell: bigint, scale: number) => {
      const { numerator, denominator } = fractionOf(scale);
      return {
        numerator: offset * (2n * cell + offset) * denominator * denominator,
        denominator: 2n * numerator * numerator,
      };
    },
  ],
] as const)('the sampler of %s noise above the scales of its table', (_name, make, cells, exponentOf) => {
  it('keeps offsets by an exact draw, and gives them in order, with either sign', () => {
    fc.assert(
      fc.property(
        wideScales,
        fc.integer({ min: 2 ** 40, max: words - 2 ** 40 }),
        fc.nat({ max: 2 ** 31 - 1 }),
        (scale, cellWord, place) => {
          let width = 1;
          while (scale >= 2 * cells * width) width *= 2;
          const sampler = make(scale);
          const unit = words / (2 * width);
          const signed = Math.floor((place / 2 ** 31) * 2 * width);
          const negative = signed >= width;
          const offset = negative ? signed - width : signed;
          const size = drawn(sampler, [cellWord, signed * unit + unit - 1]);
          fc.pre(size !== undefined && size !== 0);
          const cell = (Math.abs(size) - offset) / width;
          expect(Number.isInteger(cell)).toBe(true);
          expect(size < 0).toBe(negative);
          // In exact arithmetic: numbers from ceil(unit · exponent) on do not begin a run.
          const { numerator, denominator } = exponentOf(BigInt(offset), BigInt(width) * BigInt(cell), scale);
          fc.pre(numerator < denominator);
          const least = leastWord(
            (first) => first >= unit || drawn(sampler, [cellWord, signed * unit + first]) !== undefined,
          );
          expect(BigInt(least)).toBe((numerator * BigInt(unit) + denominator - 1n) / denominator);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('draws a negative zero again', () => {
    fc.assert(
      fc.property(wideScales, (scale) => {
        let width = 1;
        while (scale >= 2 * cells * width) width *= 2;
        const unit = words / (2 * width);
        const sampler = make(scale);
        expect(drawn(sampler, [2 ** 40, unit - 1])).toBe(0);
        expect(drawn(sampler, [2 ** 40, width * unit + unit - 1])).toBe(undefined);
      }),
      { numRuns: 20 },
    );
  });

  it('has cells of the right probability', () => {
    fc.assert(
      fc.property(wideScales, fc.integer({ min: 1, max: 40 }), (scale, cell) => {
        let width = 1;
        while (scale >= 2 * cells * width) width *= 2;
        const sampler = make(scale);
        const weight = (k: number): number =>
          cells === 8 ? Math.exp((-k * width) / scale) : Math.exp(-0.5 * ((k * width) / scale) ** 2);
        let before = 0;
        let total = 0;
        for (let k = 0; k < 800; k++) {
          total += weight(k);
          if (k < cell) before += weight(k);
        }
        // Offset 1, so that the sign does not hide a zero.
        const reached = leastWord(
          (word) => Math.floor((drawn(sampler, [word, 2 * (words / (2 * width)) - 1]) ?? -1) / width) >= cell,
        );
        expect(Math.abs(reached / words - before / total)).toBeLessThan(1e-13);
      }),
      { numRuns: 20 },
    );
  });
});

describe('samplers of noise on the integers', () => {
  const n = 40_000;
  const sample = (sampler: Sampler, name: string): Float64Array => {
    const random = seededRandom(name);
    return Float64Array.from({ length: n }, () => sampler(random));
  };
  /** Distribution function by sums of weights, walked once. */
  const cdfOf = (weight: (k: number) => number, end: number) => {
    const tail = new Float64Array(2 * end + 2);
    for (let k = -end; k <= end; k++) tail[k + end + 1] = tail[k + end] + weight(k);
    return (x: number): number =>
      tail[Math.max(-end, Math.min(end, Math.floor(x))) + end + 1] / tail[2 * end + 1];
  };
  const gap = (draws: Float64Array, cdf: (x: number) => number): number => {
    // Of a step function, compared from both sides of each step.
    const sorted = draws.toSorted();
    return sorted.reduce(
      (most, x, i) =>
        i + 1 < n && sorted[i + 1] === x ? most : Math.max(most, Math.abs((i + 1) / n - cdf(x))),
      0,
    );
  };

  it.each([0.3, 1, 3.7306316348159374, 15.999, 16, 31.9, 32, 32.3, 100.7])(
    'have the law of their scale %d',
    (scale) => {
      const end = Math.ceil(50 * scale) + 20;
      const laws = [
        [discreteLaplaceSampler(scale), (k: number) => Math.exp(-Math.abs(k) / scale)],
        [discreteGaussianSampler(scale), (k: number) => Math.exp((-k * k) / (2 * scale * scale))],
      ] as const;
      for (const [i, [sampler, weight]] of laws.entries()) {
        const draws = sample(sampler, `law ${i}`);
        expect(gap(draws, cdfOf(weight, end))).toBeLessThan(gapMargin(n));
        expect(
          gap(
            draws,
            cdfOf((k) => weight(k / 1.15), end),
          ),
        ).toBeGreaterThan(scale < 0.5 ? 0 : gapMargin(n) / 2);
      }
    },
  );

  it.each([12345.678, 2 ** 30 + 0.1, 2 ** 40])('approach the laws of real noise at scale %d', (scale) => {
    expect(
      largestGap(
        sample(discreteLaplaceSampler(scale), 'wide Laplace').map((k) => k + 0.5),
        (x) => (x < 0 ? Math.exp(x / scale) / 2 : 1 - Math.exp(-x / scale) / 2),
      ),
    ).toBeLessThan(gapMargin(n) + 1 / scale);
    const squares =
      sample(discreteGaussianSampler(scale), 'wide Gaussian').reduce((sum, x) => sum + (x / scale) ** 2, 0) /
      n;
    expect(Math.abs(squares - 1)).toBeLessThan(7 * Math.sqrt(2 / n));
  });

  it.each([0.5, 3, 60.1])('have the Skellam law of scale %d', (scale) => {
    const draws = sample(poissonDifferenceSampler(scale), 'skellam');
    const variance = scale * scale;
    // Bessel functions by backward recurrence of their ratios.
    const end = Math.ceil(12 * scale) + 30;
    const ratios = new Float64Array(3 * end + 1);
    for (let k = 3 * end - 1; k >= 0; k--) ratios[k] = 1 / ((2 * (k + 1)) / variance + ratios[k + 1]);
    const logs = new Float64Array(end + 1);
    for (let k = 1; k <= end; k++) logs[k] = logs[k - 1] + Math.log(ratios[k - 1]);
    const cdf = cdfOf((k) => Math.exp(logs[Math.abs(k)]), end);
    expect(gap(draws, cdf)).toBeLessThan(gapMargin(n));
  });

  it('adds parts where one table would be too large', () => {
    const scale = 3000.5;
    const sampler = poissonDifferenceSampler(scale);
    const random = seededRandom('parts');
    let square = 0;
    for (let i = 0; i < 4000; i++) square += (sampler(random) / scale) ** 2;
    expect(Math.abs(square / 4000 - 1)).toBeLessThan(7 * Math.sqrt(2 / 4000));
  });
});
