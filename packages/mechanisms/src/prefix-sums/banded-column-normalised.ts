import { definePrefixSum } from '@lethe/core';
import { bandSchema, bandwidthOf, coefficientsOf, type Band } from './banded-coefficients.js';
import { normalisedNormUp, partialNorms } from './banded-column-norms.js';
import { bandedResponse, bandedSolver } from './banded-inverse.js';
import { assertNext, assertShape, assertSteps } from './participation.js';
import { typedErrors } from './shared-claims.js';

/**
 * A banded Toeplitz matrix whose columns are divided by their norms; `B = A C^{-1}`. A slot that takes part
 * `k` times, at least a bandwidth apart, has sensitivity `√k` at every position, also at the end of a stream,
 * where columns are cut short; so the noise is smaller.
 *
 * Coefficients, memory and cost are those of {@link bandedToeplitz}; variances take `O(T b)` more for the
 * last `b − 1` steps. With a gap smaller than the band `columnNorm` is an upper bound, found in `O(b²)`.
 * Norms are ℓ2.
 */
export const bandedColumnNormalised = definePrefixSum({
  name: 'banded-column-normalised',
  summary: 'Noise correlated over a band of steps, with the same sensitivity at each step.',
  source: { id: 'choquette-choo-et-al-2023', item: 'banded matrix factorisation' },
  params: bandSchema,
  claims: [
    { property: 'factorisation', statement: 'A = BC with B = A C^{-1}, C banded with columns of norm 1' },
    {
      property: 'column-norm',
      statement:
        '√k, k = min(times, ⌊(steps − 1)/gap⌋ + 1), where gap is at least the bandwidth; else an upper bound',
      source: { id: 'choquette-choo-et-al-2023', item: 'sensitivity of banded matrices' },
    },
    {
      property: 'variance',
      statement:
        'the running sum after step t has the squared norm of row t of A C^{-1} as its variance per entry',
    },
    {
      property: 'given-noise',
      statement:
        'increments are n_t y_t for the y that solve the Toeplitz ' +
        'equations for the noise, n_t the norm of column t',
    },
    { property: 'each-row-once', statement: 'step t asks for row t' },
    { property: 'vectors-kept', statement: 'as many as the band is wide, or the stream is long' },
    {
      property: 'runs',
      statement: 'a run keeps its last rows, one fewer than the band is wide, and nothing of other runs',
    },
    typedErrors,
  ],
  examples: [
    { bandwidth: 4 },
    { bandwidth: 1 },
    { bandwidth: 50 },
    { coefficients: [1, 1, 0.5, 0.5, 0.25, 0] },
  ],
  columnNorm(band, shape, participation) {
    assertShape(shape);
    return normalisedNormUp(coefficientsOf(band), normsOf(band), shape, participation);
  },
  variance(band, shape, step) {
    assertSteps(shape, step);
    const whole = shape.steps - bandwidthOf(band);
    if (step > whole) return lastVariances(band, shape.steps)[step - Math.max(0, whole + 1)];
    const norm = normsOf(band)[bandwidthOf(band)];
    return norm * norm * bandedResponse(coefficientsOf(band), step + 1, shape.steps).variances[step];
  },
  vectorsKept(band, shape) {
    assertShape(shape);
    return Math.min(bandwidthOf(band), shape.steps);
  },
  bandwidth(band, shape) {
    assertShape(shape);
    return Math.min(bandwidthOf(band), shape.steps);
  },
  encoder(band, shape, row, column) {
    assertSteps(shape, row, column);
    return column <= row
      ? (coefficientsOf(band)[row - column] ?? 0) / normOfColumn(band, shape.steps, column)
      : 0;
  },
  begin(band, shape) {
    assertShape(shape);
    const solve = bandedSolver(coefficientsOf(band), shape.steps, shape.dimension);
    const solved = new Float64Array(shape.dimension);
    let step = 0;
    return {
      nextInto(out, noise) {
        assertNext(shape, step, out);
        noise(step, solved);
        solve(solved);
        const norm = normOfColumn(band, shape.steps, step);
        for (let j = 0; j < out.length; j++) out[j] = norm * solved[j];
        step++;
      },
    };
  },
});

const norms = new WeakMap<Band, Float64Array>();

function normsOf(band: Band): Float64Array {
  let list = norms.get(band);
  if (list === undefined) norms.set(band, (list = partialNorms(coefficientsOf(band))));
  return list;
}

const normOfColumn = (band: Band, steps: number, column: number): number =>
  normsOf(band)[Math.min(bandwidthOf(band), steps - column)];

const ends = new WeakMap<Band, { readonly steps: number; readonly variances: Float64Array }>();

/** Variances of the last steps, whose columns are cut short. */
function lastVariances(band: Band, steps: number): Float64Array {
  const known = ends.get(band);
  if (known?.steps === steps) return known.variances;
  const first = Math.max(0, steps - bandwidthOf(band) + 1);
  const { inverse, sums } = bandedResponse(coefficientsOf(band), steps, steps);
  // Row by row of B: what the whole columns contribute, then each of the rest.
  const norm = normsOf(band)[bandwidthOf(band)];
  const row = Float64Array.from({ length: steps }, (_, s) => (s < first ? norm * sums[first - 1 - s] : 0));
  const variances = new Float64Array(steps - first);
  for (let step = first; step < steps; step++) {
    const own = normOfColumn(band, steps, step);
    let variance = 0;
    for (let s = 0; s <= step; s++) variance += (row[s] += own * inverse[step - s]) ** 2;
    variances[step - first] = variance;
  }
  ends.set(band, { steps, variances });
  return variances;
}
