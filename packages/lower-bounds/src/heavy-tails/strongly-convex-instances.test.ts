import { seededRandom } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  meanBernoulliBias,
  nonPrivateMeanInstance,
  privateMeanInstance,
} from './strongly-convex-instances.js';

const norm = (v: ArrayLike<number>): number => Math.hypot(...Array.from(v));
const shape = fc.record({
  n: fc.integer({ min: 1, max: 50 }),
  dimension: fc.integer({ min: 1, max: 40 }),
  convexity: fc.constantFrom(0.01, 1, 30),
  length: fc.constantFrom(0.2, 1, 9),
  seed: fc.integer(),
});

describe('instances of squared distances', () => {
  it('have their mean as the optimum, of the length given by bias or probability', () => {
    fc.assert(
      fc.property(shape, fc.constantFrom(1, 0.3, 0.01), ({ seed, ...given }, probability) => {
        const [sure, rare] = [
          nonPrivateMeanInstance(given, seededRandom(seed)),
          privateMeanInstance({ ...given, probability }, seededRandom(seed)),
        ];
        expect(norm(sure.optimum) / (given.length * meanBernoulliBias(given.n))).toBeCloseTo(1, 10);
        expect(norm(rare.optimum) / (given.length * probability)).toBeCloseTo(1, 10);
        for (const { optimum, excessRisk } of [sure, rare]) {
          expect(excessRisk(optimum)).toBe(0);
          const w = optimum.map((m, j) => m + Math.cos(j));
          expect(
            excessRisk(w) / ((given.convexity / 2) * norm(w.map((x, j) => x - optimum[j])) ** 2),
          ).toBeCloseTo(1, 9);
        }
      }),
    );
  });

  it('have a separate sign in each coordinate, and records of one length or null', () => {
    const sure = nonPrivateMeanInstance({ n: 9, dimension: 200, convexity: 1, length: 3 }, seededRandom(1));
    const rare = privateMeanInstance(
      { n: 50, dimension: 200, convexity: 1, length: 3, probability: 0.5 },
      seededRandom(1),
    );
    const plus = sure.optimum.filter((x) => x > 0).length;
    expect(Math.abs(plus - 100)).toBeLessThan(50);
    for (let i = 0; i < 9; i++)
      expect(norm(sure.features.subarray(i * 200, (i + 1) * 200))).toBeCloseTo(3, 10);
    for (let i = 0; i < 50; i++)
      expect([0, 3]).toContain(Number(norm(rare.features.subarray(i * 200, (i + 1) * 200)).toFixed(9)));
  });

  it('has the bias at which bias²(1 − bias²)ⁿ is largest', () => {
    for (const n of [1, 7, 1000]) {
      const at = (bias: number): number => bias ** 2 * (1 - bias ** 2) ** n;
      for (const factor of [0.9, 1.1])
        expect(at(factor * meanBernoulliBias(n))).toBeLessThan(at(meanBernoulliBias(n)));
    }
  });

  it('draws records whose mean is the optimum', () => {
    // 200 000 signs of mean ±1/√2, aligned with the optimum: the margin is 6.5 standard errors.
    const { features, optimum } = nonPrivateMeanInstance(
      { n: 1, dimension: 200_000, convexity: 1, length: 1 },
      seededRandom(3),
    );
    const aligned = features.reduce((sum, x, j) => sum + Math.sign(x) * Math.sign(optimum[j]), 0) / 200_000;
    expect(Math.abs(aligned - Math.SQRT1_2)).toBeLessThan(6.5 / Math.sqrt(200_000));
  });
});
