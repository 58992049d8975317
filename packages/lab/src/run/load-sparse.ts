import { canonicalJson, InvalidData, seededRandom } from '@lethe/core';
import { selectRows, sparseData, type LabelledRows, type LabelledSparseRows } from '@lethe/losses';
import type { CsrMatrix } from '@lethe/numerics';
import type { SampledSpec } from '../experiment/schema.js';
import { sourceOf, sourceOfFile } from './ledger-path.js';
import type { LoadOptions, Records } from './records.js';
import { unchangedFile } from './unchanged-file.js';

type LibsvmSource = Extract<SampledSpec['data'], { readonly libsvm: unknown }>;
type SparseSource = Extract<SampledSpec['data'], { readonly generateSparse: unknown }>;

/** Dense or sparse features with their labels. */
export const rowsOf = (
  features: Float64Array | CsrMatrix,
  rows: number,
  columns: number,
  labels: Float64Array,
): LabelledRows =>
  'rowStarts' in features ? { features, rows, columns, labels } : { features, rows, columns, labels };

/**
 * Records of a LIBSVM file, with an intercept as the last column where it is asked for.
 *
 * @throws {InvalidData} for a record of more entries than are declared, the intercept included, and for a
 *   line that is no record.
 */
export async function loadLibsvm(
  path: string,
  sparsity: number | undefined,
  { libsvm: { columns: given, label, intercept } }: LibsvmSource,
  { orderOf, allowEmpty }: Required<Pick<LoadOptions, 'orderOf' | 'allowEmpty'>>,
): Promise<Records> {
  const { readLibsvm, libsvmDigest } = await import('@lethe/losses/node');
  const assertUnchanged = unchangedFile(path);
  const read = await readLibsvm(path, { columns: given, allowEmpty });
  assertSparse(read, (sparsity ?? Infinity) - (intercept ? 1 : 0), sparsity);
  const order = orderOf(read.features.rows);
  const chosen = order === undefined ? read.features : selectRows(read.features, order);
  const labels = order === undefined ? read.labels : Float64Array.from(order, (row) => read.labels[row]);
  const features = intercept ? withIntercept(chosen) : chosen;
  const { rows, columns } = features;
  return {
    ...rowsOf(features, rows, columns, labels.map(labelReader(label))),
    labelWidth: 1,
    featureNames: [],
    rowNorm: Infinity,
    columnBounds: null,
    source: () => sourceOfFile(path, libsvmDigest(read), assertUnchanged),
  };
}

function assertSparse(
  { features: { rows, rowStarts, values }, lines }: LabelledSparseRows,
  most: number,
  declared: number | undefined,
): void {
  for (let row = 0; row < rows; row++) {
    let entries = 0;
    for (let k = rowStarts[row]; k < rowStarts[row + 1]; k++) if (values[k] !== 0) entries++;
    if (entries > most)
      throw new InvalidData(
        `line ${lines[row]} has ${entries} entries that differ from ` +
          `zero${most === declared ? '' : ', and the intercept'}, and record.sparsity is ${declared}. If ` +
          `no record can have more than this one, write sparsity: ${entries + (declared ?? 0) - most} ` +
          'under record: a public bound, and not one found in the file; else mend the line',
        { line: lines[row], entries, sparsity: declared },
      );
  }
}

const labelReader = (label: LibsvmSource['libsvm']['label']): ((value: number) => number) =>
  'threshold' in label
    ? (value) => (value > label.threshold ? 1 : -1)
    : (value) => (value - label.offset) / label.unit;

/** The rows with a column of ones after the last. */
function withIntercept({ rows, columns, rowStarts, columnIndices, values }: CsrMatrix): CsrMatrix {
  const starts = Float64Array.from({ length: rows + 1 }, (_, row) => rowStarts[row] + row);
  const out = {
    columnIndices: new Uint32Array(values.length + rows),
    values: new Float64Array(values.length + rows),
  };
  for (let row = 0; row < rows; row++) {
    const [from, to] = [rowStarts[row], rowStarts[row + 1]];
    out.columnIndices.set(columnIndices.subarray(from, to), starts[row]);
    out.values.set(values.subarray(from, to), starts[row]);
    out.columnIndices[starts[row + 1] - 1] = columns;
    out.values[starts[row + 1] - 1] = 1;
  }
  return { rows, columns: columns + 1, rowStarts: starts, ...out };
}

/** Generated sparse records. */
export function loadSparseData({ generateSparse, shuffle }: SparseSource): Records {
  const { features, labels } = sparseData(generateSparse, seededRandom(`data/${shuffle}`));
  const { rows, columns } = features;
  return {
    ...rowsOf(features, rows, columns, labels),
    labelWidth: 1,
    featureNames: [],
    // More than the rounding of a row that was scaled to norm 1.
    rowNorm: 1 + 1e-12,
    columnBounds: null,
    sparsity: Math.min(generateSparse.entries, columns),
    source: () => Promise.resolve(sourceOf(canonicalJson({ generateSparse, seed: shuffle }))),
  };
}
