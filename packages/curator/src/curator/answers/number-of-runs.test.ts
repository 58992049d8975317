import { InvalidParameter, seededRandom } from '@lethe/numerics';
import { expect, it } from 'vitest';
import { chancesOfEnding, happens, numberOfRuns, type RunsAsked } from './number-of-runs.js';

/** Negative binomial and Poisson laws: the ratio of each probability to the one before. */
const laws: readonly (readonly [name: string, ratio: (k: number) => number])[] = [
  ['shape 3', (k) => (0.9 * (k + 3)) / (k + 1)],
  ['shape 0', (k) => (0.999 * k) / (k + 1)],
  ['shape -0.9', (k) => (0.5 * (k - 0.9)) / (k + 1)],
  ['mean 0.1', (k) => 0.1 / (k + 1)],
  ['mean 60', (k) => 60 / (k + 1)],
];

it.each(laws)('the chances that a run is the last multiply to the law: %s', (_, ratio) => {
  const weights = [1];
  for (let k = 1; k < 40_000; k++) weights.push(weights[k - 1] * ratio(k));
  const total = weights.reduceRight((a, b) => a + b);
  // A block of 64 ends within the bulk of the longer laws.
  const chances = chancesOfEnding(ratio, 64);
  let goes = 1;
  for (const weight of weights.slice(0, 200)) {
    const chance = chances.next().value as number;
    if (weight > 1e-200 * total) expect((goes * chance * total) / weight).toBeCloseTo(1, 9);
    goes *= 1 - chance;
  }
});

/** Laws of the number of runs by the fields of a query: `P(K = k)`, as their authors state it. */
const stated: readonly (readonly [fields: RunsAsked, probability: (k: number) => number])[] = [
  [{ stopProbability: 0.2, cap: 3 }, (k) => [0, 0.2, 0.16, 0.64][k] ?? 0],
  [
    { stopProbability: 0.3, shape: 2.5 },
    (k) => (0.7 ** k * upTo(k, (j) => (j + 1.5) / j)) / (0.3 ** -2.5 - 1),
  ],
  [{ stopProbability: 0.3, shape: 0 }, (k) => 0.7 ** k / (k * Math.log(1 / 0.3))],
  [
    { stopProbability: 0.3, shape: -0.5 },
    (k) => (0.7 ** k * upTo(k, (j) => (j - 1.5) / j)) / (0.3 ** 0.5 - 1),
  ],
  [{ mean: 2 }, (k) => upTo(k, (j) => 2 / j) / (Math.exp(2) - 1)],
];
const upTo = (k: number, factor: (j: number) => number): number =>
  Array.from({ length: k }, (_, i) => factor(i + 1)).reduce((product, one) => product * one, 1);

it.each(stated)('%j makes as many runs as its law says', (fields, probability) => {
  const random = seededRandom('numbers of runs');
  const number = numberOfRuns(fields);
  const draws = 20_000;
  const counts = new Float64Array(12);
  for (let i = 0; i < draws; i++) {
    const isLast = number.lastBy(random);
    let k = 1;
    while (!isLast()) k++;
    counts[Math.min(k, 11)]++;
  }
  for (let k = 1; k < 11; k++) {
    const p = probability(k);
    expect(Math.abs(counts[k] - draws * p)).toBeLessThanOrEqual(5 * Math.sqrt(draws * p * (1 - p)));
  }
});

it('rare things happen as often as their probability says', () => {
  const random = seededRandom('rare');
  let [count, uniforms] = [0, 0];
  const counted = { ...random, uniform: () => (uniforms++, random.uniform()) } as typeof random;
  for (let i = 0; i < 40_000; i++) if (happens(0.3, counted)) count++;
  expect(Math.abs(count - 12_000)).toBeLessThan(5 * Math.sqrt(40_000 * 0.21));
  // Below 2^-53 as well: all coins have to fall the same way.
  expect(happens(2 ** -60, { ...random, uniform: () => 0.25 } as typeof random)).toBe(true);
  expect(happens(2 ** -60, { ...random, uniform: () => 0.5 } as typeof random)).toBe(false);
  expect(uniforms).toBeLessThan(64_000);
});

it.each([
  [{}, /is given by/u],
  [{ stopProbability: 0.5 }, /is given by/u],
  [{ stopProbability: 0.5, cap: 3, shape: 1 }, /is given by/u],
  [{ mean: 3, cap: 3 }, /is given by/u],
  [{ stopProbability: 0, cap: 3 }, /above 0/u],
  [{ stopProbability: 0.5, cap: 1.5 }, /whole number/u],
  [{ stopProbability: 1e-9, cap: 1e9 }, /1000000 are allowed/u],
  [{ stopProbability: 0.5, shape: -1 }, /above -1/u],
  [{ stopProbability: 1e-6, shape: 2 }, /1000000 are allowed/u],
  // Few runs on average, and a table of 10^9 chances before the first.
  [{ stopProbability: 1e-9, shape: -0.9 }, /at least 0.000001/u],
  [{ mean: 0 }, /at least 1e-9/u],
  [{ mean: 2e6 }, /Take a smaller mean/u],
])('%j is refused', (runs, message) => {
  expect(() => numberOfRuns(runs)).toThrow(InvalidParameter);
  expect(() => numberOfRuns(runs)).toThrow(message);
});
