import { definePrefixSum, InvalidParameter, Unsupported } from '@lethe/core';
import { multiplyUp } from '@lethe/numerics';
import * as z from 'zod';
import { assertNext, assertShape, assertSteps } from './participation.js';
import { toeplitzNormUp } from './sensitivity.js';
import { typedErrors } from './shared-claims.js';
import { inverseRootCoefficient, squareRootCoefficient, squareRootEnergy } from './toeplitz-square-root.js';

/** Longest stream: its sensitivity takes a gibibyte and a half of memory. */
const longest = 2 ** 25;

/**
 * The square root of the running sum: `B = C = A^{1/2}`, whose coefficients are `binom(2k, k) / 4^k`. No
 * Toeplitz factorisation has a smaller maximal error for one participation: variance and squared sensitivity
 * are both slightly above `(ln T + γ + 4 ln 2) / π`.
 *
 * Every increment carries every row of noise so far: step `t` costs `O(t d)`, the whole stream `O(T² d)`.
 * Memory is two rows; rows are asked for again when they are needed. `keptRows` keeps that many of the latest
 * rows, `d` numbers each, which saves drawing them but not adding them. For long streams take
 * {@link bufferedLinearToeplitz}.
 *
 * Norms are ℓ2.
 */
export const squareRootToeplitz = definePrefixSum({
  name: 'square-root-toeplitz',
  summary: 'Noise correlated by the square root of the running sum; every step uses all noise before it.',
  source: { id: 'fichtenberger-henzinger-upadhyay-2022', item: 'square root of the counting matrix' },
  params: z.strictObject({
    /** Number of rows of noise to keep instead of drawing them again. */
    keptRows: z.int().nonnegative().default(0),
  }),
  claims: [
    { property: 'factorisation', statement: 'A = BC with B = C = A^{1/2}' },
    {
      property: 'column-norm',
      statement: '‖Σ_m C e_{m·gap}‖, m < min(times, ⌊(steps − 1)/gap⌋ + 1)',
      source: { id: 'kalinin-lampert-2024', item: 'sensitivity of decreasing Toeplitz matrices' },
    },
    {
      property: 'column-norm-attained',
      statement: 'by taking part as early and as often as possible, always in the same direction',
    },
    {
      property: 'variance',
      statement: 'the running sum after step t has variance Σ_{k ≤ t} (binom(2k, k) / 4^k)² per entry',
    },
    {
      property: 'given-noise',
      statement: 'increment t carries row s of the noise times the coefficient t − s of (1 − x)^{1/2}',
    },
    { property: 'vectors-kept', statement: 'two, and the rows it was told to keep' },
    {
      property: 'runs',
      statement: 'a run keeps copies of the rows it was told to keep and nothing of other runs',
    },
    { property: 'prefix-consistent', statement: 'the first steps do not depend on how many there will be' },
    typedErrors,
  ],
  examples: [{}, { keptRows: 3 }, { keptRows: 1000 }],
  columnNorm(_params, shape, participation) {
    assertShape(shape);
    if (shape.steps > longest) {
      throw new Unsupported(
        `the square root of ${shape.steps} steps was asked for; it takes at most ${longest}, ` +
          'because each step uses all noise before it; use the buffered linear Toeplitz factorisation',
        { steps: shape.steps, most: longest },
      );
    }
    const coefficients = Float64Array.from({ length: shape.steps }, (_, k) =>
      k === 0 ? 1 : multiplyUp(squareRootCoefficient(k), 1 + 2 ** -49),
    );
    return toeplitzNormUp(coefficients, shape, participation);
  },
  variance(_params, shape, step) {
    assertSteps(shape, step);
    return squareRootEnergy(step + 1);
  },
  vectorsKept({ keptRows }, shape) {
    assertShape(shape);
    return 2 + Math.min(keptRows, shape.steps - 1);
  },
  encoder(_params, shape, row, column) {
    assertSteps(shape, row, column);
    return column <= row ? squareRootCoefficient(row - column) : 0;
  },
  begin({ keptRows }, shape) {
    assertShape(shape);
    const { dimension, steps } = shape;
    const slots = Math.min(keptRows, steps - 1);
    if (!(slots * dimension <= 2 ** 31)) {
      throw new InvalidParameter(
        `${keptRows} rows of ${dimension} numbers were to be kept; keep at most ` +
          `${Math.floor(2 ** 31 / dimension)}`,
        { keptRows, dimension },
      );
    }
    const kept = new Float64Array(slots * dimension);
    const slotOf = (row: number): Float64Array =>
      kept.subarray((row % slots) * dimension, ((row % slots) + 1) * dimension);
    const own = new Float64Array(dimension);
    const earlier = new Float64Array(dimension);
    let step = 0;
    return {
      nextInto(out, noise) {
        assertNext(shape, step, out);
        noise(step, own);
        out.set(own);
        for (let row = step - 1; row >= 0; row--) {
          const isKept = step - row <= slots;
          if (!isKept) noise(row, earlier);
          addScaled(out, inverseRootCoefficient(step - row), isKept ? slotOf(row) : earlier);
        }
        if (slots > 0) slotOf(step).set(own);
        step++;
      },
    };
  },
});

function addScaled(out: Float64Array, factor: number, row: Float64Array): void {
  for (let j = 0; j < out.length; j++) out[j] += factor * row[j];
}
