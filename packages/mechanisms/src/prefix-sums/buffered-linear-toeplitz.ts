import { definePrefixSum } from '@lethe/core';
import { sqrtUp, sumUp } from '@lethe/numerics';
import * as z from 'zod';
import { responseOf, rowVariance, rowVariancesInto } from './buffered-error.js';
import { spacedColumns, upwards } from './buffered-sensitivity.js';
import { assertNext, assertShape, assertSteps, largestParticipation } from './participation.js';
import { anyLength, typedErrors } from './shared-claims.js';

/** Four buffers that {@link optimizeBufferedToeplitz} finds for the largest variance of 10⁴ steps. */
const usual = {
  theta: [0.72495, 0.97458, 0.997964, 0.9998985],
  omega: [0.304804, 0.124588, 0.0368632, 0.0139197],
};
const params = z
  .strictObject({
    theta: z
      .array(z.number().gt(0).lt(1))
      .min(1)
      .max(64)
      .default(usual.theta)
      .describe('Decay factor of each buffer per step.'),
    omega: z
      .array(z.number().min(2 ** -500))
      .min(1)
      .max(64)
      .default(usual.omega)
      .describe('Output scale of each buffer.'),
  })
  .refine(({ theta, omega }) => theta.length === omega.length, {
    path: ['omega'],
    error: 'needs one number for each in theta',
  })
  .refine(({ theta }) => new Set(theta).size === theta.length, {
    path: ['theta'],
    error: 'must not repeat: one buffer does for both, with the sum of their omega',
  })
  .refine(({ omega }) => sumUp(omega) <= 1, {
    path: ['omega'],
    error: 'may add up to 1 at most, so that coefficients do not increase',
  });

/**
 * `C` is Toeplitz with coefficients 1, then sums of a few geometric sequences: `c_t = Σ_i omega_i
 * theta_i^{t−1}`. `B = A C^{-1}`. A few buffers come within a few parts in a thousand of {@link
 * squareRootToeplitz}, in memory and time for each step that do not depend on the length: a row and a pass
 * for each buffer, and a row. {@link optimizeBufferedToeplitz} finds their parameters; without any they are
 * four buffers for 10⁴ steps and one participation.
 *
 * All sums over steps are geometric, so that sensitivity costs `O(times · buffers²)` and each variance
 * `O(buffers²)`, whatever the length. `columnNorm` is exact up to 2¹⁸ participations, and beyond where
 * buffers are full by then; else less than a hundredth too large, in a second or two. `B` too is a constant
 * and a few geometric sequences, found once for each object of parameters. Norms are ℓ2.
 */
export const bufferedLinearToeplitz = definePrefixSum({
  name: 'buffered-linear-toeplitz',
  summary: 'Noise correlated over all steps through a few decaying buffers.',
  source: { id: 'dvijotham-et-al-2024', item: 'buffered linear Toeplitz matrices' },
  params,
  claims: [
    {
      property: 'factorisation',
      statement: 'A = BC with B = A C^{-1}, C Toeplitz with c_0 = 1 and c_t = Σ_i omega_i theta_i^{t−1}',
    },
    {
      property: 'column-norm',
      statement: '‖Σ_m C e_{m·gap}‖, m < min(times, ⌊(steps − 1)/gap⌋ + 1)',
      source: { id: 'mcmahan-xu-zhang-2024', item: 'sensitivity for several participations' },
    },
    {
      property: 'column-norm-attained',
      statement: 'by taking part as early and as often as possible, always in the same direction',
    },
    {
      property: 'variance',
      statement:
        'the running sum after step t has variance Σ_{k ≤ t} w_k² per entry, w the coefficients of A C^{-1}',
    },
    { property: 'given-noise', statement: 'increments y solve C y = z for the noise z' },
    { property: 'each-row-once', statement: 'step t asks for row t' },
    { property: 'vectors-kept', statement: 'one for each buffer, and one' },
    {
      property: 'runs',
      statement: 'a run keeps one row for each buffer and its last, and nothing of other runs',
    },
    { property: 'prefix-consistent', statement: 'the first steps do not depend on how many there will be' },
    anyLength,
    typedErrors,
  ],
  examples: [
    usual,
    // For the mean variance of 2000 steps, 6 participations at least 342 steps apart.
    { theta: [0.40625, 0.86198, 0.993891], omega: [0.157176, 0.209468, 0.135968] },
    { theta: [0.25, 1 - 2 ** -50], omega: [0.5, 0.5] },
  ],
  columnNorm(blt, shape, participation) {
    assertShape(shape);
    const times = largestParticipation(shape, participation);
    return sqrtUp(spacedColumns(blt, shape.steps, times, participation.gap, upwards));
  },
  variance(blt, shape, step) {
    assertSteps(shape, step);
    return rowVariance(responseOf(blt), step);
  },
  variancesInto(out, blt, shape) {
    assertShape(shape);
    rowVariancesInto(out, responseOf(blt));
  },
  vectorsKept({ theta }, shape) {
    assertShape(shape);
    return theta.length + 1;
  },
  encoder({ theta, omega }, shape, row, column) {
    assertSteps(shape, row, column);
    if (column >= row) return Number(column === row);
    return theta.reduce((sum, ratio, i) => sum + omega[i] * ratio ** (row - column - 1), 0);
  },
  begin({ theta, omega }, shape) {
    assertShape(shape);
    const buffers = theta.map(() => new Float64Array(shape.dimension));
    const before = new Float64Array(shape.dimension);
    let step = 0;
    return {
      nextInto(out, noise) {
        assertNext(shape, step, out);
        noise(step, out);
        // What was written last enters the buffers only now, so that each is visited once.
        for (let i = 0; i < buffers.length; i++) feed(buffers[i], theta[i], before, out, omega[i]);
        before.set(out);
        step++;
      },
    };
  },
});

/** The buffer decays, takes in a row and takes its part away from another. */
function feed(
  buffer: Float64Array,
  decay: number,
  row: Float64Array,
  out: Float64Array,
  scale: number,
): void {
  for (let j = 0; j < out.length; j++) {
    const held = decay * buffer[j] + row[j];
    buffer[j] = held;
    out[j] -= scale * held;
  }
}
