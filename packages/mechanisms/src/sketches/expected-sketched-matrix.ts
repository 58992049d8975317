import { InvalidParameter, parseOrThrow, type ParamsOf, type Sketch } from '@lethe/core';
import { assertSymmetric } from './symmetric.js';

/**
 * `E[C M C]` of a sketch `C = I_S P⁻¹`, from its pair probabilities: `M_ij P(i, j) / (p_i p_j)`.
 *
 * @param matrix - Symmetric, `dimension²` entries by rows.
 * @returns `dimension²` entries by rows, exact up to the rounding of each entry.
 * @throws {InvalidParameter} for parameters that the sketch does not take; unless the matrix is square,
 * finite and symmetric, and of a dimension that the sketch takes.
 * @see Maranjyan, Sadiev and Richtárik 2024, for diagonal matrices (Lemma E.2).
 */
export function expectedSketchedMatrix<S extends Sketch>(
  sketch: S,
  params: ParamsOf<S>,
  matrix: Float64Array,
): Float64Array {
  const dimension = Math.sqrt(matrix.length);
  assertSymmetric(matrix, dimension);
  const checked = parseOrThrow(sketch.params, params, `sketch '${sketch.name}'`);
  const marginals = sketch.marginals(checked, dimension);
  const out = new Float64Array(matrix.length);
  for (let i = 0; i < dimension; i++) {
    out[i * dimension + i] = matrix[i * dimension + i] / marginals[i];
    for (let j = 0; j < i; j++) {
      const together = matrix[i * dimension + j] === 0 ? 0 : sketch.pairProbability(checked, dimension, i, j);
      out[j * dimension + i] =
        together === 0 ? 0 : matrix[i * dimension + j] * (together / marginals[i] / marginals[j]);
      out[i * dimension + j] = out[j * dimension + i];
    }
  }
  return out;
}

/**
 * The diagonal of `E[C D C] = P⁻¹ D` for a diagonal matrix, whatever the sketch.
 *
 * @throws {InvalidParameter} for parameters that the sketch does not take, and unless the entries are finite.
 */
export function expectedSketchedDiagonal<S extends Sketch>(
  sketch: S,
  params: ParamsOf<S>,
  diagonal: Float64Array,
): Float64Array {
  const bad = diagonal.findIndex((entry) => !Number.isFinite(entry));
  if (bad >= 0)
    throw new InvalidParameter(`entry ${bad} of the diagonal is ${diagonal[bad]}; give finite numbers`, {
      index: bad,
    });
  const marginals = sketch.marginals(
    parseOrThrow(sketch.params, params, `sketch '${sketch.name}'`),
    diagonal.length,
  );
  return diagonal.map((entry, j) => entry / marginals[j]);
}
