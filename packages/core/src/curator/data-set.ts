import {
  InvalidData,
  InvalidParameter,
  arenaOf,
  rowNorm,
  rowNorms,
  type CsrMatrix,
  type MatrixView,
  encode,
  keyedHasher,
  longHasher,
  copyByRows,
  eachBlockOfRows,
  inArena,
  isByColumns,
} from '@lethe/numerics';
import { sumBeside, type LongSum } from './long-sum.js';
import type { Ledger } from '../ledger/index.js';
import { iterateDimensionOf, type Loss, type RecordDomain } from '../plugins/loss.js';
import type { Norm } from '../plugins/mechanism.js';
import { labelWidthOf } from '../plugins/labels.js';
import type { Ref } from '../plugins/plugin.js';
import { resolvePlugin, type Resolved } from '../plugins/registry.js';
import { settleRef } from '../plugins/settled-refs.js';
import { ownCopy } from '../own-copy.js';
import type { Fact } from '../plugins/fact.js';
import { byOwner, checkedOwners } from './by-owner.js';
import { assertFlags, checkDataInput, checkedFeatures } from './check-data.js';
import type { DataInput } from './data-input.js';
import { enforceDomain } from './enforce-domain.js';

/**
 * Validated private data with their ledger. Only curators take
 * it; nothing in it may cross to an optimizer but `facts`.
 */
export interface DataSet {
  /** Records, or owners of records. */
  readonly slots: number;
  /** Whether a slot holds all records of one owner. */
  readonly unit: 'record' | 'owner';
  /** Features of a record. */
  readonly columns: number;
  /** Entries of a point and of a gradient, which the loss has of so many columns. */
  readonly dimension: number;
  /** Numbers in one label. */
  readonly labelWidth: number;
  /** The features by rows. Of features that came by columns it is a copy, made when it is first asked for. */
  readonly matrix: MatrixView | CsrMatrix;
  /** The features as they are held: by rows or, where they came so, by columns. */
  readonly stored: MatrixView | CsrMatrix;
  /** `[slots, labelWidth]`, row-major. */
  readonly labels: Float64Array;
  /** `[slots]`: ℓ2 norms of the rows. */
  readonly norms: Float64Array;
  /** `[slots]`: norms of the rows; worked out when they are first asked for. */
  normsIn(norm: Norm): Float64Array;
  readonly nulls: Uint8Array | null;
  /** Where long sums of gradients are made, `[dimension]`, or null. */
  readonly sumMemory: LongSum | null;
  /** Memory for long points that no run uses now; it holds points of runs before. */
  readonly sparePoints: Float64Array[];
  readonly loss: Resolved<Loss>;
  readonly lossRef: Ref<'loss'>;
  /** `every-record` facts that follow from the declared domain. */
  readonly facts: Readonly<Record<string, Fact>>;
  /** The declared record domain the facts follow from. */
  readonly domain: Omit<RecordDomain, 'columns'>;
  /**
   * Hash of all that answers depend on: records as bounded,
   * loss and facts. Coins and digests are keyed by it.
   */
  readonly view: Uint8Array;
  readonly ledger: Ledger;
}

export const isSparse = (matrix: MatrixView | CsrMatrix): matrix is CsrMatrix => 'rowStarts' in matrix;

/**
 * Validates private data, enforces the declared bounds on every record and binds the data to their ledger.
 * This is the data owner's step: its errors may describe records, and stay with the owner.
 *
 * Dense features are copied once into memory the kernels work on, unless they already are a view of an arena
 * whose rows, or whose columns, follow one another without gaps; then the data set takes the view over.
 * Columns stay columns: a run that asks for few coordinates reads nothing else.
 *
 * @throws {InvalidData} naming row, column and value of a record
 * that is not finite, not accepted by the loss, or outside.
 * @throws {InvalidParameter} when types or shapes disagree, a view
 * reaches outside its storage, or a declared bound is not positive.
 */
