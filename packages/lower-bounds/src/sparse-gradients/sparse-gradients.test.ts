import { InvalidParameter, seededRandom } from '@lethe/core';
import { enumerate } from '@lethe/laws';
import { defined, logBinomial } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { approximateBlocks } from './approximate-blocks.js';
import { blockDiagonal, failureNeeded, wholeGrid } from './blocks.js';
import { drawFingerprints, fingerprintingMeanSquare } from './fingerprints.js';
import { approximateMeanRate, pureBaseRate, pureMeanRate } from './mean-rates.js';
import { greedyPacking, logPackingPromise } from './packing.js';
import { packingMeanBound } from './packing-lower-bound.js';
import { pureBlocks } from './pure-blocks.js';
import { pureSparseMeanBound } from './pure-lower-bound.js';
import { closeAnswerWithin, drawSupport, exponentFor, separationOf } from './supports.js';

describe('packings of flat vectors', () => {
  it.each([
    [4, 2, 6, 2],
    [8, 2, 28, 4],
    [8, 4, 14, 3],
    [10, 4, 18, 4],
    [12, 4, 39, 7],
    [10, 5, 22, 3],
    [12, 6, 68, 4],
  ])('of %i columns and %i entries have %i points, of %i promised, all apart', (d, s, found, promised) => {
    const packing = greedyPacking(d, s);
    expect([packing.length, Math.ceil(Math.exp(logPackingPromise(d, s)))]).toEqual([found, promised]);
    for (const [i, a] of packing.entries())
      for (const b of packing.slice(i + 1)) {
        const common = a.filter((j) => b.includes(j)).length;
        expect((2 * (s - common)) / s).toBeGreaterThan(1 / 2);
      }
  });

  it('have at least as many separate points as Lemma A.1 says, in every dimension to 60', () => {
    for (let t = 2; t <= 60; t++)
      for (let s = 1; s <= t / 2; s++) {
        const { logRatio, distance, distinct } = separationOf({ columns: t, entries: s });
        expect(logRatio).toBeGreaterThanOrEqual(logPackingPromise(t, s) - 1e-9);
        expect(logRatio).toBeGreaterThanOrEqual(logBinomial(t, s) - logBinomial(t, Math.floor(s / 2)) - 1e-9);
        expect(distance).toBeGreaterThanOrEqual(Math.SQRT1_2 - 1e-12);
        expect(distinct).toBe(s <= 4);
      }
  });

  it('have fewer than the counted supports within the distance of one, by listing them', () => {
    for (const [t, s] of [
      [10, 5],
      [12, 6],
      [11, 3],
    ]) {
      const all = supportsOf(t, s);
      const { distance, logRatio } = separationOf({ columns: t, entries: s });
      const close = all.filter((other) => {
        const common = other.filter((j) => j < s).length;
        return Math.sqrt((2 * (s - common)) / s) < distance - 1e-12;
      }).length;
      expect(all.length / close).toBeCloseTo(Math.exp(logRatio), 6);
    }
  });

  it('draw every support equally often', () => {
    const outcomes = defined(
      enumerate((random) => drawSupport({ columns: 6, entries: 3 }, random).join()) ?? undefined,
    );
    const chances = new Map<string, number>();
    for (const { value, probability } of outcomes)
      chances.set(value, (chances.get(value) ?? 0) + probability);
    expect([...chances.keys()].toSorted()).toEqual(supportsOf(6, 3).map((support) => support.join()));
    for (const chance of chances.values()) expect(chance).toBeCloseTo(1 / 20, 12);
  });
});

describe('answers of private algorithms', () => {
  it('are right with the probability of a randomised response over separate points, which is attained', () => {
    for (const points of [2, 3, 50])
      for (const epsilon of [0.1, 1, 3]) {
        const separation = { logRatio: Math.log(points), distinct: true, distance: 1 };
        const right = Math.exp(epsilon) / (Math.exp(epsilon) + points - 1);
        expect(closeAnswerWithin(epsilon, separation)).toBeCloseTo(right, 12);
        expect(exponentFor(right, separation)).toBeCloseTo(epsilon, 9);
      }
    // Lemma A.3 as printed has one half for p = 3, n = 1, ε = 1.
    expect(closeAnswerWithin(1, separationOf({ columns: 3, entries: 1 }))).toBeCloseTo(
      Math.E / (Math.E + 2),
      12,
    );
  });

  it('fail on enough blocks: Lemma 4.3 with the least that expectation gives, attained by a law on two points', () => {
    for (const blocks of [1, 2, 7, 100])
      for (let failing = 1; failing <= blocks; failing += Math.ceil(blocks / 9))
        for (const probability of [0.02, 1 / 3, 0.9]) {
          const each = failureNeeded(failing, blocks, probability);
          const mean = (1 - probability) * (failing - 1) + probability * blocks;
          expect(each * blocks).toBeCloseTo(mean, 9);
          const half = (each * blocks) / 2 + 1;
          const printed = 1 - Math.exp(-each / 8);
          expect(failureNeeded(half, blocks, each / (2 - each))).toBeGreaterThanOrEqual(each - 1e-12);
          expect(each / (2 - each)).toBeGreaterThanOrEqual(printed);
        }
  });
});

