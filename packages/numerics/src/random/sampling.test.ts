import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InvalidParameter } from '../errors.js';
import { permutation, sampleWithoutReplacement } from './permutation.js';
import { poissonSample } from './poisson-sample.js';
import type { RandomSource } from './random-source.js';
import { seededRandom } from './source.js';

// Fixed seeds; bounds of at least 7 standard deviations.
const within = (value: number, expected: number, deviation: number): void =>
  expect(Math.abs(value - expected)).toBeLessThan(7 * deviation);

describe('poissonSample', () => {
  test('gives ascending rows of the range', () => {
    const rates = fc.oneof(
      fc.integer({ min: 0, max: 1000 }).map((i) => i / 1000),
      fc.integer({ min: -300, max: 0 }).map((e) => 10 ** e),
    );
    fc.assert(
      fc.property(fc.nat(1000), fc.nat(3000), rates, (seed, n, rate) => {
        const rows = poissonSample(seededRandom(seed), n, rate);
        rows.forEach((row, i) => expect(row < n && (i === 0 || row > rows[i - 1])).toBe(true));
        expect(poissonSample(seededRandom(seed), n, rate)).toEqual(rows);
      }),
      { numRuns: 300 },
    );
  });

  test.each([1e-12, 1e-6, 0.001, 0.1, 0.2, 0.25, 0.26, 0.6])(
    'gaps at rate %d end where the exponential passes a multiple of −ln(1 − rate)',
    (rate) => {
      const gap = 1 + Math.floor(1000 / (1 + rate));
      for (const side of [-1, 1]) {
        const drawn = -gap * Math.log1p(-rate) * (1 + side * 1e-12);
        const source: RandomSource = { ...seededRandom(1), laplaceInto: (out) => out.fill(drawn) };
        const [first] = poissonSample(source, gap + 1, rate);
        expect(first).toBe(side < 0 ? gap - 1 : gap);
      }
    },
  );

  test('takes every row at rate 1 and none at rate 0, or of none', () => {
    expect([...poissonSample(seededRandom(1), 5, 1)]).toEqual([0, 1, 2, 3, 4]);
    expect(poissonSample(seededRandom(1), 1_000_000, 0)).toHaveLength(0);
    expect(poissonSample(seededRandom(1), 0, 0.5)).toHaveLength(0);
    expect(poissonSample(seededRandom(1), 2 ** 32 - 1, 1e-300)).toHaveLength(0);
  });

  test.each([0.003, 0.2, 0.26, 0.5, 0.97])(
    'each row comes with probability %d, whatever came before it',
    (rate) => {
      const [n, times] = [12, 40_000];
      const source = seededRandom(`rows at ${rate}`);
      const alone = new Float64Array(n);
      const together = new Float64Array(n * n);
      for (let t = 0; t < times; t++) {
        const rows = poissonSample(source, n, rate);
        for (const a of rows) {
          alone[a]++;
          for (const b of rows) if (b > a) together[n * a + b]++;
        }
      }
      for (let a = 0; a < n; a++) {
        within(alone[a], times * rate, Math.sqrt(times * rate * (1 - rate)) + 1);
        for (let b = a + 1; b < n; b++)
          within(together[n * a + b], times * rate ** 2, Math.sqrt(times * rate ** 2 * (1 - rate ** 2)) + 1);
      }
    },
  );

  test('small rates: the number taken has the binomial mean and spread', () => {
    const [n, rate, times] = [100_000, 256 / 100_000, 4000];
    const source = seededRandom('batches');
    let [sum, squares] = [0, 0];
    for (let t = 0; t < times; t++) {
      const { length } = poissonSample(source, n, rate);
      sum += length;
      squares += (length - n * rate) ** 2;
    }
    const variance = n * rate * (1 - rate);
    within(sum / times, n * rate, Math.sqrt(variance / times));
    within(squares / times, variance, variance * Math.sqrt(2.1 / times));
  });

  test.each([
    [-1, 0.5],
    [1.5, 0.5],
    [NaN, 0.5],
    [2 ** 32, 0.5],
    [10, -0.1],
    [10, 1.1],
    [10, NaN],
  ])('refuses n = %d, rate = %d', (n, rate) => {
    expect(() => poissonSample(seededRandom(1), n, rate)).toThrow(InvalidParameter);
  });
});

describe('permutation', () => {
  test('has every position once', () => {
    fc.assert(
      fc.property(fc.nat(1000), fc.nat(300), (seed, n) => {
        expect([...permutation(seededRandom(seed), n)].toSorted((a, b) => a - b)).toEqual(
          Array.from({ length: n }, (_, i) => i),
        );
      }),
      { numRuns: 100 },
    );
  });

  test('all 24 orders of four come equally often', () => {
    const counts = new Map<string, number>();
    const source = seededRandom('orders');
    for (let t = 0; t < 48_000; t++) {
      const order = permutation(source, 4).join();
      counts.set(order, (counts.get(order) ?? 0) + 1);
    }
    expect(counts.size).toBe(24);
    for (const count of counts.values()) within(count, 2000, Math.sqrt(2000));
  });
});

describe('sampleWithoutReplacement', () => {
  test('gives every ordered choice of three of 25 once, all draws enumerated', () => {
    const found = new Set<string>();
    for (let i = 0; i < 25; i++)
      for (let j = 0; j < 24; j++)
        for (let k = 0; k < 23; k++) {
          const script = [i, j, k];
          const source: RandomSource = { ...seededRandom(1), integer: () => script.shift() ?? 0 };
          const chosen = sampleWithoutReplacement(source, 25, 3);
          if (new Set(chosen).size === 3) found.add(chosen.join());
        }
    expect(found.size).toBe(25 * 24 * 23);
  });

  test('is the beginning of the permutation of the same source, with few or many taken', () => {
    fc.assert(
      fc.property(fc.nat(1000), fc.nat(400), fc.nat(400), (seed, a, b) => {
        const [k, n] = [Math.min(a, b), Math.max(a, b)];
        expect([...sampleWithoutReplacement(seededRandom(seed), n, k)]).toEqual([
          ...permutation(seededRandom(seed), n).subarray(0, k),
        ]);
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    [3, 4],
    [3, -1],
    [3, 0.5],
    [-1, 0],
    [2 ** 32, 1],
    [NaN, 0],
    [3, NaN],
  ])('refuses n = %d, k = %d', (n, k) => {
    expect(() => sampleWithoutReplacement(seededRandom(1), n, k)).toThrow(InvalidParameter);
  });
});
