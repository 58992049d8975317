import { adjacencies } from '@lethe/core';
import {
  defined,
  InvalidData,
  InvalidParameter,
  Unsupported,
  viewOf,
  type CsrMatrix,
  type MatrixView,
  nearestName,
} from '@lethe/numerics';
import type { SparseRecords } from './attached.js';
import type { DataInput, StoredInput } from './data-input.js';

/** The functions that attach data. */
export type Attaching = 'attachData' | 'attachDense' | 'attachStored';

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const isFunctionOrObject = (value: unknown): boolean => isObject(value) || typeof value === 'function';

const inputKeys = Object.keys({
  features: 0,
  labels: 0,
  nulls: 0,
  loss: 0,
  registry: 0,
  domain: 0,
  outside: 0,
  unreadable: 0,
  precision: 0,
  identity: 0,
  owners: 0,
  ledger: 0,
} satisfies Record<keyof DataInput, 0>);
const domainKeys = Object.keys({
  featureNorm: 0,
  featureBounds: 0,
  sparsity: 0,
  labelBound: 0,
  iterateNorm: 0,
} satisfies Record<keyof NonNullable<DataInput['domain']>, 0>);
/** Keys of a domain of records that `attachData` has itself. */
const ignored = ['columns'];
/** What a problem or a reader of the design calls the domain. */
const otherNames: ReadonlySet<string> = new Set(['record', 'records', 'recordDomain', 'bounds']);

/** Refuses unknown keys: a bound under a wrong name would be neither enforced nor certified. */
function assertKnownKeys(given: object, known: readonly string[], where: string): void {
  for (const key of Object.keys(given)) {
    if (known.includes(key)) continue;
    const bound = nearestName(key, domainKeys);
    const meant = nearestName(key, known);
    let instead: string;
    if (meant !== undefined) instead = `write ${meant}`;
    else if (bound !== undefined) instead = `write domain: { ${bound} }`;
    else if (otherNames.has(key))
      instead = 'write domain: { featureBounds } or what else is declared of every record';
    else instead = 'leave it out';
    throw new InvalidParameter(`${where} has no '${key}'; ${instead}. It takes ${known.join(', ')}.`, {
      key,
      allowed: known,
    });
  }
}

/**
 * Refuses input of the wrong types, so that nothing later has to
 * doubt them: a data owner may call from untyped code.
 *
 * @throws {InvalidParameter} naming the field.
 */
export function checkDataInput(input: DataInput | StoredInput, by: Attaching): void {
  if (!isObject(input))
    throw new InvalidParameter(`${by} takes a record with features, loss, registry and ledger`, {});
  const { features, labels, nulls, loss, registry, domain, outside, unreadable, identity, ledger } = input;
  const demand = (holds: boolean, name: string, what: string): void => {
    if (!holds) throw new InvalidParameter(`${name} must be ${what}`, { name });
  };
  const known = by === 'attachStored' ? inputKeys.filter((key) => key !== 'precision') : inputKeys;
  assertKnownKeys(input, known, `the input of ${by}`);
  demand(
    isFunctionOrObject(features),
    'features',
    by === 'attachStored' ? 'stored rows' : 'an ndarray, a dense view or CSR rows',
  );
  demand(labels === undefined || labels instanceof Float64Array, 'labels', 'a Float64Array');
  demand(nulls === undefined || nulls instanceof Uint8Array, 'nulls', 'a Uint8Array');
  demand(
    isObject(loss) && loss.kind === 'loss' && typeof loss.name === 'string',
    'loss',
    'a reference made by a loss, such as squared({})',
  );
  demand(Array.isArray(registry), 'registry', 'an array of plugins');
  demand(domain === undefined || isObject(domain), 'domain', 'a record of declared bounds');
  const precision = 'precision' in input ? input.precision : undefined;
  demand(precision === undefined || precision === 32 || precision === 64, 'precision', '32 or 64');
  if (domain !== undefined) assertKnownKeys(domain, [...domainKeys, ...ignored], 'the domain of records');
  demand(
    domain?.featureBounds === undefined || Array.isArray(domain.featureBounds),
    'domain.featureBounds',
    'an array of numbers',
  );
  demand(
    outside === undefined || outside === 'reject' || outside === 'clip',
    'outside',
    "'reject' or 'clip'",
  );
  demand(
    unreadable === undefined || unreadable === 'reject' || unreadable === 'null',
    'unreadable',
    "'reject' or 'null'",
  );
  demand(
    identity === undefined ||
      (Array.isArray(identity) && identity.every((bytes) => bytes instanceof Uint8Array)),
    'identity',
    'an array of Uint8Array',
  );
  demand(
    isObject(ledger) && adjacencies.includes(ledger.adjacency) && typeof ledger.bind === 'function',
    'ledger',
    'a ledger opened by openLedger',
  );
}

