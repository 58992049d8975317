import { InvalidData, InvalidParameter, type Fact, type Loss, type Resolved } from '@lethe/core';
import { multiplyUp, sqrtUp } from '@lethe/numerics';
import { assertRows, denseRows, plainRows, type GivenRows } from '../labelled-rows.js';
import { largestCorrelationEigenvalue } from './largest-correlation-eigenvalue.js';
import { lossCurvature } from './loss-curvature.js';
import { scaledGram, type ScaledGram } from './scaled-gram.js';

/** Method of {@link computedSmoothness}; neither is always the smaller one. */
export interface ComputedSmoothnessOptions {
  /**
   * `row-sums`: `M_j = Σ_k |A_jk|`. `scaled-eigenvalue`: the
   * least multiple of the diagonal of `A` that dominates it.
   */
  readonly method: 'row-sums' | 'scaled-eigenvalue';
}

/** Covers the roundings of the last few products. */
const slack = 1 + 2 ** -50;

/**
 * Smoothness constants `M_j` of coordinates with `Diag(M) ≽ A = (h/n) XᵀX ≽ ∇²f`, read off the records
 * themselves, rounded up; `h` is the {@link lossCurvature}. They tell how much is lost by constants that hold
 * whatever the records are, and **they leak**: no plan takes them. `smoothnessFromMoments` is the way that is
 * paid for.
 *
 * @returns facts `componentSmoothness.j`, with provenance `computed`; 0 for a column of zeros.
 * @throws {InvalidData} when a feature is not finite.
 * @throws {InvalidParameter} when shapes disagree, or a constant overflows.
 * @throws {Unsupported} for a loss without curvature, and for sparse rows.
 * @see Maranjyan, Sadiev and Richtárik 2024, Assumption 3.6.
 */
export function computedSmoothness(
  loss: Resolved<Loss>,
  given: GivenRows,
  { method }: ComputedSmoothnessOptions,
): Readonly<Record<string, Fact>> {
  const rows = denseRows(plainRows(given), 'computedSmoothness');
  assertRows(rows);
  const bad = rows.features.findIndex((value) => !Number.isFinite(value));
  if (bad >= 0)
    throw new InvalidData(
      `feature ${bad % rows.columns} of row ${Math.floor(bad / rows.columns)} is ` +
        `${rows.features[bad]}; features are finite`,
      { row: Math.floor(bad / rows.columns), column: bad % rows.columns },
    );
  const curvature = lossCurvature(loss);
  const gram = scaledGram(rows);
  const factors = method === 'row-sums' ? rowSums(gram, rows.columns) : eigenvalue(gram, rows.columns);
  return Object.fromEntries(
    Array.from(gram.meanSquares, (square, j) => {
      const value = multiplyUp(
        multiplyUp(curvature, factors[j]),
        slack * (method === 'row-sums' ? sqrtUp(square) : square),
      );
      if (value === Infinity)
        throw new InvalidParameter(
          `the smoothness constant of column ${j} overflows; give the features in larger units`,
          { column: j },
        );
      return [`componentSmoothness.${j}`, { value, scope: 'population', provenance: 'computed' }] as const;
    }),
  );
}

/** `Σ_k |A_jk| / (h √A_jj)`, as `A_jk = h √(s_j s_k)·correlation`. */
function rowSums({ meanSquares, correlations, radius }: ScaledGram, columns: number): Float64Array {
  return meanSquares.map(
    (_, j) =>
      meanSquares.reduce(
        (sum, square, k) =>
          sum + sqrtUp(square) * Math.min(1, Math.abs(correlations[j * columns + k]) + radius),
        0,
      ) *
      (1 + columns * 2 ** -52),
  );
}

function eigenvalue({ meanSquares, correlations, radius }: ScaledGram, columns: number): Float64Array {
  return meanSquares.map(() => 0).fill(largestCorrelationEigenvalue(correlations, columns, radius));
}
