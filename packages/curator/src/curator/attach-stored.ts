import {
  iterateDimensionOf,
  labelWidthOf,
  resolvePlugin,
  type Loss,
  type NumberStore,
  type Resolved,
  type StoredRows,
} from '@lethe/core';
import {
  bytesOf,
  createArena,
  encode,
  InvalidParameter,
  type KeyedHasher,
  type Numbers,
  numbersIn,
  numbersOf,
  type Precision,
  rowNorms,
  Unsupported,
} from '@lethe/numerics';
import { assertDomain, assertLabels } from './assert-records.js';
import { assertFlags, assertShape } from './check-data.js';
import { checkedPages, pageLength, type CheckedPages } from './checked-pages.js';
import type { DataSet } from './attached.js';
import type { StoredInput, TakenIn } from './data-input.js';
import { enforceDomain } from './enforce-domain.js';
import { fingerprintHasher } from './fingerprint-hasher.js';
import { pagedRecords, windowRows } from './paged-records.js';
import { takenIn } from './taken-in.js';
import { viewHasher } from './view-of-records.js';

/** Columns of which a few thousand rows fit into memory. */
const mostColumns = 2 ** 14;
const mostRows = 2 ** 32 - 1;

/**
 * Attaches dense records that are kept outside memory: what `attachData` makes of the same records in memory,
 * with the same fingerprint, the same view and, for whole gradients, the same answers bit for bit.
 *
 * The rows are read once, moved into the declared bounds in their store, and noted by a digest of each page
 * under a key of this process. Whatever is read later is compared with these digests. Rows that a store keeps
 * in 32 bits are a data set of 32 bits: `attachData` makes it of the same numbers with `precision: 32`.
 *
 * @throws {InvalidData} naming row, column and value of a record that is not finite, not accepted by the
 * loss, or outside.
 * @throws {InvalidParameter} when shapes disagree or a declared bound is not positive.
 * @throws {Unsupported} for owners of several records, for labels beside the stores, and for more than 2¹⁴
 * columns.
 */
export function attachStored(input: StoredInput): DataSet {
  const taken = takenIn(input, 'attachStored');
  const { features: given, loss: lossRef, registry, domain, outside, identity, ledger } = taken;
  const stored = Object.freeze({ ...given });
  const { rows, columns } = stored;
  assertShape(stored);
  const loss = resolvePlugin<Loss>(registry, lossRef);
  const { precision = 64 } = stored;
  if (precision !== 32 && precision !== 64)
    throw new InvalidParameter(`stored rows have precision ${String(precision)}; it must be 32 or 64`, {
      precision: String(precision),
    });
  const labelWidth = labelWidthOf(loss);
  const dimension = iterateDimensionOf(loss, columns);
  assertSupported(stored, taken);
  if (taken.unreadable === 'null')
    throw new Unsupported(
      "rows outside memory take unreadable: 'reject' alone; leave it out, or keep the rows in memory",
      {},
    );
  assertStore('features', stored.features, rows * columns);
  assertStore('labels', stored.labels, rows * labelWidth);
  const nulls = taken.nulls === undefined ? null : new Uint8Array(taken.nulls);
  if (nulls !== null && nulls.length !== rows)
    throw new InvalidParameter(`nulls has ${nulls.length} entries for ${rows} rows; give one per row`, {
      nulls: nulls.length,
      rows,
    });
  assertFlags(nulls);
  assertDomain(domain, columns, loss);
  const facts = Object.freeze(loss.plugin.facts(loss.params, { ...domain, columns }));

  const pages = {
    features: checkedPages(stored.features, precision),
    labels: checkedPages(stored.labels, 64),
  };
  const view = viewHasher(precision);
  moveIntoBounds(stored, { loss, labelWidth, nulls, domain, outside }, pages, (features) =>
    view.update(bytesOf(features)),
  );
  const hashLabels = (hasher: KeyedHasher): void => {
    eachPiece(stored.labels.length, pages.labels, 64, (numbers) => hasher.update(bytesOf(numbers)));
    hasher.update(nulls ?? new Uint8Array(0));
  };
  hashLabels(view);
  view.update(encode({ lossRef, facts, slots: rows }));
  ledger.bind((key, { isBySums }) => {
    const hasher = fingerprintHasher(key, { isBySums, identity, precision });
    if (identity === undefined) {
      eachPiece(stored.features.length, pages.features, precision, (numbers) =>
        hasher.update(bytesOf(numbers)),
      );
      hashLabels(hasher);
    }
    return hasher.digest();
  }, 'record');

  const common = {
    unit: 'record' as const,
    unreadable: 0,
    columns,
    dimension,
    labelWidth,
    loss,
    lossRef,
    facts,
    domain,
    view: view.digest(),
    ledger,
  };
  return Object.freeze({
    ...common,
    slots: rows,
    get matrix() {
      return outOfMemory('matrix');
    },
    get stored() {
      return outOfMemory('stored');
    },
    get labels() {
      return outOfMemory('labels');
    },
    get norms() {
      return outOfMemory('norms');
    },
    get nulls() {
      return outOfMemory('nulls');
    },
    normsIn: () => outOfMemory('norms'),
    sparse: null,
    sumMemory: null,
    sparePoints: [],
    paged: pagedRecords({ rows, ...pages, precision, nulls, common }),
  });
}

