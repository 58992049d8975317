import { definePrefixSum } from '@lethe/core';
import { bandSchema, bandwidthOf, coefficientsOf } from './banded-coefficients.js';
import { bandedResponse, bandedSolver } from './banded-inverse.js';
import { assertNext, assertShape, assertSteps } from './participation.js';
import { toeplitzNormUp } from './sensitivity.js';
import { typedErrors } from './shared-claims.js';

/**
 * `C` is Toeplitz with a band of `b` coefficients, `B = A C^{-1}`. A slot that takes part at least `b` steps
 * apart moves different rows each time, so that its participations add up like the sides of right angles:
 * `√k` times one of them.
 *
 * The coefficients are the first `b` of the square root of the running sum, or given: 1, then not negative
 * and not increasing; {@link optimizeBandedToeplitz} finds the best. A band wider than the stream is long is
 * cut. `b = 1` is fresh noise on increments; `b = T` is the square root.
 *
 * Memory is `b − 1` rows, and a step costs `O(b d)`: the noise is solved for row by row. Variances take
 * `O(T b)` once for each object of parameters, and keep three numbers a step; up to 2²⁶ steps. Norms are ℓ2.
 */
export const bandedToeplitz = definePrefixSum({
  name: 'banded-toeplitz',
  summary: 'Noise correlated over a band of steps, the same at each step.',
  source: { id: 'kalinin-lampert-2024', item: 'banded square root factorisation' },
  params: bandSchema,
  claims: [
    { property: 'factorisation', statement: 'A = BC with B = A C^{-1} and C banded Toeplitz' },
    {
      property: 'column-norm',
      statement:
        '‖Σ_m C e_{m·gap}‖, m < k = min(times, ⌊(steps − 1)/gap⌋ + 1); at most √k times one column where ' +
        'gap is at least the bandwidth',
      source: { id: 'kalinin-lampert-2024', item: 'sensitivity of decreasing Toeplitz matrices' },
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
    { property: 'vectors-kept', statement: 'one fewer than the band is wide, and than the stream is long' },
    {
      property: 'runs',
      statement: 'a run keeps its last rows, one fewer than the band is wide, and nothing of other runs',
    },
    { property: 'prefix-consistent', statement: 'the first steps do not depend on how many there will be' },
    typedErrors,
  ],
  examples: [
    { bandwidth: 4 },
    { bandwidth: 1 },
    { bandwidth: 50 },
    { coefficients: [1, 1, 0.5, 0.5, 0.25, 0] },
  ],
  columnNorm: (band, shape, participation) => toeplitzNormUp(coefficientsOf(band), shape, participation),
  variance(band, shape, step) {
    assertSteps(shape, step);
    return bandedResponse(coefficientsOf(band), step + 1, shape.steps).variances[step];
  },
  variancesInto(out, band, shape) {
    assertShape(shape);
    out.set(
      bandedResponse(coefficientsOf(band), shape.steps, shape.steps).variances.subarray(0, shape.steps),
    );
  },
  vectorsKept(band, shape) {
    assertShape(shape);
    return Math.min(bandwidthOf(band), shape.steps) - 1;
  },
  bandwidth(band, shape) {
    assertShape(shape);
    return Math.min(bandwidthOf(band), shape.steps);
  },
  encoder(band, shape, row, column) {
    assertSteps(shape, row, column);
    return column <= row ? (coefficientsOf(band)[row - column] ?? 0) : 0;
  },
  begin(band, shape) {
    assertShape(shape);
    const solve = bandedSolver(coefficientsOf(band), shape.steps, shape.dimension);
    let step = 0;
    return {
      nextInto(out, noise) {
        assertNext(shape, step, out);
        noise(step, out);
        solve(out);
        step++;
      },
    };
  },
});
