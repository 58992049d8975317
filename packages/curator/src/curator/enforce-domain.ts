import type { RecordDomain } from '@lethe/core';
import {
  InvalidData,
  InvalidParameter,
  LARGEST_32,
  to32Bits,
  type CsrMatrix,
  type MatrixView,
  type Numbers,
} from '@lethe/numerics';

/**
 * `reject` stops at the first record outside; `clip` moves it
 * onto the bound (features are scaled to the norm bound, and the entries of largest size stay).
 */
export type OutsidePolicy = 'reject' | 'clip';

export interface Enforcement {
  readonly matrix: MatrixView | CsrMatrix;
  /** `[rows]`: ℓ2 norms of the rows as given, from `rowNorms`; not finite where an entry is not. */
  readonly norms: Float64Array;
  /** `[rows, labelWidth]`, row-major. */
  readonly labels: Float64Array;
  readonly labelWidth: number;
  readonly nulls: Uint8Array | null;
  readonly domain: Omit<RecordDomain, 'columns'>;
  readonly outside: OutsidePolicy;
  /** The row that errors give the first row. @defaultValue 0 */
  readonly firstRow?: number;
  /** Whether the loss accepts a label: one that was moved onto the bound has to be one, too. */
  accepts(label: number): boolean;
}

/**
 * A record may exceed a norm bound by this factor of rounding
 * before it counts as outside; the facts allow for it.
 */
const slack = 1 + 1e-12;

/**
 * The largest norm from `rowNorms` at which a row satisfies the declared bounds and needs no look at each
 * entry; -1 where there is none. No entry is larger than the norm. The norm and its recomputation differ by
 * less than (columns + 4) · 2⁻⁵¹ of it: a sum of squares of so many terms is rounded twice.
 */
function largestPlainNorm(columns: number, domain: Omit<RecordDomain, 'columns'>): number {
  const { featureNorm = Infinity, featureBounds = [], sparsity = Infinity } = domain;
  if (sparsity < columns) return -1;
  const smallestBound = featureBounds.reduce((least, bound) => Math.min(least, bound), Infinity);
  const bound = Math.min(featureNorm * slack, smallestBound, Number.MAX_VALUE);
  return bound / (1 + (columns + 4) * 2 ** -51);
}

/**
 * Makes every record satisfy the declared domain, in place; null records become zero rows.
 *
 * @returns whether features were written: then `norms` no longer holds.
 * @throws {InvalidData} for a value that is not finite under any
 * policy, and for a record outside under `reject`.
 * @throws {InvalidParameter} under `clip`, where the bound of labels is no label itself, such as 2.5 for
 * counts, whatever the labels are.
 */
export function enforceDomain({
  matrix,
  norms,
  labels,
  labelWidth,
  nulls,
  domain,
  outside,
  firstRow = 0,
  accepts,
}: Enforcement): boolean {
  const { featureNorm = Infinity, featureBounds, labelBound = Infinity, sparsity = Infinity } = domain;
  const sign = outside === 'clip' && labelBound < Infinity ? signOf({ labelWidth, accepts }, labelBound) : 1;
  const entries = entriesOf(matrix);
  const plain = largestPlainNorm(matrix.columns, domain);
  let written = false;
  for (let row = 0; row < matrix.rows; row++) {
    const isNull = nulls?.[row] === 1;
    if (!isNull && norms[row] <= plain) continue;
    const { values, from, to, step } = entries(row);
    // Rounded to the nearest, a number could be beyond the bound onto which it is moved.
    const held = values instanceof Float32Array ? to32Bits : (value: number): number => value;
    if (isNull) {
      for (let k = from; k < to; k += step) values[k] = 0;
      written = true;
      continue;
    }
    let largest = 0;
    for (let k = from, position = 0; k < to; k += step, position++) {
      const column = 'rowStarts' in matrix ? matrix.columnIndices[k] : position;
      const value = values[k];
      if (!Number.isFinite(value))
        throw new InvalidData(
          `row ${firstRow + row}, column ${column} is ${value}${rangeOf(values, value)}; every feature ` +
            'must be a finite number',
          { row: firstRow + row, column, value },
        );
      const bound = featureBounds?.[column] ?? Infinity;
      if (Math.abs(value) > bound) {
        if (outside === 'reject')
          throw new InvalidData(
            `row ${firstRow + row}, column ${column} is ${value}, outside the declared bound ${bound}` +
              outsideText(values, Math.abs(value) <= Math.fround(bound), Math.abs(value)),
            { row: firstRow + row, column, value, bound },
          );
        values[k] = held(Math.sign(value) * bound);
        written = true;
      }
      largest = Math.max(largest, Math.abs(values[k]));
    }
    if (
      sparsity < matrix.columns &&
      holdToSparsity({ values, from, to, step }, firstRow + row, sparsity, outside)
    )
      written = true;
    if (largest > 0 && featureNorm < Infinity) {
      let sum = 0;
      for (let k = from; k < to; k += step) sum += (values[k] / largest) ** 2;
      const norm = largest * Math.sqrt(sum);
      if (norm > featureNorm * slack) {
        if (outside === 'reject')
          throw new InvalidData(
            `row ${firstRow + row} has norm ${norm}, above the declared ${featureNorm}` +
              outsideText(values, norm <= featureNorm * (1 + 2 ** -24), featureNorm * (1 + 2 ** -24)),
            { row: firstRow + row, norm, bound: featureNorm },
          );
        for (let k = from; k < to; k += step)
          values[k] = held((values[k] / largest) * (featureNorm / Math.sqrt(sum)));
        written = true;
      }
    }
  }
  if (labelBound < Infinity) holdLabels({ labels, labelWidth, outside, firstRow, accepts, sign }, labelBound);
  return written;
}

