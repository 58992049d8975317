import { describe, expect, test } from 'vitest';
import { logarithmOf } from '../linalg/elementary.js';
import { BATCH_WORDS, keystreamBatchInto } from './chacha.reference.js';
import { seededRandom } from './source.js';
import { exponentialFrom, gaussianFrom, type NextWord } from './ziggurat.reference.js';
import { zigguratTables } from './ziggurat-tables.js';

/** The stream of a key in plain code only. */
function plainStream(key: Uint8Array): NextWord {
  const words = new Uint32Array(key.buffer);
  const batch = new Uint32Array(2 * BATCH_WORDS);
  let position = 0;
  return (out) => {
    const at = position++ % BATCH_WORDS;
    if (at === 0) keystreamBatchInto(batch, words, (position - 1) / BATCH_WORDS);
    out[0] = batch[2 * at];
    out[1] = batch[2 * at + 1];
  };
}

describe('kernels and plain twins give the same bits', () => {
  test.each([1, 2, 3])('stream %d', (seed) => {
    const n = 40_000; // about 10 draws from each tail's own code
    const source = seededRandom(seed);
    const next = plainStream(source.key());
    expect(Float64Array.from({ length: n }, () => gaussianFrom(next))).toEqual(
      source.gaussianInto(new Float64Array(n)),
    );
    expect(Float64Array.from({ length: n }, () => exponentialFrom(next, true))).toEqual(
      source.laplaceInto(new Float64Array(n)),
    );
  });
});

describe('tables', () => {
  const { gaussian, exponential } = zigguratTables();

  test.each([
    ['gaussian', gaussian, (x: number) => Math.exp((-x * x) / 2)],
    ['exponential', exponential, (x: number) => Math.exp(-x)],
  ] as const)(
    '%s layers have equal areas and close at the top',
    (_name, { layers, heights, edge }, density) => {
      const width = (i: number): number => (i === 256 ? 0 : layers[2 * i] * 2 ** 52);
      const area = width(0) * density(edge);
      for (let i = 1; i < 256; i++) {
        expect(layers[2 * i + 1]).toBe(width(i + 1));
        expect(heights[i] / density(width(i))).toBeCloseTo(1, 13);
        expect((width(i) * (heights[i + 1] - heights[i])) / area).toBeCloseTo(1, 10);
      }
      expect(width(1)).toBe(edge);
      expect(heights[256]).toBe(1);
    },
  );

  test('the base holds the tail: its area is that of the rectangle and of what lies beyond', () => {
    const { layers, edge } = exponential;
    expect(layers[0] * 2 ** 52 * Math.exp(-edge)).toBeCloseTo((edge + 1) * Math.exp(-edge), 14);
    // ∫_R^∞ exp(−x²/2) by the midpoint rule up to R + 8, beyond which there is less than 1e-29.
    const R = gaussian.edge;
    let tail = 0;
    const steps = 200_000;
    for (let i = 0; i < steps; i++) tail += Math.exp(-((R + (8 * (i + 0.5)) / steps) ** 2) / 2);
    tail *= 8 / steps;
    expect(gaussian.layers[0] * 2 ** 52 * Math.exp((-R * R) / 2)).toBeCloseTo(
      R * Math.exp((-R * R) / 2) + tail,
      12,
    );
  });
});

// Fixed seeds; every bound is at least 7 standard deviations (two-sided 3e-12 each).
const within = (value: number, expected: number, deviation: number): void =>
  expect(Math.abs(value - expected)).toBeLessThan(7 * deviation);
const n = 1_000_000;

describe('laws of the samples', () => {
  /** P(|X| > x) of N(0, 1): Σ over a midpoint rule, plenty for 7 standard deviations. */
  const gaussianTail = (x: number): number => {
    let sum = 0;
    for (let i = 0; i < 20_000; i++) sum += Math.exp(-((x + (9 * (i + 0.5)) / 20_000) ** 2) / 2);
    return (sum * 9) / 20_000 / Math.sqrt(Math.PI / 2);
  };

  const check = (
    samples: Float64Array,
    moments: readonly number[],
    tail: (x: number) => number,
    places: readonly number[],
  ): void => {
    moments.forEach((moment, k) => {
      if (k < 1 || 2 * k >= moments.length) return;
      const mean = samples.reduce((sum, x) => sum + x ** k, 0) / n;
      within(mean, moment, Math.sqrt((moments[2 * k] - moment ** 2) / n));
    });
    for (const x of places) {
      const p = tail(x);
      const [above, below] = [samples.filter((s) => s > x).length, samples.filter((s) => s < -x).length];
      for (const count of [above, below]) within(count, (n * p) / 2, Math.sqrt((n * p) / 2) + 1);
    }
    for (let lag = 1; lag <= 3; lag++) {
      let product = 0;
      for (let i = lag; i < n; i++) product += samples[i] * samples[i - lag];
      within(product / n, 0, moments[2] / Math.sqrt(n));
    }
  };

  test('Gaussian: moments, both tails inside and beyond the edge, no correlation', () => {
    const { layers, edge } = zigguratTables().gaussian;
    const widths = [2, 10, 50, 100, 150, 200, 250].map((i) => layers[2 * i + 1]);
    check(
      seededRandom('gaussian').gaussianInto(new Float64Array(n)),
      [1, 0, 1, 0, 3, 0, 15, 0, 105],
      gaussianTail,
      [...widths, 0.5, 1, 2, 3, edge, 3.9, 4.2],
    );
  });

  test('Laplace: moments, both tails inside and beyond the edge, no correlation', () => {
    const { layers, edge } = zigguratTables().exponential;
    const widths = [2, 10, 50, 100, 150, 200, 250].map((i) => layers[2 * i + 1]);
    check(
      seededRandom('laplace').laplaceInto(new Float64Array(n)),
      [1, 0, 2, 0, 24, 0, 720, 0, 40_320],
      (x) => Math.exp(-x),
      [...widths, 0.1, 1, 3, 6, edge, 9],
    );
  });

  test('the place within a layer is even: fractional parts of exp(−x) in 64 cells', () => {
    const cells = new Float64Array(64);
    for (const x of seededRandom('cells').laplaceInto(new Float64Array(n)))
      cells[Math.floor(64 * Math.exp(-Math.abs(x)))]++;
    for (const count of cells) within(count, n / 64, Math.sqrt(n / 64));
    expect(logarithmOf(1)).toBe(0);
  });
});
