import {
  iterateDimensionOf,
  labelWidthOf,
  resolvePlugin,
  type Loss,
  type Norm,
  type Resolved,
} from '@lethe/core';
import {
  arenaOf,
  bytesOf,
  copyByRows,
  type CsrMatrix,
  eachBlockOfRows,
  encode,
  inArena,
  InvalidParameter,
  isByColumns,
  type MatrixView,
  type Precision,
  precisionOf,
  rowNorm,
  rowNorms,
} from '@lethe/numerics';
import { fingerprintHasher } from './fingerprint-hasher.js';
import type { Ledger } from '../ledger/index.js';
import { assertDomain, assertLabels } from './assert-records.js';
import { byOwner, checkedOwners } from './by-owner.js';
import { assertFlags, checkedFeatures } from './check-data.js';
import { isSparse, type DataSet, type SparseRecords } from './attached.js';
import type { DataInput, TakenIn } from './data-input.js';
import { enforceDomain } from './enforce-domain.js';
import { sparseRecords } from './sparse-records.js';
import { takenIn } from './taken-in.js';
import { viewHasher } from './view-of-records.js';

export type { DataSet } from './attached.js';

/**
 * Validates private data, enforces the declared bounds on every record and binds the data to their ledger.
 * This is the data owner's step: its errors may describe records, and stay with the owner.
 *
 * Dense features are copied once into memory the kernels work on, unless they already are a view of an arena
 * whose rows, or whose columns, follow one another without gaps; then the data set takes the view over.
 * Columns stay columns: a run that asks for few coordinates reads nothing else. Features of 32 bits stay so;
 * what bounds, norms, hashes and answers are about is the numbers that are kept.
 *
 * @throws {InvalidData} naming row, column and value of a record
 * that is not finite, not accepted by the loss, or outside; none under `unreadable: 'null'` and
 * `outside: 'clip'`, where a record has no part in whether the data are attached.
 * @throws {InvalidParameter} when types or shapes disagree, a view
 * reaches outside its storage, or a declared bound is not positive.
 */
export const attachData = (input: DataInput): DataSet => attach(takenIn(input, 'attachData'), sparseRecords);

/**
 * `attachData` for dense features, for pages whose script has to stay small: it has no code for sparse rows.
 *
 * @throws {InvalidData} as `attachData`.
 * @throws {InvalidParameter} as `attachData`.
 * @throws {Unsupported} for sparse rows.
 */
export const attachDense = (
  input: DataInput & { readonly features: Exclude<DataInput['features'], CsrMatrix> },
): DataSet => attach(takenIn(input, 'attachDense'), null);