describe('blocks', () => {
  it('are all of the mean, with n₀/n times the mean of each', () => {
    const row = (j: number) => ({ columns: Uint32Array.of(j), values: Float64Array.of(1) });
    const drawn = blockDiagonal(
      { rows: 7, columns: 6, blocks: 2, rowsPerBlock: 3, columnsPerBlock: 2 },
      (k) => [
        { row: row(k), copies: 2 },
        { row: row(1 - k), copies: 1 },
      ],
    );
    expect(Array.from(drawn.mean, (x) => 7 * x)).toEqual([2, 1, 1, 2, 0, 0]);
    if (drawn.features instanceof Float64Array) throw new Error('dense');
    expect(Array.from(drawn.features.rowStarts)).toEqual([0, 1, 2, 3, 4, 5, 6, 6]);
    expect(Array.from(drawn.features.columnIndices)).toEqual([0, 0, 1, 3, 3, 2]);
    expect(() =>
      blockDiagonal({ rows: 5, columns: 6, blocks: 2, rowsPerBlock: 3, columnsPerBlock: 2 }, () => []),
    ).toThrow(InvalidParameter);
  });

  it('are sparse in 100 000 dimensions', () => {
    const given = pureSparseMeanBound.params.parse({ n: 1e4, dimension: 1e5, sparsity: 20, epsilon: 1 });
    const { features, rows, columns } = defined(pureSparseMeanBound.instance)(given, seededRandom('large'));
    if (features instanceof Float64Array) throw new Error('dense');
    expect([rows, columns, features.rowStarts.length]).toEqual([1e4, 1e5, 1e4 + 1]);
    expect(features.values.length).toBeLessThanOrEqual(2e5);
  });

  it('are tried in a grid that is closed under doubling', () => {
    const grid = [...wholeGrid(5000)];
    expect(grid.slice(0, 32)).toEqual(Array.from({ length: 32 }, (_, i) => i + 1));
    for (const value of grid) if (2 * value <= 5000) expect(grid).toContain(2 * value);
  });
});

