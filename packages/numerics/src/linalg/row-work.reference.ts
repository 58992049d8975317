import { CHUNK } from './kernels.wasm.js';
import type { RowWork } from './row-work.js';

/*
 * The same operations in the same order as the kernels of tools/kernels/coordinates.mjs, so results are
 * bit-identical for columns inside and outside an arena.
 */
const GROUP = 8;
const ROUND = 6755399441055744;
const O0 = 2524.7412887373503;
const O1 = 28.87315261195077;
const E0 = 7284.863473578437;
const E1 = 374.9798591051725;

const float = new Float64Array(1);
const words = new Uint32Array(float.buffer);

const least = (a: number, b: number): number => (b < a ? b : a);
const most = (a: number, b: number): number => (a < b ? b : a);
const finiteOrZero = (value: number): number => (value === value ? value : 0);

/** A product with its last bit set. */
function termOf(x: number, entry: number): number {
  float[0] = x * entry;
  words[0] |= 1;
  return float[0];
}

/** 1 / (1 + 2^-margin) − target. */
function logistic(margin: number, target: number): number {
  const held = most(least(margin, 1000), -1000);
  const k = held + ROUND - ROUND;
  const f = held - k;
  const q = f * f;
  const odd = f * (O0 + q * O1);
  const even = E0 + q * (q + E1);
  words[0] = 0;
  words[1] = (k + 1023) << 20;
  const e = (even + odd) * float[0];
  return e / (even - odd + e) - target;
}
const slopes = { logistic, squared: (margin: number, target: number): number => margin - target };

/** Sums groups of four pairs of lanes, lane by lane, and then the remaining rows. */
function sumOf(count: number, term: (i: number) => number): number {
  let even = 0;
  let odd = 0;
  let rest = 0;
  let i = 0;
  for (; i + GROUP <= count; i += GROUP) {
    even += term(i) + term(i + 2) + (term(i + 4) + term(i + 6));
    odd += term(i + 1) + term(i + 3) + (term(i + 5) + term(i + 7));
  }
  for (; i < count; i++) rest += term(i);
  return even + odd + rest;
}

/** {@link RowWork} by plain loops, on arrays anywhere. */
export function plainRowWork(): RowWork {
  const norms = new Float64Array(CHUNK);
  const largest = new Float64Array(CHUNK);
  const coefficients = new Float64Array(CHUNK);
  const shift: RowWork['shift'] = (z, { column, before, after }, from, count) => {
    for (let i = from; i < from + count; i++)
      z[i] = z[i] - termOf(column[i], before) + termOf(column[i], after);
  };
  return {
    norms,
    shift,
    step({ slope, z, grid, change, x, targets, from, to, radius }) {
      const rule = slopes[slope];
      let sum = 0;
      for (let start = from; start < to; start += CHUNK) {
        const count = Math.min(CHUNK, to - start);
        shift(z, change, start, count);
        sum += sumOf(count, (i) =>
          finiteOrZero(
            most(
              least(x[start + i] * rule(z[start + i] - grid[start + i], targets[start + i]), radius),
              -radius,
            ),
          ),
        );
      }
      return sum;
    },
    beginNorms(count) {
      norms.fill(0, 0, count);
      largest.fill(0, 0, count);
    },
    addSquares(x, from, count) {
      for (let i = 0; i < count; i++) {
        norms[i] += x[from + i] * x[from + i];
        largest[i] = most(largest[i], Math.abs(x[from + i]));
      }
    },
    roots(count) {
      let odd = false;
      for (let i = 0; i < count; i++) {
        odd ||= norms[i] > 1e300 || (norms[i] < 1e-280 && largest[i] > 0);
        norms[i] = Math.sqrt(norms[i]);
      }
      return odd;
    },
    slopes(slope, z, grid, targets, from, count, inverseRadius) {
      const rule = slopes[slope];
      for (let i = 0; i < count; i++) {
        const value = rule(z[from + i] - grid[from + i], targets[from + i]);
        coefficients[i] = finiteOrZero(value / most(1, Math.abs(value) * (norms[i] * inverseRadius)));
      }
    },
    dot: (x, from, count) => sumOf(count, (i) => coefficients[i] * x[from + i]),
  };
}