/** @param sparse - What takes sparse rows, or null where none are taken. */
function attach(taken: TakenIn<DataInput>, sparse: SparseRecords | null): DataSet {
  const { features, labels, nulls, loss: lossRef, registry, domain, outside, unreadable } = taken;
  const { identity, ledger } = taken;
  const given = checkedFeatures(features, sparse);
  const { rows } = given;
  const rowLoss = resolvePlugin<Loss>(registry, lossRef);
  const rowLabelWidth = labelWidthOf(rowLoss);
  const dimension = iterateDimensionOf(rowLoss, given.columns);
  const owners = taken.owners === undefined ? null : checkedOwners(taken.owners, rows);
  assertLength('labels', labels, rows, rowLabelWidth);
  assertLength('nulls', nulls, rows);
  assertDomain(domain, given.columns, rowLoss);
  // First, because it refuses what is too large to be held.
  const precision = precisionFor(given, taken.precision);
  const matrix = isSparse(given) ? given : inArena(given, precision);
  const rowLabels = labels === undefined ? new Float64Array(rows * rowLabelWidth) : new Float64Array(labels);
  let rowNulls = nulls === undefined ? null : new Uint8Array(nulls);
  assertFlags(rowNulls);
  const givenNorms = normsOfRows(matrix, allocateBeside(matrix, rows));
  if (unreadable === 'null') {
    rowNulls ??= new Uint8Array(rows);
    flagUnreadable({ matrix, norms: givenNorms, labels: rowLabels, nulls: rowNulls }, rowLoss);
  }
  assertLabels(rowLabels, rowNulls, rowLoss, { width: rowLabelWidth });
  const written = enforceDomain({
    matrix,
    norms: givenNorms,
    labels: rowLabels,
    labelWidth: rowLabelWidth,
    nulls: rowNulls,
    domain,
    outside,
    accepts: (label) => rowLoss.plugin.labels.accepts(label, rowLoss.params),
  });
  const byRow = {
    matrix,
    columns: given.columns,
    labels: rowLabels,
    labelWidth: rowLabelWidth,
    nulls: rowNulls,
    loss: rowLoss,
  };
  const whole = owners === null ? byRow : byOwner(byRow, owners);
  const { columns, labels: ownLabels, labelWidth, nulls: ownNulls, loss } = whole;
  const stored = owners === null ? matrix : inArena(whole.matrix as MatrixView);
  const slots = owners?.slots ?? rows;
  let norms = givenNorms;
  if (owners !== null) norms = normsOfRows(stored, allocateBeside(stored, slots));
  else if (written) normsOfRows(stored, norms);
  const facts = Object.freeze(loss.plugin.facts(loss.params, { ...domain, columns }));
  const view = viewOfRecords(
    stored,
    ownLabels,
    ownNulls,
    precision,
    encode({ lossRef, facts, slots, ...(owners === null ? {} : { most: owners.most }) }),
  );
  ledger.bind(
    (key, { namesUnit, isBySums }) => {
      const hasher = fingerprintHasher(key, { isBySums, identity, precision });
      if (identity === undefined)
        eachRecognised(stored, ownLabels, ownNulls, (bytes) => hasher.update(bytes));
      else if (owners !== null) {
        // A ledger is about records, or about these owners: a limit for one is none for the other.
        // How many of an owner's records count is none of it: what an owner has spent adds up all the same.
        const { most, ...whose } = owners;
        hasher.update(encode(namesUnit ? whose : { ...whose, most }));
      }
      return hasher.digest();
    },
    owners === null ? 'record' : 'owner',
  );
  let byRows: MatrixView | CsrMatrix | undefined;
  const otherNorms = new Map<Norm, Float64Array>();
  return Object.freeze({
    get matrix() {
      return (byRows ??= isSparse(stored) || !isByColumns(stored) ? stored : copyByRows(stored));
    },
    slots,
    unit: owners === null ? 'record' : 'owner',
    columns,
    dimension,
    labelWidth,
    stored,
    norms,
    normsIn(norm: Norm) {
      const known = norm === 'l2' ? norms : otherNorms.get(norm);
      if (known !== undefined) return known;
      const found = Float64Array.from({ length: slots }, (_, row) => rowNorm(stored, row, norm));
      otherNorms.set(norm, found);
      return found;
    },
    loss,
    lossRef,
    ledger,
    nulls: ownNulls,
    unreadable: unreadable === 'null' ? (rowNulls?.reduce((sum, flag) => sum + flag, 0) ?? 0) : 0,
    labels: copyInto(allocateBeside(stored, ownLabels.length), ownLabels),
    sparse: isSparse(stored) ? sparse : null,
    sumMemory: isSparse(stored) && dimension === columns ? (sparse?.sumBeside(stored) ?? null) : null,
    paged: null,
    sparePoints: [],
    facts,
    domain,
    view,
  });
}

/** The same records, charged to another ledger: those of a nested run, whose cost is charged as a whole. */
export const chargedTo = (data: DataSet, ledger: Ledger): DataSet =>
  // Fields are inherited, so that rows that are not made yet are made once, for both.
  Object.freeze(Object.create(data, { ledger: { value: ledger, enumerable: true } }) as DataSet);