/**
 * Features as a dense view whose every element exists, or as a
 * copy of well-formed CSR rows. Shapes and strides are read once.
 *
 * @param sparse - What takes CSR rows, or null where none are taken.
 * @throws {Unsupported} for CSR rows where none are taken.
 */
export function checkedFeatures(
  features: DataInput['features'],
  sparse: SparseRecords | null,
): MatrixView | CsrMatrix {
  if ('shape' in features) {
    const { data, shape, stride, offset } = features;
    if (!Array.isArray(shape) || !Array.isArray(stride))
      throw new InvalidParameter('features must be an ndarray with shape and stride', {});
    return checkedView(viewOf({ data, shape: [...shape], stride: [...stride], offset }));
  }
  if (!('rowStarts' in features)) return checkedView(features);
  if (sparse === null)
    throw new Unsupported('attachDense takes no sparse rows; attach them with attachData', {});
  return sparse.checked(features);
}

export function assertShape({ rows, columns }: { readonly rows: number; readonly columns: number }): void {
  if (!Number.isSafeInteger(rows) || !Number.isSafeInteger(columns) || rows < 0 || columns < 0)
    throw new InvalidParameter(
      `features have ${String(rows)} rows and ${String(columns)} columns; both must be whole numbers`,
      { rows: String(rows), columns: String(columns) },
    );
  if (rows === 0 || columns === 0)
    throw new InvalidData(
      `the data have ${rows} rows and ${columns} columns; at least one of each is needed`,
      { rows, columns },
    );
}

function checkedView({ data, rows, columns, offset, rowStride, columnStride }: MatrixView): MatrixView {
  assertShape({ rows, columns });
  if (!(data instanceof Float64Array || data instanceof Float32Array))
    throw new InvalidParameter('features.data must be a Float64Array or a Float32Array', {});
  if (![offset, rowStride, columnStride].every(Number.isSafeInteger))
    throw new InvalidParameter('offset and strides of the features must be whole numbers', {
      offset,
      rowStride,
      columnStride,
    });
  const spans = [(rows - 1) * rowStride, (columns - 1) * columnStride];
  const first = offset + spans.reduce((sum, span) => sum + Math.min(0, span), 0);
  const last = offset + spans.reduce((sum, span) => sum + Math.max(0, span), 0);
  if (!(first >= 0 && last < data.length))
    throw new InvalidParameter(
      `a ${rows} by ${columns} matrix with these strides does not fit in ${data.length} numbers`,
      { rows, columns, offset, rowStride, columnStride },
    );
  return { data, rows, columns, offset, rowStride, columnStride };
}

/** @throws {InvalidData} unless every flag is 0 or 1. */
export function assertFlags(nulls: Uint8Array | null): void {
  const row = nulls?.findIndex((flag) => flag > 1) ?? -1;
  if (row >= 0)
    throw new InvalidData(
      `nulls[${row}] is ${defined(nulls)[row]}; it is 1 for a null record and 0 otherwise`,
      { row, value: defined(nulls)[row] },
    );
}