/** A path that forgets about parts fails; it never takes records for others. */
function outOfMemory(what: string): never {
  throw new Unsupported(`${what} of records that are kept outside memory are read in parts`, { what });
}

function assertSupported({ rows, columns }: StoredRows, { owners, labels }: StoredInput): void {
  if (owners !== undefined)
    throw new Unsupported(
      'owners of several records are put together in memory; leave owners out, or attach features in memory',
      {},
    );
  if (labels !== undefined)
    throw new Unsupported('labels of stored rows are in their store; leave labels out', {});
  if (columns > mostColumns || rows > mostRows)
    throw new Unsupported(
      `stored rows have at most ${mostColumns} columns and ${mostRows} rows, and these are ${rows} by ` +
        `${columns}; attach them in memory`,
      { rows, columns },
    );
}

function assertStore(
  name: string,
  { length, read, write }: NumberStore | NumberStore<Float32Array>,
  needed: number,
): void {
  if (typeof read !== 'function' || typeof write !== 'function' || length !== needed)
    throw new InvalidParameter(
      `${name} are a store of ${String(length)} numbers; ${needed} are needed, with read and write`,
      { [name]: String(length), needed },
    );
}

/** Enforces the declared bounds piece by piece, and notes what the stores hold by then. */
function moveIntoBounds(
  { rows, columns, precision = 64, ...stores }: StoredRows,
  {
    loss,
    labelWidth,
    nulls,
    domain,
    outside,
  }: Pick<TakenIn<StoredInput>, 'domain' | 'outside'> & {
    readonly loss: Resolved<Loss>;
    readonly labelWidth: number;
    readonly nulls: Uint8Array | null;
  },
  pages: { readonly features: CheckedPages; readonly labels: CheckedPages },
  use: (features: Numbers) => void,
): void {
  const most = Math.min(rows, windowRows(columns));
  const arena = createArena({ doubles: most * columns + 64, width: columns });
  const data = numbersIn(arena, most * columns, precision);
  const store = stores.features as NumberStore<Numbers>;
  const room = { labels: new Float64Array(most * labelWidth), norms: new Float64Array(most) };
  for (let from = 0; from < rows; from += most) {
    const count = Math.min(most, rows - from);
    const features = data.subarray(0, count * columns);
    const labels = room.labels.subarray(0, count * labelWidth);
    const own = nulls?.subarray(from, from + count) ?? null;
    store.read(from * columns, features);
    stores.labels.read(from * labelWidth, labels);
    const before = labels.slice();
    assertLabels(labels, own, loss, { width: labelWidth, firstRow: from });
    const matrix = { data, rows: count, columns, offset: 0, rowStride: columns, columnStride: 1 };
    const written = enforceDomain({
      matrix,
      norms: rowNorms(matrix, room.norms.subarray(0, count)),
      labels,
      labelWidth,
      nulls: own,
      domain,
      outside,
      firstRow: from,
      accepts: (label) => loss.plugin.labels.accepts(label, loss.params),
    });
    if (written) store.write(from * columns, features);
    if (labels.some((label, i) => !Object.is(label, before[i])))
      stores.labels.write(from * labelWidth, labels);
    pages.features.note(from * columns, features);
    pages.labels.note(from * labelWidth, labels);
    use(features);
  }
}

/** All numbers in order, checked, in pieces of whole pages. */
function eachPiece(
  length: number,
  pages: CheckedPages,
  precision: Precision,
  use: (numbers: Numbers) => void,
): void {
  const piece = numbersOf(Math.min(length, 64 * pageLength), precision);
  for (let at = 0; at < length; at += piece.length) {
    const some = piece.subarray(0, Math.min(piece.length, length - at));
    pages.read(at, some);
    use(some);
  }
}