describe('fingerprints', () => {
  it('leave (m + 4)/(3(m + 2)) where nothing is learnt of a row, which the best answer attains', () => {
    // With k ones of m, p = 2q − 1 and q is Beta(k + 1, m − k + 1).
    for (let m = 1; m <= 8; m++) {
      const value = (answer: (mean: number) => number): number => {
        let sum = 0;
        for (let k = 0; k <= m; k++) {
          const mean = (2 * k) / m - 1;
          const f = answer(mean);
          sum += (f * (2 * k - m - m * ((2 * (k + 1)) / (m + 2) - 1)) + (f - mean) ** 2) / (m + 1);
        }
        return sum;
      };
      const least = (m + 4) / (3 * (m + 2));
      expect(value((mean) => (2 * mean) / (m + 2))).toBeCloseTo(least, 12);
      fc.assert(
        fc.property(
          fc.array(fc.double({ min: -2, max: 2, noNaN: true }), { minLength: m + 1, maxLength: m + 1 }),
          (f) => {
            expect(value((mean) => f[Math.round(((mean + 1) * m) / 2)])).toBeGreaterThanOrEqual(
              least - 1e-12,
            );
          },
        ),
      );
      const nothing = { distinct: m, copies: 1, sparsity: 1e6, epsilon: 1e-9, delta: 0 };
      expect(fingerprintingMeanSquare(nothing)).toBeCloseTo(least, 6);
    }
  });

  it('bound the score of a row by its tail under privacy, integrated, or by both signs of it', () => {
    const scoreOf = (given: Omit<Parameters<typeof fingerprintingMeanSquare>[0], 'distinct'>): number =>
      5 / 9 - fingerprintingMeanSquare({ ...given, distinct: 1 });
    for (const sparsity of [4000, 1e6])
      for (const [copies, epsilon] of [
        [6, 0.5],
        [16, 0.5],
        [200, 0.1],
      ] as const)
        for (const whole of [0, 0.05 / Math.sqrt(sparsity), 3 / Math.sqrt(sparsity)]) {
          // k copies are private with (x, δ′).
          const x = copies * epsilon;
          const delta = (whole * (Math.exp(epsilon) - 1)) / (Math.exp(x) - 1);
          const tail = (score: number): number =>
            Math.min(1, Math.exp(x - score ** 2 / (2 * sparsity)) + whole);
          const step = 12 * Math.sqrt(sparsity / 4e4);
          const far = Math.min(2 * sparsity, 12 * Math.sqrt(sparsity * (x + 1)));
          let integral = whole * (2 * sparsity - far);
          for (let score = step / 2; score < far; score += step) integral += step * tail(score);
          const score = scoreOf({ copies, sparsity, epsilon, delta });
          expect((score * sparsity) / integral).toBeGreaterThan(0.999);
          expect((score * sparsity) / integral).toBeLessThan(1.03);
        }
    // sinh(kε)√(2/(3s)) + 4δ(e^{kε} − 1)/(e^ε − 1)
    for (const delta of [0, 1e-4, 0.02])
      for (const copies of [1, 3]) {
        const printed =
          Math.sinh(0.1 * copies) * Math.sqrt(2 / 3e6) +
          (4 * delta * Math.expm1(0.1 * copies)) / Math.expm1(0.1);
        const other = 2 * delta * copies + Math.sqrt((0.2 * copies) / 1e6);
        if (printed < other)
          expect(scoreOf({ copies, sparsity: 1e6, epsilon: 0.1, delta })).toBeCloseTo(printed, 12);
      }
  });

  it('are drawn with means that are uniform from −1 to 1', () => {
    const sparsity = 1e5;
    const [one, other] = drawFingerprints({ distinct: 2, copies: 1, sparsity }, seededRandom('signs'));
    // E x x′ = E p² = 1/3, with a standard deviation of 0.003.
    const product = one.row.values.reduce((sum, x, j) => sum + x * other.row.values[j], 0);
    expect(Math.abs(product - 1 / 3)).toBeLessThan(0.02);
  });

  it('have the values of the two printed choices of rows', () => {
    const six = { distinct: 6, copies: 1, sparsity: 400, epsilon: 0.5, delta: 1e-6 };
    expect(fingerprintingMeanSquare(six)).toBeCloseTo(0.28903, 4);
    // With ⌊√s/(12√(2 ln(1/δ)))⌋ rows in ⌊ln(1/δ)/(2ε)⌋ copies the value is at least 1/6.
    for (const delta of [1e-12, 1e-20])
      for (const epsilon of [0.1, 1])
        for (const sparsity of [2e4, 1e6]) {
          const logDelta = -Math.log(delta);
          const distinct = Math.floor(Math.sqrt(sparsity) / (12 * Math.sqrt(2 * logDelta)));
          const copies = Math.floor(logDelta / (2 * epsilon));
          expect(24 * distinct * Math.sqrt(delta) * (1 + 1 / epsilon)).toBeLessThan(1);
          expect(
            fingerprintingMeanSquare({ distinct, copies, sparsity, epsilon, delta }),
          ).toBeGreaterThanOrEqual(1 / 6);
        }
  });
});

