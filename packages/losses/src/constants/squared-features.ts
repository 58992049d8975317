import { InvalidParameter } from '@lethe/core';
import { multiplyUp } from '@lethe/numerics';
import { assertRows, type DenseRows } from '../labelled-rows.js';

/** Second moments of features as a curator released them, for `smoothnessFromMoments`. */
export interface ReleasedMoments {
  /** `[columns]`: `(1/n) Σ x_j²` plus noise. */
  readonly moments: Float64Array;
  /** `[columns]`: standard deviations of the noise. */
  readonly noise: Float64Array;
  /** `[columns]`: what no second moment exceeds, as declared. */
  readonly largest: Float64Array;
}

/** Records whose mean tells second moments of others, and how to read it. */
export interface SquaredFeatures {
  /** To attach with the loss `linear`, to the ledger of the records they were made of. */
  readonly rows: DenseRows;
  /** Declared bounds on their columns. */
  readonly featureBounds: readonly number[];
  /**
   * Second moments from the answer to a query for the mean gradient of
   * the linear loss with all of these records, wherever it was taken.
   *
   * @param answer - `[columns]`.
   * @param standardDeviation - of the noise on each entry of the answer.
   */
  momentsFrom(answer: Float64Array, standardDeviation: number): ReleasedMoments;
}

/**
 * Makes second moments of features something that a curator can release, and charge for, as it does any mean:
 * record `i` becomes `x_ij² / B_j² − ½`, within `±½`. Features beyond their bounds count as on them, as they
 * do where data are attached with `outside: 'clip'`.
 *
 * The two sets of records are two designs of one source: attach both to its ledger, with the same `identity`.
 * A null record adds at most nothing to the true moments and `½ B_j² / n` to these, so they err upwards;
 * under add-remove this holds while the number of records is at most the public one.
 *
 * @param bounds - `B_j > 0`: public, `|x_j| ≤ B_j` for every record.
 * @throws {InvalidParameter} when shapes disagree, or a bound is not positive and finite.
 */
export function squaredFeatures(rows: DenseRows, bounds: readonly number[]): SquaredFeatures {
  assertRows(rows);
  const { features, columns } = rows;
  if (bounds.length !== columns)
    throw new InvalidParameter(
      `${bounds.length} bounds were given for ${columns} columns; give one for each`,
      { bounds: bounds.length, columns },
    );
  const bad = bounds.findIndex((bound) => !(bound > 0 && Number.isFinite(bound)));
  if (bad >= 0)
    throw new InvalidParameter(`bounds[${bad}] is ${bounds[bad]}; a declared bound is positive and finite`, {
      column: bad,
      value: bounds[bad],
    });
  const squares = features.map((x, k) => Math.min(1, Math.abs(x) / bounds[k % columns]) ** 2 - 0.5);
  const largest = Float64Array.from(bounds, (bound) => multiplyUp(bound, bound));
  return {
    rows: { features: squares, rows: rows.rows, columns, labels: new Float64Array(rows.rows) },
    featureBounds: bounds.map(() => 0.5),
    momentsFrom(answer, standardDeviation) {
      if (answer.length !== columns || !answer.every(Number.isFinite))
        throw new InvalidParameter(
          `the answer needs ${columns} finite entries, one per column; got ${answer.length}`,
          { length: answer.length, columns },
        );
      if (!(standardDeviation >= 0 && Number.isFinite(standardDeviation)))
        throw new InvalidParameter(
          `standardDeviation is ${standardDeviation}; it must be finite and at least 0`,
          { standardDeviation },
        );
      // The gradient of −⟨w, x⟩ is −x.
      return {
        moments: largest.map((most, j) => most * (0.5 - answer[j])),
        noise: largest.map((most) => most * standardDeviation),
        largest: largest.slice(),
      };
    },
  };
}
