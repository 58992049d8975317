import { InvalidParameter, type HardMean } from '@lethe/core';

/** Most stored entries: a gibibyte of values. */
const mostEntries = 2 ** 27;

/** One record of a block: its columns within the block, ascending, and their values. */
export interface BlockRow {
  readonly columns: Uint32Array;
  readonly values: Float64Array;
}

/** A matrix of records with K blocks on its diagonal and zeros elsewhere. */
export interface BlockShape {
  readonly rows: number;
  readonly columns: number;
  /** K. */
  readonly blocks: number;
  readonly rowsPerBlock: number;
  readonly columnsPerBlock: number;
}

/**
 * Block k has rows `(k−1)n₀ … kn₀ − 1` and columns `(k−1)t … kt − 1`; other records are zero. The mean is
 * `(n₀/n)[z̄₁ | … | z̄_K | 0]`, and a record belongs to one block at most, so that an estimate of the whole
 * is a private estimate of every block's mean.
 *
 * @param block - Distinct records of a block, with the number of times that each stands in it, in order; the
 * numbers sum to `rowsPerBlock`.
 * @throws {InvalidParameter} for blocks that do not fit, or more than 2²⁷ stored entries.
 * @see Ghazi and others, Lemma 4.3.
 */
export function blockDiagonal(
  { rows, columns, blocks, rowsPerBlock, columnsPerBlock }: BlockShape,
  block: (k: number) => readonly { readonly row: BlockRow; readonly copies: number }[],
): HardMean {
  if (blocks * rowsPerBlock > rows || blocks * columnsPerBlock > columns)
    throw new InvalidParameter(
      `${blocks} blocks of ${rowsPerBlock} × ${columnsPerBlock} do not fit into ${rows} × ${columns}`,
      { rows, columns, blocks },
    );
  const all = Array.from({ length: blocks }, (_, k) => block(k));
  const entries = all.flat().reduce((sum, { row, copies }) => sum + copies * row.columns.length, 0);
  if (entries > mostEntries)
    throw new InvalidParameter(
      `the records have ${entries.toLocaleString('en')} entries that are not zero; take fewer records`,
      { entries },
    );
  const rowStarts = new Uint32Array(rows + 1);
  const columnIndices = new Uint32Array(entries);
  const values = new Float64Array(entries);
  const mean = new Float64Array(columns);
  let [at, filled] = [0, 0];
  for (const [k, parts] of all.entries()) {
    const first = k * columnsPerBlock;
    for (const { row, copies } of parts) {
      row.columns.forEach((j, i) => {
        mean[first + j] += (copies * row.values[i]) / rows;
      });
      for (let copy = 0; copy < copies; copy++) {
        row.columns.forEach((j, i) => {
          columnIndices[filled + i] = first + j;
        });
        values.set(row.values, filled);
        filled += row.columns.length;
        rowStarts[++at] = filled;
      }
    }
  }
  rowStarts.fill(filled, at + 1);
  return { features: { rows, columns, rowStarts, columnIndices, values }, rows, columns, mean };
}

/**
 * The probability with which each of K blocks must fail, so that f of them fail with probability ρ, whatever
 * their dependence: `ρ + (1 − ρ)(f − 1)/K`.
 *
 * Failures share the algorithm's randomness, so only the expectation of their number W is known:
 * `E W ≤ (f − 1)(1 − P) + K·P` for `P = P[W ≥ f]`. With `f = ρ₀K/2` this gives `ρ₀/(2 − ρ₀)`.
 *
 * @see Ghazi and others, Lemma 4.3, whose proof takes the failures as independent.
 */
export const failureNeeded = (failing: number, blocks: number, probability: number): number =>
  probability + ((1 - probability) * (failing - 1)) / blocks;

/**
 * Whole numbers to try from 1 to `most`: all up to 32, then sixteen in each octave. Which they are depends on
 * `most` by the cut alone, so that whatever fits n records is tried for more records too.
 */
export function* wholeGrid(most: number): Generator<number> {
  for (let value = 1; value <= most; value += Math.max(1, 2 ** (Math.floor(Math.log2(value)) - 4)))
    yield value;
}