describe('bounds on means of sparse records', () => {
  const sizes = [1, 3, 40, 1e3, 1e5, 1e7];

  it('are, with proved constants, at least a twentieth of the pure rate where ε ≤ 1, but for one record of three columns', () => {
    for (const sparsity of [1, 4, 16, 64])
      for (const dimension of [2 * sparsity + 1, 100, 1e4, 1e6])
        for (const n of sizes)
          for (const epsilon of [0.01, 0.1, 1]) {
            if (sparsity >= dimension / 2 || (dimension === 3 && epsilon === 1)) continue;
            const setting = { n, dimension, sparsity, epsilon };
            const { error } = pureBlocks({ ...setting, probability: 1 / 3 });
            expect(error).toBeGreaterThanOrEqual(pureMeanRate(setting) / 20);
            expect(error).toBeGreaterThanOrEqual(pureBaseRate(setting) / 20);
          }
  });

  it('are, with proved constants, at least a fiftieth of the rate under (ε, δ) where 20 ln(1/δ) ≤ s', () => {
    for (const sparsity of [400, 2000])
      for (const blocks of [1, 30])
        for (const n of sizes)
          for (const epsilon of [0.1, 1]) {
            const setting = { n, dimension: sparsity * blocks, sparsity, epsilon, delta: 1e-8 };
            const { error } = approximateBlocks({ ...setting, probability: 0.02 });
            expect(error).toBeGreaterThanOrEqual(approximateMeanRate(setting) / 50);
          }
  });

  it('are as large as a law on two points allows: its error is the bound, or the most that it can be', () => {
    for (const n of [7, 100, 12_345])
      for (const dimension of [400, 1999, 1e5])
        for (const probability of [0.001, 0.02, 0.05]) {
          const setting = { n, dimension, sparsity: 400, epsilon: 0.5, delta: 1e-8, probability };
          const { blocks, distinct, copies, error, rootMeanSquare } = approximateBlocks(setting);
          const most = (2 * distinct * copies * Math.sqrt(blocks)) / n;
          const meanSquare = (1 - probability) * error ** 2 + probability * most ** 2;
          expect(Math.sqrt(meanSquare)).toBeCloseTo(rootMeanSquare, 12);
          // Whole blocks, which fit.
          expect(Number.isSafeInteger(blocks)).toBe(true);
          expect(blocks * distinct * copies).toBeLessThanOrEqual(n);
          expect(blocks * 400).toBeLessThanOrEqual(dimension);
        }
  });

  it('have the second moment that failing with their probability gives', () => {
    for (const given of [
      { n: 4, dimension: 8, sparsity: 2, epsilon: 0.5 },
      { n: 40, dimension: 8, sparsity: 4, epsilon: 0.3, radius: 0.5 },
    ]) {
      const { value, probability, rootMeanSquare, terms } = packingMeanBound.evaluate(
        packingMeanBound.params.parse(given),
      );
      const points = greedyPacking(given.dimension, given.sparsity).length;
      const copies = Math.min(given.n, Math.floor(Math.log(points / 2) / given.epsilon));
      const failing = (points - 1) / (Math.exp(given.epsilon * copies) + points - 1);
      expect(terms).toEqual({ points, copies });
      expect(value).toBeCloseTo(((given.radius ?? 1) * copies) / (Math.sqrt(8) * given.n), 14);
      expect(probability).toBeCloseTo(failing, 12);
      expect(rootMeanSquare).toBeCloseTo(value * Math.sqrt(failing), 14);
    }
    for (const n of [3, 100, 1e4])
      for (const [dimension, sparsity] of [
        [50, 1],
        [400, 8],
        [1e4, 30],
      ] as const)
        for (const probability of [0.05, 1 / 3]) {
          const epsilon = 0.2;
          const found = pureBlocks({ n, dimension, sparsity, epsilon, probability });
          const { blocks, copies, columnsPerBlock: columns, entries } = found;
          const separation = separationOf({ columns, entries });
          const each = 1 - closeAnswerWithin(epsilon * copies, separation);
          const ofOne = ((separation.distance / 2) * copies) / n;
          expect(found.rootMeanSquare).toBeCloseTo(ofOne * Math.sqrt(blocks * each), 12);
          // So many blocks fail with the probability asked for, and one more need not.
          const failing = (found.error / ofOne) ** 2;
          expect(failing).toBeCloseTo(Math.round(failing), 6);
          expect(failureNeeded(Math.round(failing), blocks, probability)).toBeLessThanOrEqual(each + 1e-9);
        }
  });

  it('are refused where the statement is false', () => {
    const million = { n: 1, dimension: 1e6, sparsity: 1, epsilon: 10 * Math.log(1e6) };
    expect(() => pureMeanRate(million)).toThrow(/0 < epsilon ≤ 1/u);
    expect(() => pureBlocks({ ...million, probability: 1 / 3 })).toThrow(/smaller epsilon/u);
    expect(() => pureMeanRate({ ...million, epsilon: 1, sparsity: 5e5 })).toThrow(/s < d\/2/u);
    expect(() =>
      approximateMeanRate({ n: 1e6, dimension: 3, sparsity: 1, epsilon: 1, delta: 1e-12 }),
    ).toThrow(/ln\(1\/delta\)/u);
    expect(() =>
      approximateMeanRate({ n: 1e6, dimension: 300, sparsity: 100, epsilon: 0.5, delta: 0.1 }),
    ).toThrow(/records of a block/u);
    expect(() =>
      approximateBlocks({ n: 1e6, dimension: 3, sparsity: 1, epsilon: 1, delta: 1e-12, probability: 0.02 }),
    ).toThrow(/larger sparsity/u);
    const packing = packingMeanBound.params.parse({ n: 1, dimension: 3, sparsity: 1, epsilon: 1 });
    expect(() => packingMeanBound.evaluate(packing)).toThrow(/ln\(points\/2\)/u);
  });
});

function supportsOf(columns: number, entries: number): readonly (readonly number[])[] {
  if (entries === 0) return [[]];
  return Array.from({ length: columns - entries + 1 }, (_, first) =>
    supportsOf(columns - first - 1, entries - 1).map((rest) => [first, ...rest.map((j) => j + first + 1)]),
  ).flat();
}
