import { InvalidParameter, parseOrThrow } from '@lethe/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bruteForceNorm, encoderMatrix, range, transpose } from '../../test/factors.js';
import { bandedColumnNormalised } from './banded-column-normalised.js';
import { bandedToeplitz } from './banded-toeplitz.js';
import { variancesOf } from './errors.js';
import { squareRootEnergy } from './toeplitz-square-root.js';

const shape = (steps: number, dimension = 1): { steps: number; dimension: number } => ({ steps, dimension });
const bands = fc.oneof(
  fc.integer({ min: 1, max: 12 }).map((bandwidth) => ({ bandwidth })),
  fc
    .array(fc.nat(16), { maxLength: 8 })
    .map((values) => ({ coefficients: [1, ...values.toSorted((a, b) => b - a).map((k) => k / 16)] })),
);
const squareNorm = (values: readonly number[]): number => values.reduce((sum, x) => sum + x * x, 0);

describe.each([bandedToeplitz, bandedColumnNormalised])('$name', (plugin) => {
  it('alternates for ever after one unit of noise, for the band 1, 1', () => {
    const params = { coefficients: [1, 1] };
    const run = plugin.begin(params, shape(50));
    const out = new Float64Array(1);
    for (let t = 0; t < 49; t++) {
      run.nextInto(out, (row, noise) => {
        noise[0] = row === 3 ? 1 : 0;
      });
      // Up to the norm of the columns.
      expect(out[0] * plugin.encoder(params, shape(50), 0, 0)).toBeCloseTo(t < 3 ? 0 : (-1) ** (t - 3), 14);
    }
  });

  it('refuses to keep more rows than there is memory', () => {
    expect(() => plugin.begin({ bandwidth: 2 ** 16 }, shape(1e6, 1e6))).toThrow(
      /a bandwidth of at most 2148/u,
    );
  });

  it('is fresh noise on increments for a band of one', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100 }),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 9 }),
        (steps, times, gap) => {
          const most = Math.min(times, Math.floor((steps - 1) / gap) + 1);
          for (const band of [{ bandwidth: 1 }, { coefficients: [1] }]) {
            expect(plugin.columnNorm(band, shape(steps), { times, gap })).toBeCloseTo(Math.sqrt(most), 13);
            expect(plugin.variance(band, shape(steps), steps - 1)).toBe(steps);
          }
        },
      ),
    );
  });

  it('declares variances in any order, for streams of any length', () => {
    fc.assert(
      fc.property(
        bands,
        fc.array(fc.tuple(fc.integer({ min: 1, max: 150 }), fc.nat(149)), { minLength: 2, maxLength: 8 }),
        (band, asked) => {
          for (const [steps, step] of asked)
            if (step < steps)
              expect(plugin.variance(band, shape(steps), step)).toBe(
                plugin.variance(structuredClone(band), shape(steps), step),
              );
        },
      ),
    );
  });

  it('declares them together', () => {
    fc.assert(
      fc.property(bands, fc.integer({ min: 1, max: 80 }), (band, steps) => {
        expect([...variancesOf(plugin, band, shape(steps))]).toEqual(
          range(steps).map((step) => plugin.variance(structuredClone(band), shape(steps), step)),
        );
      }),
    );
  });

  it('refuses bands that are none, and coefficients that do not begin with 1 or that increase', () => {
    const refused = [
      {},
      { bandwidth: 4, coefficients: [1] },
      { coefficients: [] },
      { coefficients: [2, 1] },
      { coefficients: [1, 0.5, 0.6] },
      { coefficients: [1, -0.5] },
      { coefficients: [1, NaN] },
      ...[0, -1, 0.5, NaN, Infinity, 2 ** 20].map((bandwidth) => ({ bandwidth })),
    ];
    for (const band of refused)
      expect(() => parseOrThrow(plugin.params, band, plugin.name), JSON.stringify(band)).toThrow(
        InvalidParameter,
      );
  });
});

