import { InvalidParameter } from '@lethe/core';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { likelihoodRatio, mixture, pool } from './index.js';

const gains = fc.array(fc.integer({ min: -40, max: 40 }), { minLength: 1, maxLength: 30 });

it('is the weighted average of wealths at each time, and its peak the largest of these', () =>
  fc.assert(
    fc.property(
      gains,
      fc
        .array(fc.integer({ min: 0, max: 9 }), { minLength: 3, maxLength: 3 })
        .filter((weights) => weights.some((weight) => weight > 0)),
      (steps, weights) => {
        const parts = [1, -1, 0.5].map((slope) => likelihoodRatio((x) => slope * x));
        const all = mixture(parts, weights);
        const total = weights.reduce((sum, weight) => sum + weight);
        let most = 0;
        for (const step of steps) {
          all.push(step);
          const expected = Math.log(
            parts.reduce((sum, { logE }, i) => sum + (weights[i] / total) * Math.exp(logE), 0),
          );
          if (Math.abs(expected) < 700) expect(all.logE).toBeCloseTo(expected, 9);
          most = Math.max(most, all.logE);
        }
        expect([all.peak, all.samples]).toEqual([most, steps.length]);
      },
    ),
  ));

it('neither overflows nor is NaN when parts are ruined or infinite', () => {
  const at = (logE: number): { logE: number; samples: number; reach: number } => ({
    logE,
    samples: 1,
    reach: logE,
  });
  expect(pool([at(5000), at(4000)]).logE).toBeCloseTo(5000 - Math.LN2, 9);
  expect(pool([at(-Infinity), at(3)]).logE).toBeCloseTo(3 - Math.LN2, 12);
  expect(pool([at(-Infinity), at(-Infinity)]).logE).toBe(-Infinity);
  expect(pool([at(Infinity), at(-Infinity)]).logE).toBe(Infinity);
  expect(pool([at(Infinity), at(2)], [0, 1]).logE).toBe(2);
});

it('a pool is evaluated on demand: parts may be fed elsewhere, in any order', () => {
  const parts = [0, 1].map(() => likelihoodRatio((x) => x));
  const all = pool(parts);
  parts[0].push(4);
  expect(all.rejects(Math.exp(-3))).toBe(true);
  parts[0].push(-9);
  parts[1].push(1);
  expect(all.logE).toBeCloseTo(Math.log((Math.exp(-5) + Math.exp(1)) / 2), 12);
  expect(all.peak).toBeCloseTo(Math.log((Math.exp(4) + 1) / 2), 12);
  expect(all.samples).toBe(3);
});

it('peaks at different times do not add up', () => {
  const parts = [1, -1].map((slope) => likelihoodRatio((x) => slope * x));
  const all = mixture(parts);
  all.push(3);
  all.push(-6);
  expect(parts.map(({ peak }) => peak)).toEqual([3, 3]);
  expect(all.peak).toBeLessThan(2.4);
});

it.each([[[]], [[1]], [[1, -1]], [[0, 0]], [[1, NaN]], [[1, Infinity]], [[1, 1, 1]]])(
  'refuses weights %j for two parts',
  (weights) => {
    expect(() => pool([likelihoodRatio((x) => x), likelihoodRatio((x) => x)], weights)).toThrow(
      InvalidParameter,
    );
  },
);

it('refuses no parts', () => expect(() => mixture([])).toThrow(InvalidParameter));
