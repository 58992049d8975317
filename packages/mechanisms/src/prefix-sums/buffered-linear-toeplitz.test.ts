import { InvalidParameter, parseOrThrow } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allOnes, decoderMatrix, encoderMatrix, largestDifference, product } from '../../test/factors.js';
import { bufferedLinearToeplitz } from './buffered-linear-toeplitz.js';

const buffers = fc
  .uniqueArray(fc.integer({ min: 1, max: 999 }), { minLength: 1, maxLength: 5 })
  .chain((theta) =>
    fc
      .array(fc.integer({ min: 1, max: 99 }), { minLength: theta.length, maxLength: theta.length })
      .map((omega) => ({
        theta: theta.map((k) => k / 1000),
        omega: omega.map((k) => k / 100 / theta.length),
      })),
  );

describe('bufferedLinearToeplitz', () => {
  it('multiplies to the running sum, whatever the buffers', () => {
    fc.assert(
      fc.property(buffers, fc.integer({ min: 1, max: 64 }), (params, steps) => {
        const b = decoderMatrix(bufferedLinearToeplitz, params, steps);
        const c = encoderMatrix(bufferedLinearToeplitz, params, steps);
        expect(largestDifference(product(b, c), allOnes(steps))).toBeLessThan(1e-11);
        expect(bufferedLinearToeplitz.variance(params, { steps, dimension: 1 }, steps - 1)).toBeCloseTo(
          b[steps - 1].reduce((sum, x) => sum + x * x, 0),
          9,
        );
      }),
      { numRuns: 30 },
    );
  });

  it('does not depend on the order of buffers', () => {
    fc.assert(
      fc.property(buffers, fc.integer({ min: 1, max: 1e6 }), ({ theta, omega }, steps) => {
        const reversed = { theta: theta.toReversed(), omega: omega.toReversed() };
        const [one, other] = [{ theta, omega }, reversed].map((params) => [
          bufferedLinearToeplitz.columnNorm(params, { steps, dimension: 1 }, { times: 3, gap: 7 }),
          bufferedLinearToeplitz.variance(params, { steps, dimension: 1 }, steps - 1),
        ]);
        one.forEach((value, i) => {
          expect(Math.abs(value / other[i] - 1)).toBeLessThan(1e-12);
        });
      }),
    );
  });

  it('stays finite for the most awkward parameters that it takes', () => {
    const tiny = 2 ** -500;
    for (const params of [
      { theta: [5e-324, 1 - 2 ** -53], omega: [tiny, 1 - 2 ** -53] },
      { theta: [0.5, 0.5 + 2 ** -53, 0.5 + 2 ** -52], omega: [0.25, 0.5, 0.25] },
      { theta: [1 - 2 ** -53, 1 - 2 ** -52], omega: [tiny, tiny] },
      { theta: [1e-300, 2e-300], omega: [0.5, 0.5] },
    ]) {
      const valid = parseOrThrow(bufferedLinearToeplitz.params, params, 'it');
      for (const steps of [1, 2, 1000, 2 ** 50]) {
        const norm = bufferedLinearToeplitz.columnNorm(valid, { steps, dimension: 1 }, { times: 5, gap: 3 });
        const variance = bufferedLinearToeplitz.variance(valid, { steps, dimension: 1 }, steps - 1);
        expect(norm).toBeGreaterThanOrEqual(1);
        expect(norm).toBeLessThan(5 * Math.sqrt(1 + steps));
        expect(variance).toBeGreaterThan(1 - 1e-12);
        expect(variance).toBeLessThan(1.000001 * steps);
      }
    }
  });

  it('refuses parameters that are no such matrix', () => {
    const refused = [
      { theta: [0.5], omega: [] },
      { theta: [], omega: [] },
      { theta: [0.5], omega: [0.1, 0.1] },
      { theta: [0.5, 0.5], omega: [0.1, 0.1] },
      { theta: [0.5, 0.6], omega: [0.5, 0.6] },
      ...[0, 1, -0.5, 1.5, NaN, Infinity].map((theta) => ({ theta: [0.5, theta], omega: [0.1, 0.1] })),
      ...[0, -0.1, 1.5, NaN, Infinity].map((omega) => ({ theta: [0.5, 0.6], omega: [0.1, omega] })),
    ];
    for (const params of refused)
      expect(() => parseOrThrow(bufferedLinearToeplitz.params, params, 'it'), JSON.stringify(params)).toThrow(
        InvalidParameter,
      );
  });

  it('bounds more participations than are looked at one by one, closely', () => {
    // One buffer: all entries of the sum of columns are 1 and what a geometric series holds.
    for (const steps of [2 ** 18, 2 ** 20])
      for (const rest of [2 ** -12, 2 ** -18, 2 ** -22]) {
        let square = 0;
        let held = 0;
        for (let t = 0; t < steps; t++) {
          square += (1 + held) ** 2;
          held = (1 - rest) * held + 0.5;
        }
        const norm = bufferedLinearToeplitz.columnNorm(
          { theta: [1 - rest], omega: [0.5] },
          { steps, dimension: 1 },
          { times: steps, gap: 1 },
        );
        expect(norm).toBeGreaterThanOrEqual(Math.sqrt(square) * (1 - 1e-9));
        expect(norm).toBeLessThanOrEqual(Math.sqrt(square) * 1.01);
      }
    const steps = Number.MAX_SAFE_INTEGER;
    const most = bufferedLinearToeplitz.columnNorm(
      { theta: [0.25, 1 - 2 ** -53], omega: [0.5, 0.5] },
      { steps, dimension: 1 },
      { times: steps, gap: 1 },
    );
    expect(most).toBeGreaterThan(steps ** 1.5 / 5);
    expect(most).toBeLessThan(steps ** 1.5 / 2);
  });
});
