import { seededRandom } from '@lethe/core';
import { defined } from '@lethe/numerics';
import { describe, expect, it } from 'vitest';
import { boundedMean } from '../evidence/index.js';
import { tiltedLosses } from './loss-draws.js';
import { gaussianNoise, laplaceNoise } from './noise.js';
import { pairDelta, type ShiftedPair } from './shifted-pair.js';

const alpha = 1e-9;
const cases: readonly (readonly [string, ShiftedPair, readonly number[]])[] = [
  ['Gaussian noise', { noise: gaussianNoise, rate: 1, up: 1, down: 0 }, [0, 1, 4]],
  ['sampled Gaussian noise', { noise: gaussianNoise, rate: 0.2, up: 1.5, down: 0 }, [0, 1, 3]],
  ['sampled Gaussian noise, replaced', { noise: gaussianNoise, rate: 0.4, up: 1, down: 1 }, [0]],
  ['absence from a sample', { noise: gaussianNoise, rate: 0.4, up: 0, down: 1 }, [0]],
  ['Laplace noise', { noise: laplaceNoise, rate: 1, up: 1, down: 0 }, [0, 0.5, 5]],
  ['sampled Laplace noise', { noise: laplaceNoise, rate: 0.3, up: 1, down: 0 }, [0]],
];

describe.each(cases)('sampled losses of %s', (_, pair, tilts) => {
  it.each(tilts)('give its δ with tilt %f', (lambda) => {
    for (const epsilon of [0, 0.4]) {
      const { logMoment, drawInto } = defined(tiltedLosses(pair, lambda));
      const losses = drawInto(new Float64Array(100_000), seededRandom(`draws ${lambda}`));
      const unit = Math.exp(logMoment - lambda * epsilon);
      const truth = pairDelta(pair, epsilon).upper;
      if (truth < 1e-3) continue;
      const shares = losses.map((loss) =>
        loss > epsilon ? -Math.expm1(epsilon - loss) * Math.exp(-lambda * (loss - epsilon)) : 0,
      );
      const beyond = (by: number, sign: 1 | -1): boolean => {
        const process = boundedMean({ atMost: (sign * truth * by) / unit, lowest: sign === 1 ? 0 : -1 });
        for (const share of shares) process.push(sign * share);
        return process.rejects(alpha);
      };
      expect(beyond(1, 1)).toBe(false);
      expect(beyond(1, -1)).toBe(false);
      const mean = (shares.reduce((sum, share) => sum + share, 0) / shares.length) * unit;
      expect(Math.abs(mean / truth - 1)).toBeLessThan(0.2);
    }
  });

  it('refuse unsupported tilts', () => {
    if (pair.down !== 0 || (pair.noise === laplaceNoise && pair.rate < 1))
      expect(tiltedLosses(pair, 1)).toBeUndefined();
    else expect(tiltedLosses(pair, 1)).toBeDefined();
  });
});
