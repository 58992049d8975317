import { InvalidData, InvalidParameter, sparseInArena, type CsrMatrix } from '@lethe/numerics';
import type { SparseRecords } from './attached.js';
import { assertShape } from './check-data.js';
import { sumOfFewRecords } from './few-records.js';
import { sumBeside } from './long-sum.js';
import { eachSparseGradient } from './sparse-gradients.js';

/** What a data set of sparse rows needs; a program that attaches dense rows alone does not contain it. */
export const sparseRecords: SparseRecords = {
  checked: checkedRows,
  sumBeside,
  sumOfFew: sumOfFewRecords,
  eachGradient: eachSparseGradient,
};

/**
 * Columns strictly ascending in each row: a column listed twice
 * would count twice in a product and once in a norm.
 */
function checkedRows({ rows, columns, ...given }: CsrMatrix): CsrMatrix {
  assertShape({ rows, columns });
  if (
    !(given.rowStarts instanceof Uint32Array || given.rowStarts instanceof Float64Array) ||
    !(given.columnIndices instanceof Uint32Array) ||
    !(given.values instanceof Float64Array)
  ) {
    throw new InvalidParameter(
      'CSR rows are rowStarts (Uint32Array or Float64Array), ' +
        'columnIndices (Uint32Array) and values (Float64Array)',
      {},
    );
  }
  // Copied before they are checked: memory that is shared could change in between.
  const { rowStarts, columnIndices, values } = sparseInArena({ rows, columns, ...given });
  if (
    rowStarts.length !== rows + 1 ||
    rowStarts[0] !== 0 ||
    rowStarts[rows] !== values.length ||
    columnIndices.length !== values.length
  ) {
    throw new InvalidParameter(
      `CSR rows need ${rows + 1} rowStarts from 0 to the number of values, ` +
        `and as many columnIndices as values; got ${rowStarts.length} rowStarts from ${rowStarts[0]} to ` +
        `${rowStarts[rows]}, ${columnIndices.length} columnIndices and ${values.length} values`,
      { rows, rowStarts: rowStarts.length, columnIndices: columnIndices.length, values: values.length },
    );
  }
  for (let row = 0; row < rows; row++) {
    const [from, to] = [rowStarts[row], rowStarts[row + 1]];
    if (!(Number.isInteger(to) && to >= from && to <= values.length))
      throw new InvalidParameter(
        `rowStarts[${row + 1}] is ${to}, after ${from}; starts are whole numbers that never fall`,
        { row, from, to },
      );
    for (let k = from; k < to; k++) {
      const column = columnIndices[k];
      if (column >= columns)
        throw new InvalidData(
          `row ${row} has column ${column}; there are ${columns} columns, counted from 0`,
          { row, column, columns },
        );
      if (k > from && column <= columnIndices[k - 1])
        throw new InvalidData(
          `row ${row} has column ${column} after ${columnIndices[k - 1]}; ` +
            'columns ascend in a row, each at most once',
          { row, column },
        );
    }
  }
  return { rows, columns, rowStarts, columnIndices, values };
}
