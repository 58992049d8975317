import { definePrefixSum, InvalidParameter } from '@lethe/core';
import * as z from 'zod';

/** Covers the rounding of the few thousand operations behind a number, many times over. */
const slack = 1 + 2 ** -30;
/** A coefficient is worked out for every step. */
const mostSteps = 2 ** 24;

/**
 * The square root of summation: `C = B` with entries `c_(t−s)`, `c_0 = 1`, `c_k = c_(k−1) (2k − 1)/(2k)`, the
 * coefficients of `(1 − x)^(−1/2)`. Say here what yours costs in memory: this one asks for all rows again at
 * every step.
 *
 * The column norm for many participations is that for one times their number: sound, and not the least.
 */
export const templatePrefixSum = definePrefixSum({
  name: 'template-prefix-sum',
  summary: 'Noise correlated by the square root of summation.',
  source: { id: 'lethe', item: 'template' },
  params: z.strictObject({}),
  examples: [{}],
  claims: [
    { property: 'factorisation', statement: 'A = BC with B = C Toeplitz' },
    { property: 'column-norm', statement: 'min(times, ⌊(steps − 1)/gap⌋ + 1) · √(Σ_(k < steps) c_k²)' },
    { property: 'variance', statement: 'the running sum after step t has variance Σ_(k ≤ t) c_k² per entry' },
    {
      property: 'given-noise',
      statement: 'increment t carries Σ_s (c_(t−s) − c_(t−1−s)) z_s and nothing else',
    },
    { property: 'prefix-consistent', statement: 'the first steps do not depend on how many there will be' },
    {
      property: 'typed-errors',
      statement: 'shapes, steps and participations that are not counts are refused',
    },
  ],
  columnNorm(_params, { steps, dimension }, { times, gap }) {
    inside('steps', steps, 1, mostSteps);
    for (const [name, value] of Object.entries({ dimension, times, gap })) inside(name, value, 1, Infinity);
    return Math.min(times, Math.floor((steps - 1) / gap) + 1) * Math.sqrt(sumOfSquares(steps)) * slack;
  },
  variance(_params, { steps, dimension }, step) {
    inside('dimension', dimension, 1, Infinity);
    return sumOfSquares(inside('step', step, 0, inside('steps', steps, 1, mostSteps) - 1) + 1);
  },
  encoder(_params, { steps, dimension }, row, column) {
    inside('dimension', dimension, 1, Infinity);
    inside('row', row, 0, inside('steps', steps, 1, mostSteps) - 1);
    inside('column', column, 0, steps - 1);
    return column > row ? 0 : coefficients(row - column + 1)[row - column];
  },
  begin(_params, { steps, dimension }) {
    inside('dimension', dimension, 1, Infinity);
    const c = coefficients(inside('steps', steps, 1, mostSteps));
    const row = new Float64Array(dimension);
    let step = 0;
    return {
      nextInto(out, noise) {
        inside('step', step, 0, steps - 1);
        out.fill(0);
        for (let s = 0; s <= step; s++) {
          noise(s, row);
          const weight = s === step ? 1 : c[step - s] - c[step - s - 1];
          for (let j = 0; j < out.length; j++) out[j] += weight * row[j];
        }
        step++;
      },
    };
  },
});

/** `c_0 … c_(count − 1)`. */
function coefficients(count: number): Float64Array {
  const c = new Float64Array(count).fill(1);
  for (let k = 1; k < count; k++) c[k] = c[k - 1] * ((2 * k - 1) / (2 * k));
  return c;
}

const sumOfSquares = (count: number): number => coefficients(count).reduce((sum, c) => sum + c * c, 0);

function inside(name: string, value: number, least: number, most: number): number {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return value;
  throw new InvalidParameter(`${name} is ${value}; it must be a whole number from ${least} to ${most}`, {
    [name]: value,
  });
}
