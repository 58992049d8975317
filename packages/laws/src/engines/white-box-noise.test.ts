import { normalCdf } from '@lethe/numerics';
import { type RandomSource, seededRandom } from '@lethe/core';
import { describe, expect, it } from 'vitest';
import { whiteBoxNoise } from './white-box-noise.js';

const gaussian = (length: number, randomness: RandomSource): Float64Array =>
  randomness.gaussianInto(new Float64Array(length));
const judged = (
  draw: (length: number, randomness: RandomSource) => ArrayLike<number>,
  seed: string,
  draws = 20_000,
) =>
  whiteBoxNoise({
    draw,
    cdf: normalCdf,
    lengths: [1, 7, 2],
    draws,
    alpha: 1e-10,
    random: seededRandom(seed),
  });

describe('white-box noise', () => {
  it('accepts the declared distribution, on many seeds', () => {
    for (let seed = 0; seed < 30; seed++)
      expect(judged(gaussian, `null ${seed}`, 4000).verdict).toBe('holds');
  });

  it.each([
    [
      'a scale 10 % too small',
      (length: number, randomness: RandomSource) => gaussian(length, randomness).map((z) => 0.9 * z),
      12_000,
    ],
    [
      'a scale 10 % too large',
      (length: number, randomness: RandomSource) => gaussian(length, randomness).map((z) => 1.1 * z),
      12_000,
    ],
    [
      'an error of one third in the mean',
      (length: number, randomness: RandomSource) => gaussian(length, randomness).map((z) => z + 1 / 3),
      3000,
    ],
    [
      'uniform noise of the same variance',
      (length: number, randomness: RandomSource) =>
        Float64Array.from({ length }, () => (randomness.uniform() - 0.5) * Math.sqrt(12)),
      6000,
    ],
    [
      'too little noise in the last entry alone',
      (length: number, randomness: RandomSource) =>
        gaussian(length, randomness).map((z, i) => (i > 0 && i === length - 1 ? z / 2 : z)),
      4000,
    ],
    [
      'too little noise in single entries alone',
      (length: number, randomness: RandomSource) =>
        gaussian(length, randomness).map((z) => (length === 1 ? z / 2 : z)),
      6000,
    ],
    [
      'nothing beyond three deviations',
      (length: number, randomness: RandomSource) =>
        gaussian(length, randomness).map((z) => (Math.abs(z) > 3 ? randomness.uniform() : z)),
      20_000,
    ],
  ])('detects %s', (_what, draw, within) => {
    const found = judged(draw, 'power');
    expect(found.verdict).toBe('fails');
    expect(found.samples).toBeLessThanOrEqual(within);
  });
});