/**
 * The sign with which what a label is moved onto is a label. Asked of the bound and not of the labels that
 * there are: a refusal must not tell of records.
 *
 * @throws {InvalidParameter} where neither is.
 */
function signOf(
  { labelWidth, accepts }: Pick<Enforcement, 'labelWidth' | 'accepts'>,
  labelBound: number,
): 1 | -1 {
  const shares = labelWidth === 1 ? [1] : [1, 1 / 2, 1 / 3, 1 / Math.sqrt(labelWidth)];
  for (const sign of [1, -1] as const)
    if (shares.every((share) => accepts(sign * share * labelBound))) return sign;
  throw new InvalidParameter(
    `domain.labelBound is ${labelBound}, and a label moved onto it is none that the loss accepts; ` +
      'declare a bound that is a label',
    { labelBound },
  );
}

/** Makes every label satisfy its bound, in place. @throws as {@link enforceDomain}. */
function holdLabels(
  {
    labels,
    labelWidth,
    outside,
    firstRow,
    accepts,
    sign,
  }: Omit<Enforcement, 'matrix' | 'norms' | 'nulls' | 'domain' | 'firstRow'> & {
    readonly firstRow: number;
    readonly sign: 1 | -1;
  },
  labelBound: number,
): void {
  for (let row = 0; row * labelWidth < labels.length; row++) {
    const label = labels.subarray(row * labelWidth, (row + 1) * labelWidth);
    const size = sizeOf(label);
    if (size > labelBound * (labelWidth === 1 ? 1 : slack)) {
      const shown = labelWidth === 1 ? `is ${label[0]}` : `has norm ${size}`;
      if (outside === 'reject')
        throw new InvalidData(
          `label of row ${firstRow + row} ${shown}, outside the declared bound ${labelBound}; clip it, ` +
            'or declare the true bound',
          {
            row: firstRow + row,
            column: 'label',
            value: labelWidth === 1 ? label[0] : size,
            bound: labelBound,
          },
        );
      for (let k = 0; k < labelWidth; k++)
        label[k] = labelWidth === 1 ? Math.sign(label[0]) * labelBound : (label[k] / size) * labelBound;
      // Another label within the bound: an error would tell of this record.
      if (!label.every(accepts)) label.fill((sign * labelBound) / Math.sqrt(labelWidth));
    }
  }
}

/**
 * Under `clip` the entries of largest size stay; of equal sizes, those of lower column.
 *
 * @returns whether an entry was dropped.
 */
function holdToSparsity(
  { values, from, to, step }: RowEntries,
  row: number,
  sparsity: number,
  outside: OutsidePolicy,
): boolean {
  let count = 0;
  for (let k = from; k < to; k += step) if (values[k] !== 0) count++;
  if (count <= sparsity) return false;
  if (outside === 'reject')
    throw new InvalidData(
      `row ${row} has ${count} entries that differ from zero, and domain.sparsity is ${sparsity}. If no ` +
        `record can have more than this one, write sparsity: ${count} in domain: a public bound, and not ` +
        "one found in the data; else drop its smallest entries by outside: 'clip'",
      { row, entries: count, sparsity },
    );
  const places: number[] = [];
  for (let k = from; k < to; k += step) if (values[k] !== 0) places.push(k);
  places.sort((a, b) => Math.abs(values[b]) - Math.abs(values[a]) || a - b);
  for (const place of places.slice(sparsity)) values[place] = 0;
  return true;
}

/** ‖y‖₂, without overflow of squares. */
function sizeOf(label: Float64Array): number {
  if (label.length === 1) return Math.abs(label[0]);
  let largest = 0;
  for (const entry of label) largest = Math.max(largest, Math.abs(entry));
  if (largest === 0) return 0;
  let sum = 0;
  for (const entry of label) sum += (entry / largest) ** 2;
  return largest * Math.sqrt(sum);
}

/**
 * Why a record is outside, as far as it can be told, and what to do. What its owner rounded to 32 bits, to
 * the nearest, may be larger than the number before: 0.1 is 0.10000000149 then.
 *
 * @param isNear - Whether rounding can make it as large as it is.
 * @param enough - A bound that holds of what was rounded.
 */
const outsideText = (values: Numbers, isNear: boolean, enough: number): string =>
  values instanceof Float32Array && isNear
    ? ', as numbers rounded to the nearest of 32 bits may be, which are compared in 64; give the numbers ' +
      'in 64 bits with precision: 32, which rounds towards zero, ' +
      `declare ${enough}, or clip it by outside: 'clip'`
    : '; clip it, or declare the true bound';

/** What an error says of a number that may have been too large for 32 bits. */
const rangeOf = (values: Numbers, value: number): string =>
  values instanceof Float32Array && Math.abs(value) === Infinity
    ? ` in 32 bits, which hold numbers up to ${LARGEST_32}`
    : '';

interface RowEntries {
  readonly values: Numbers;
  readonly from: number;
  readonly to: number;
  readonly step: number;
}

function entriesOf(matrix: MatrixView | CsrMatrix): (row: number) => RowEntries {
  if ('rowStarts' in matrix)
    return (row) => ({
      values: matrix.values,
      from: matrix.rowStarts[row],
      to: matrix.rowStarts[row + 1],
      step: 1,
    });
  const { data, offset, rowStride, columnStride, columns } = matrix;
  return (row) => {
    const from = offset + row * rowStride;
    return { values: data, from, to: from + columns * columnStride, step: columnStride };
  };
}
