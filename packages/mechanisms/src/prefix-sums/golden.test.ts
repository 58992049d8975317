import { describe, expect, it } from 'vitest';
import { bandedToeplitz } from './banded-toeplitz.js';
import { bufferedLinearToeplitz } from './buffered-linear-toeplitz.js';
import { dyadicReachUp } from './dyadic-reach.js';
import { variancesOf } from './errors.js';
import { honakerOnline } from './honaker-online.js';
import { optimizeBufferedToeplitz } from './optimize-buffered-toeplitz.js';
import { squareRootToeplitz } from './square-root-toeplitz.js';

describe('values that other systems publish', () => {
  // Tree aggregation of TensorFlow Privacy. Its separation counts the steps between two participations.
  it.each([
    [1, 7, 8, 4],
    [8, 2, 24, 88],
    [2, 0, 19, 18],
    [3, 2, 7, 9],
    [2, 0, 8, 14],
  ])(
    '%d participations, %d steps between them, of %d: squared sensitivity %d',
    (times, separation, steps, expected) => {
      const [shape, participation] = [
        { steps, dimension: 1 },
        { times, gap: separation + 1 },
      ];
      expect(dyadicReachUp('finished', shape, participation)).toBe(expected);
      // Estimates from all finished nodes need no more than that.
      expect(honakerOnline.columnNorm({}, shape, participation) ** 2).toBeLessThanOrEqual(
        expected * (1 + 1e-14),
      );
    },
  );

  it('the inverse of the square root of the all-ones triangle', () => {
    const run = squareRootToeplitz.begin({ keptRows: 5 }, { steps: 5, dimension: 1 });
    const increments = [1, 2, 3, 4, 5].map(() => {
      const out = new Float64Array(1);
      run.nextInto(out, (row, noise) => {
        noise[0] = row === 0 ? 1 : 0;
      });
      return out[0];
    });
    [1, -0.5, -0.125, -0.0625, -0.0390625].forEach((published, i) => {
      expect(increments[i]).toBeCloseTo(published, 14);
    });
  });

  it('the error of each running sum of a factorisation of two steps', () => {
    expect([...variancesOf(bandedToeplitz, { coefficients: [1, 0.5] }, { steps: 2, dimension: 1 })]).toEqual([
      1, 1.25,
    ]);
  });

  it.each([
    [1e3, 3, 1.03],
    [1e4, 4, 1.03],
    [1e6, 5, 1.05],
  ])('%d steps through %d buffers are within %d of the optimum', (steps, buffers, ratio) => {
    const [params, shape] = [optimizeBufferedToeplitz({ steps, buffers }), { steps, dimension: 1 }];
    const error =
      bufferedLinearToeplitz.columnNorm(params, shape, { times: 1, gap: steps }) *
      Math.sqrt(bufferedLinearToeplitz.variance(params, shape, steps - 1));
    expect(error / (1 + Math.log(steps) / Math.PI)).toBeLessThan(ratio);
  });
});