describe('bandedToeplitz', () => {
  it('is the square root, where the band is as wide as the stream is long', () => {
    for (const steps of [1, 7, 64, 300])
      for (const bandwidth of [steps, steps + 5]) {
        expect(bandedToeplitz.columnNorm({ bandwidth }, shape(steps), { times: 1, gap: 1 }) ** 2).toBeCloseTo(
          squareRootEnergy(steps),
          12,
        );
        expect(bandedToeplitz.variance({ bandwidth }, shape(steps), steps - 1)).toBeCloseTo(
          squareRootEnergy(steps),
          11,
        );
      }
  });

  it('adds participations a band or more apart like the sides of right angles', () => {
    const steps = 1000;
    const bandwidth = 10;
    for (const times of [1, 2, 5])
      for (const gap of [10, 11, 100]) {
        expect(bandedToeplitz.columnNorm({ bandwidth }, shape(steps), { times, gap }) ** 2).toBeCloseTo(
          times * squareRootEnergy(bandwidth),
          12,
        );
      }
    expect(bandedToeplitz.columnNorm({ bandwidth }, shape(steps), { times: 2, gap: 9 }) ** 2).toBeGreaterThan(
      2 * squareRootEnergy(bandwidth),
    );
  });

  it('has an error between those of the square root and of fresh noise, by the width of the band', () => {
    const steps = 1000;
    const error = (bandwidth: number): number =>
      bandedToeplitz.variance({ bandwidth }, shape(steps), steps - 1) *
      bandedToeplitz.columnNorm({ bandwidth }, shape(steps), { times: 1, gap: 1 }) ** 2;
    const errors = [1, 2, 4, 16, 64, 256, 1000].map(error);
    errors.forEach((value, i) => {
      if (i > 0) expect(value).toBeLessThan(errors[i - 1]);
    });
    expect(errors[0]).toBe(steps);
    expect(errors.at(-1)).toBeCloseTo(squareRootEnergy(steps) ** 2, 8);
  });
});

describe('bandedColumnNormalised', () => {
  it('has columns of norm 1, cut or not', () => {
    fc.assert(
      fc.property(bands, fc.integer({ min: 1, max: 20 }), (band, steps) => {
        for (const column of transpose(encoderMatrix(bandedColumnNormalised, band, steps)))
          expect(squareNorm(column)).toBeCloseTo(1, 14);
      }),
    );
  });

  it('has sensitivity √k for k participations a band or more apart, whenever they are', () => {
    for (const bandwidth of [1, 2, 7, 64])
      for (const times of [1, 2, 10, 1000]) {
        const steps = 100_000;
        const gap = Math.max(bandwidth, 10);
        const declared = bandedColumnNormalised.columnNorm({ bandwidth }, shape(steps), { times, gap });
        expect(declared).toBeGreaterThanOrEqual(Math.sqrt(times));
        expect(declared).toBeLessThanOrEqual(Math.sqrt(times) * (1 + 2 ** -48));
      }
  });

  it('is at most a sixth above what participations inside one band do', () => {
    fc.assert(
      fc.property(
        bands,
        fc.integer({ min: 2, max: 7 }),
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 4 }),
        (band, steps, times, gap) => {
          const found = bruteForceNorm(encoderMatrix(bandedColumnNormalised, band, steps), shape(steps), {
            times,
            gap,
          });
          expect(bandedColumnNormalised.columnNorm(band, shape(steps), { times, gap })).toBeLessThanOrEqual(
            (found * 7) / 6,
          );
        },
      ),
    );
  });

  it('has less noise at the end than columns that are cut short and not made up for', () => {
    const steps = 100;
    const bandwidth = 20;
    const scale = bandedToeplitz.columnNorm({ bandwidth }, shape(steps), { times: 1, gap: bandwidth }) ** 2;
    for (let step = 0; step < steps; step++) {
      const [plain, normalised] = [bandedToeplitz, bandedColumnNormalised].map((plugin) =>
        plugin.variance({ bandwidth }, shape(steps), step),
      );
      if (step <= steps - bandwidth) expect(normalised).toBeCloseTo(scale * plain, 10);
      else expect(normalised).toBeLessThan(scale * plain);
    }
  });
});
