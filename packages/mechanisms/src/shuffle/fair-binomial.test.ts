import { InvalidParameter, seededRandom } from '@lethe/core';
import { normalCdf } from '@lethe/numerics';
import { describe, expect, it } from 'vitest';
import { gapMargin } from '../../test/support/distribution.js';
import { fairBinomial } from './fair-binomial.js';

const draws = 40_000;
const drawn = (count: number): Float64Array => {
  const random = seededRandom(`fair-binomial ${count}`);
  return Float64Array.from({ length: draws }, () => fairBinomial(random, count)).toSorted();
};

/** Largest distance of the empirical distribution function from `cdf`, at whole numbers. */
function gapAt(sorted: Float64Array, cdf: (k: number) => number): number {
  return sorted.reduce(
    (gap, k, i) => (sorted[i + 1] === k ? gap : Math.max(gap, Math.abs((i + 1) / draws - cdf(k)))),
    0,
  );
}

describe('fairBinomial', () => {
  it.each([10, 4096, 4097, 5000, 20_001])('has the distribution of %d fair bits', (count) => {
    const weights = new Float64Array(count + 1);
    const middle = count >> 1;
    weights[middle] = 1;
    for (let k = middle; k < count; k++) weights[k + 1] = (weights[k] * (count - k)) / (k + 1);
    for (let k = middle; k > 0; k--) weights[k - 1] = (weights[k] * k) / (count - k + 1);
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    let below = 0;
    const cdf = weights.map((weight) => (below += weight) / total);
    expect(gapAt(drawn(count), (k) => cdf[k])).toBeLessThan(gapMargin(draws));
  });

  it.each([1e8, 1e12, 2 ** 53 - 1])('is nearly normal for %d fair bits', (count) => {
    expect(
      gapAt(drawn(count), (k) => normalCdf((k + 0.5 - count / 2) / (Math.sqrt(count) / 2))),
    ).toBeLessThan(gapMargin(draws) + 1e-4);
  });

  it('refuses what is no number of fair bits', () => {
    for (const bad of [-1, 0.5, Number.NaN, Infinity, 2 ** 53])
      expect(() => fairBinomial(seededRandom('bad'), bad)).toThrow(InvalidParameter);
    expect(fairBinomial(seededRandom('none'), 0)).toBe(0);
  });
});
