import { InvalidParameter, parseOrThrow, Unsupported } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decoderMatrix,
  encoderMatrix,
  largestDifference,
  product,
  allOnes,
  range,
} from '../../test/factors.js';
import { squareRootToeplitz } from './square-root-toeplitz.js';
import { squareRootEnergy } from './toeplitz-square-root.js';

const shape = (steps: number, dimension = 1): { steps: number; dimension: number } => ({ steps, dimension });

describe('squareRootToeplitz', () => {
  it('has two equal factors', () => {
    for (const steps of [1, 2, 33, 64]) {
      const c = encoderMatrix(squareRootToeplitz, { keptRows: 0 }, steps);
      expect(largestDifference(decoderMatrix(squareRootToeplitz, { keptRows: 0 }, steps), c)).toBeLessThan(
        1e-13,
      );
      expect(largestDifference(product(c, c), allOnes(steps))).toBeLessThan(1e-13);
    }
  });

  it('declares the norm of its first column, rounded up by less than 1e-9', () => {
    for (const steps of [1, 2, 30, 1e3, 1e5]) {
      const declared = squareRootToeplitz.columnNorm({ keptRows: 0 }, shape(steps), { times: 1, gap: 1 });
      expect(declared ** 2).toBeGreaterThanOrEqual(squareRootEnergy(steps) * (1 - 2 ** -50));
      expect(declared ** 2).toBeLessThan(squareRootEnergy(steps) * (1 + 1e-9));
    }
  });

  it('writes the same bits however many rows it keeps, and asks only for those it does not', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), fc.nat(25), (steps, keptRows) => {
        const asked = range(steps).map(() => 0);
        const write = (
          params: { readonly keptRows: number },
          count: (row: number) => void,
        ): readonly number[] => {
          const run = squareRootToeplitz.begin(params, shape(steps, 2));
          const out = new Float64Array(2);
          return range(steps).flatMap(() => {
            run.nextInto(out, (row, noise) => {
              count(row);
              noise.set([Math.sin(row + 1), Math.cos(row)]);
            });
            return [...out];
          });
        };
        expect(
          write({ keptRows }, (row) => {
            asked[row]++;
          }),
        ).toEqual(write({ keptRows: 0 }, () => undefined));
        expect(asked).toEqual(range(steps).map((row) => 1 + Math.max(0, steps - 1 - row - keptRows)));
      }),
    );
  });

  it('refuses numbers of rows that are none, or too many to keep', () => {
    for (const keptRows of [-1, 0.5, NaN, Infinity])
      expect(() => parseOrThrow(squareRootToeplitz.params, { keptRows }, 'it')).toThrow(InvalidParameter);
    expect(() => squareRootToeplitz.begin({ keptRows: 1e6 }, shape(1e7, 1e4))).toThrow(
      /keep at most 214748/u,
    );
  });

  it('sends streams to the buffered factorisation that are too long', () => {
    expect(() =>
      squareRootToeplitz.columnNorm({ keptRows: 0 }, shape(2 ** 40), { times: 1, gap: 1 }),
    ).toThrow(Unsupported);
    expect(squareRootToeplitz.variance({ keptRows: 0 }, shape(2 ** 40), 2 ** 40 - 1)).toBeCloseTo(
      (40 * Math.LN2 + 0.5772156649015329 + 4 * Math.LN2) / Math.PI,
      10,
    );
  });
});
