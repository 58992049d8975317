import type { PrefixSum, PrefixSumRun, Vector } from '@lethe/core';
import {
  bandedColumnNormalised,
  bandedToeplitz,
  bufferedLinearToeplitz,
  squareRootToeplitz,
} from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

type Write = (out: Vector, step: number, noise: (row: number, out: Vector) => void) => void;
type Bug = Pick<PrefixSum, 'begin'>;

/** A run with the given outputs, for the arguments that the correct plugin accepts. */
const writing = (
  plugin: PrefixSum,
  begin: (params: never, shape: { readonly steps: number; readonly dimension: number }) => Write,
): Bug => ({
  begin(params, shape): PrefixSumRun {
    plugin.begin(params, shape);
    const write = begin(params as never, shape);
    let step = 0;
    return {
      nextInto(out, noise) {
        if (step === shape.steps) plugin.variance(params, shape, step);
        write(out, step++, noise);
      },
    };
  },
});
const band = [1, 0.5, 0.375, 0.25];
const blt = { theta: [0.75, 0.96875], omega: [0.25, 0.125] };

/** Forward substitution of a banded Toeplitz system, with the stored rows of the solution. */
const solving = (
  change: (rows: readonly Float64Array[], coefficients: readonly number[], row: Vector) => void,
): Bug =>
  writing(bandedToeplitz, () => {
    const rows: Float64Array[] = [];
    return (out, step, noise) => {
      noise(step, out);
      change(rows, band, out);
      rows.push(out.slice());
    };
  });

export const xToeplitz1 = defineMutant({
  id: 'prefix-sum/inverse-square-root-signs-root',
  title: 'the inverse of the square root has the signs of the square root',
  kind: 'prefixSum',
  source: 'generic',
  killedBy: ['prefixSum/factorisation'],
  within: 10,
  plant: () =>
    plantedPlugin(
      squareRootToeplitz,
      writing(squareRootToeplitz, () => (out, step, noise) => {
        const row = new Float64Array(out.length);
        noise(step, out);
        let root = 1;
        for (let back = 1; back <= step; back++) {
          root *= (2 * back - 1) / (2 * back);
          noise(step - back, row);
          for (let j = 0; j < out.length; j++) out[j] = out[j] + (root / (2 * back - 1)) * row[j];
        }
      }),
    ),
});

export const xToeplitz2 = defineMutant({
  id: 'prefix-sum/rows-before-added-must-taken-away',
  title: 'earlier rows are added instead of subtracted',
  kind: 'prefixSum',
  source: 'generic',
  killedBy: ['prefixSum/factorisation'],
  within: 10,
  plant: () =>
    plantedPlugin(
      bandedToeplitz,
      solving((rows, coefficients, row) => {
        for (let back = 1; back < coefficients.length && back <= rows.length; back++)
          row.forEach((x, j) => {
            row[j] = x + coefficients[back] * defined(rows.at(-back))[j];
          });
      }),
      { coefficients: band },
    ),
});

export const xToeplitz3 = defineMutant({
  id: 'prefix-sum/one-row-too-few-kept-last-band',
  title: 'one row too few is stored, so that the last coefficient of the band is unused',
  kind: 'prefixSum',
  source: 'generic',
  killedBy: ['prefixSum/factorisation'],
  within: 10,
  plant: () =>
    plantedPlugin(
      bandedToeplitz,
      solving((rows, coefficients, row) => {
        for (let back = 1; back < coefficients.length - 1 && back <= rows.length; back++)
          row.forEach((x, j) => {
            row[j] = x - coefficients[back] * defined(rows.at(-back))[j];
          });
      }),
      { coefficients: band },
    ),
});

export const xToeplitz4 = defineMutant({
  id: 'prefix-sum/columns-end-stream-cuts-short-not-normalised',
  title: 'columns truncated by the end of the stream are not normalised',
  kind: 'prefixSum',
  source: 'generic',
  killedBy: ['prefixSum/factorisation', 'prefixSum/variance'],
  within: 20,
  plant: () =>
    plantedPlugin(
      bandedColumnNormalised,
      {
        begin: (params, shape) =>
          bandedColumnNormalised.begin(params, { ...shape, steps: shape.steps + 100 }),
      },
      { bandwidth: 4 },
    ),
});

export const xToeplitz5 = defineMutant({
  id: 'prefix-sum/buffers-decay-before-used',
  title: 'buffers decay before they are used',
  kind: 'prefixSum',
  source: 'generic',
  killedBy: ['prefixSum/factorisation'],
  within: 10,
  plant: () =>
    plantedPlugin(
      bufferedLinearToeplitz,
      buffering((value, held, theta, omega) => {
        held.forEach((x, i) => {
          held[i] = theta[i] * x;
        });
        const written = held.reduce((rest, x, i) => rest - omega[i] * x, value);
        held.forEach((x, i) => {
          held[i] = x + written;
        });
        return written;
      }),
      blt,
    ),
});

export const xToeplitz6 = defineMutant({
  id: 'prefix-sum/buffers-hold-noise-came-not-went-out',
  title: 'buffers store the input noise instead of the output',
  kind: 'prefixSum',
  source: 'generic',
  killedBy: ['prefixSum/factorisation'],
  within: 10,
  plant: () =>
    plantedPlugin(
      bufferedLinearToeplitz,
      buffering((value, held, theta, omega) => {
        const written = held.reduce((rest, x, i) => rest - omega[i] * x, value);
        held.forEach((x, i) => {
          held[i] = theta[i] * x + value;
        });
        return written;
      }),
      blt,
    ),
});

export const xToeplitz7 = defineMutant({
  id: 'prefix-sum/all-coordinates-share-buffers',
  title: 'all coordinates share their buffers',
  kind: 'prefixSum',
  source: 'generic',
  killedBy: ['prefixSum/factorisation'],
  within: 40,
  plant: () =>
    plantedPlugin(
      bufferedLinearToeplitz,
      writing(bufferedLinearToeplitz, () => {
        const held = [0, 0];
        return (out, step, noise) => {
          noise(step, out);
          const row = out.map((value) => held.reduce((rest, x, i) => rest - blt.omega[i] * x, value));
          held.forEach((x, i) => {
            held[i] = blt.theta[i] * x + row.reduce((sum, value) => sum + value, 0);
          });
          out.set(row);
        };
      }),
      blt,
    ),
});

/** Each coordinate separately, with buffers updated at every step. */
function buffering(
  next: (value: number, held: number[], theta: readonly number[], omega: readonly number[]) => number,
): Bug {
  return writing(bufferedLinearToeplitz, (_params, { dimension }) => {
    const held = Array.from({ length: dimension }, () => blt.theta.map(() => 0));
    return (out, step, noise) => {
      noise(step, out);
      for (let j = 0; j < out.length; j++) out[j] = next(out[j], held[j], blt.theta, blt.omega);
    };
  });
}

export const xToeplitz8 = defineMutant({
  id: 'prefix-sum/rows-kept-one-step-later',
  title: 'the stored rows are those of one step later',
  kind: 'prefixSum',
  source: 'generic',
  killedBy: ['prefixSum/factorisation'],
  within: 20,
  plant: () =>
    plantedPlugin(
      squareRootToeplitz,
      writing(squareRootToeplitz, (params, shape) => {
        const run = squareRootToeplitz.begin(params, shape);
        return (out, step, noise) =>
          run.nextInto(out, (row, into) => noise(row > 0 && row === step - 3 ? row - 1 : row, into));
      }),
    ),
});