export function attachData(input: DataInput): DataSet {
  const {
    features,
    labels,
    nulls,
    loss: lossRef,
    registry,
    domain,
    outside,
    identity,
    ledger,
  } = takenIn(input);
  const given = checkedFeatures(features);
  const { rows } = given;
  const rowLoss = resolvePlugin<Loss>(registry, lossRef);
  const rowLabelWidth = labelWidthOf(rowLoss);
  const dimension = iterateDimensionOf(rowLoss, given.columns);
  const owners = input.owners === undefined ? null : checkedOwners(input.owners, rows);
  assertLength('labels', labels, rows, rowLabelWidth);
  assertLength('nulls', nulls, rows);
  assertDomain(domain, given.columns, rowLoss);
  // First, because it refuses what is too large to be held.
  const matrix = isSparse(given) ? given : inArena(given);
  const rowLabels = labels === undefined ? new Float64Array(rows * rowLabelWidth) : new Float64Array(labels);
  const rowNulls = nulls === undefined ? null : new Uint8Array(nulls);
  assertFlags(rowNulls);
  assertLabels(rowLabels, rowNulls, rowLoss, rowLabelWidth);
  const givenNorms = normsOfRows(matrix, allocateBeside(matrix, rows));
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
    encode({ lossRef, facts, slots, ...(owners === null ? {} : { most: owners.most }) }),
  );
  ledger.bind(
    (key, { namesUnit, isBySums }) => {
      const hasher = identity === undefined && isBySums ? longHasher(key) : keyedHasher(key);
      if (identity === undefined)
        eachRecognised(stored, ownLabels, ownNulls, (bytes) => hasher.update(bytes));
      else {
        for (const bytes of identity) hasher.update(bytes);
        // A ledger is about records, or about these owners: a limit for one is none for the other.
        // How many of an owner's records count is none of it: what an owner has spent adds up all the same.
        if (owners !== null) {
          const { most, ...whose } = owners;
          hasher.update(encode(namesUnit ? whose : { ...whose, most }));
        }
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
    labels: copyInto(allocateBeside(stored, ownLabels.length), ownLabels),
    sumMemory: isSparse(stored) && dimension === columns ? sumBeside(stored) : null,
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

/** The input with every field read once, and all but the arrays of records copied. */
function takenIn(
  input: DataInput,
): Required<Pick<DataInput, 'domain' | 'outside'>> & Omit<DataInput, 'domain' | 'outside'> {
  // What is no record at all is refused as it is.
  const own = typeof input === 'object' && input !== null ? { ...input } : input;
  checkDataInput(own);
  const { loss, registry, domain = {}, outside = 'reject', identity } = own;
  return {
    ...own,
    outside,
    loss: settleRef(ownCopy(loss)),
    registry: Object.freeze([...registry]),
    domain: ownCopy(domain),
    ...(identity === undefined ? {} : { identity: [...identity] }),
  };
}

/**
 * Changes when anything does that an answer could depend on, so
 * that no recorded query is answered again on other records.
 */
function viewOfRecords(
  matrix: MatrixView | CsrMatrix,
  labels: Float64Array,
  nulls: Uint8Array | null,
  rest: Uint8Array,
): Uint8Array {
  const hasher = keyedHasher(new TextEncoder().encode('lethe/data/view1'));
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
      use(bytesOf((data as Float64Array).subarray(offset, offset + rows * columns))),
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

function assertDomain(
  domain: Omit<RecordDomain, 'columns'>,
  columns: number,
  { plugin, params }: Resolved<Loss>,
): void {
  for (const name of ['featureNorm', 'labelBound', 'iterateNorm'] as const) {
    const value = domain[name];
    if (value !== undefined && !(Number.isFinite(value) && value > 0))
      throw new InvalidParameter(
        `domain.${name} is ${String(value)}; a declared bound is positive and finite`,
        { [name]: value },
      );
  }
  const { sparsity } = domain;
  if (sparsity !== undefined && !(Number.isSafeInteger(sparsity) && sparsity > 0))
    throw new InvalidParameter(
      `domain.sparsity is ${String(sparsity)}; it is the most entries of a record that differ from zero, ` +
        'a positive whole number',
      { sparsity: String(sparsity) },
    );
  if (domain.labelBound !== undefined && plugin.labels.classes !== undefined) {
    throw new InvalidParameter(
      `domain.labelBound is ${domain.labelBound}, but labels of the loss '${plugin.name}' are classes 0 ` +
        `to ${plugin.labels.classes(params) - 1}, which have no size; leave it out`,
      { labelBound: domain.labelBound, loss: plugin.name },
    );
  }
  const bounds = domain.featureBounds;
  if (bounds === undefined) return;
  if (bounds.length !== columns)
    throw new InvalidParameter(`domain.featureBounds has ${bounds.length} entries for ${columns} columns`, {
      length: bounds.length,
      columns,
    });
  const bad = bounds.findIndex((bound) => !(Number.isFinite(bound) && bound >= 0));
  if (bad >= 0)
    throw new InvalidParameter(
      `domain.featureBounds[${bad}] is ${String(bounds[bad])}; a declared bound is finite and not negative`,
      { column: bad, value: bounds[bad] },
    );
}

function assertLabels(
  labels: Float64Array,
  nulls: Uint8Array | null,
  { plugin, params }: Resolved<Loss>,
  width: number,
): void {
  for (let k = 0; k < labels.length; k++) {
    const row = Math.floor(k / width);
    if (nulls?.[row] === 1) {
      labels[k] = 0;
      continue;
    }
    const label = labels[k];
    if (!Number.isFinite(label) || !plugin.labels.accepts(label, params)) {
      const classes = plugin.labels.classes?.(params);
      const rule = classes === undefined ? plugin.labels.rule : `classes 0 to ${classes - 1}`;
      throw new InvalidData(
        `label of row ${row}${width === 1 ? '' : `, entry ${k % width},`} is ${label}; ` +
          `the loss '${plugin.name}' takes ${rule}`,
        { row, column: 'label', value: label },
      );
    }
  }
}

function allocateBeside(matrix: MatrixView | CsrMatrix, length: number): Float64Array {
  const arena = arenaOf(isSparse(matrix) ? matrix.values : matrix.data);
  return arena !== null && arena.free >= length ? arena.allocate(length) : new Float64Array(length);
}

function copyInto(out: Float64Array, values: Float64Array): Float64Array {
  out.set(values);
  return out;
}

const bytesOf = (array: ArrayBufferView): Uint8Array =>
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