/** @throws {InvalidParameter} for sparse rows of 32 bits. */
function precisionFor(features: MatrixView | CsrMatrix, asked: Precision | undefined): Precision {
  if (!isSparse(features)) return asked ?? precisionOf(features);
  if (asked === 32)
    throw new InvalidParameter(
      'sparse rows are kept in 64 bits; leave precision out, or give dense features',
      {
        precision: asked,
      },
    );
  return 64;
}

function viewOfRecords(
  matrix: MatrixView | CsrMatrix,
  labels: Float64Array,
  nulls: Uint8Array | null,
  precision: Precision,
  rest: Uint8Array,
): Uint8Array {
  const hasher = viewHasher(precision);
  eachRecognised(matrix, labels, nulls, (bytes) => hasher.update(bytes));
  hasher.update(rest);
  return hasher.digest();
}

/** The same bytes whether the features lie by rows or by columns. */
function eachRecognised(
  matrix: MatrixView | CsrMatrix,
  labels: Float64Array,
  nulls: Uint8Array | null,
  use: (bytes: Uint8Array) => void,
): void {
  if (isSparse(matrix))
    for (const part of [matrix.rowStarts, matrix.columnIndices, matrix.values]) use(bytesOf(part));
  else
    eachBlockOfRows(matrix, ({ data, offset, rows, columns }) =>
      use(bytesOf(data.subarray(offset, offset + rows * columns))),
    );
  use(bytesOf(labels));
  use(bytesOf(nulls ?? new Uint8Array(0)));
}

/** ℓ2 norms of the rows, also of features by columns. @returns `out`, `[rows]`. */
function normsOfRows(matrix: MatrixView | CsrMatrix, out: Float64Array): Float64Array {
  if (isSparse(matrix)) return rowNorms(matrix, out);
  eachBlockOfRows(matrix, (block, from) => {
    rowNorms(block, out.subarray(from, from + block.rows));
  });
  return out;
}

function assertLength(name: string, array: ArrayLike<number> | undefined, slots: number, width = 1): void {
  if (array === undefined || array.length === slots * width) return;
  const each =
    width === 1
      ? 'give one per row'
      : `a label of this loss has ${width} entries: give ${slots * width}, row after row`;
  throw new InvalidParameter(`${name} has ${array.length} entries for ${slots} rows; ${each}`, {
    [name]: array.length,
    rows: slots,
    width,
  });
}

/** Marks the records that would be refused, in place, by nothing but what each of them holds. */
function flagUnreadable(
  {
    matrix,
    norms,
    labels,
    nulls,
  }: Pick<DataSet, 'matrix' | 'norms' | 'labels'> & { readonly nulls: Uint8Array },
  { plugin, params }: Resolved<Loss>,
): void {
  const width = labels.length / nulls.length;
  const accepts = (label: number): boolean => Number.isFinite(label) && plugin.labels.accepts(label, params);
  for (let row = 0; row < nulls.length; row++) {
    const label = labels.subarray(row * width, (row + 1) * width);
    const isReadable =
      label.every(accepts) &&
      // Of finite entries a norm may overflow.
      (Number.isFinite(norms[row]) || isFiniteRow(matrix, row));
    if (!isReadable) nulls[row] = 1;
  }
}

function isFiniteRow(matrix: MatrixView | CsrMatrix, row: number): boolean {
  if (isSparse(matrix))
    return matrix.values.subarray(matrix.rowStarts[row], matrix.rowStarts[row + 1]).every(Number.isFinite);
  const { data, offset, rowStride, columns, columnStride } = matrix;
  for (let j = 0; j < columns; j++)
    if (!Number.isFinite(data[offset + row * rowStride + j * columnStride])) return false;
  return true;
}

function allocateBeside(matrix: MatrixView | CsrMatrix, length: number): Float64Array {
  const arena = arenaOf(isSparse(matrix) ? matrix.values : matrix.data);
  return arena !== null && arena.free >= length ? arena.allocate(length) : new Float64Array(length);
}

function copyInto(out: Float64Array, values: Float64Array): Float64Array {
  out.set(values);
  return out;
}
