import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { canonicalJson, Corrupt, InvalidData, InvalidParameter, seededRandom } from '@lethe/core';
import { defined, errorAt, matrixMemory, permutation } from '@lethe/numerics';
import { designMatrix, ownersIn, syntheticData, type TableOptions } from '@lethe/losses';
import type { SampledSpec } from '../experiment/schema.js';
import { sourceOf, sourceOfFile } from './ledger-path.js';
import { loadIdx } from './load-idx.js';
import { loadLibsvm, loadSparseData, rowsOf } from './load-sparse.js';
import { loadStored, type TableData } from './load-stored.js';
import type { LoadOptions, OrderOf, Records, StoredRecords, WatchedTable } from './records.js';
import { shapeOf } from './shape-of.js';
import { unchangedFile } from './unchanged-file.js';

/** Public random order of all records. For simulations only: it depends on the number of records. */
const shuffled =
  ({ data }: SampledSpec): OrderOf =>
  (rows) =>
    'generate' in data || 'generateSparse' in data
      ? undefined
      : permutation(seededRandom(`order/${data.shuffle}`), rows);

/** The file of a table. */
const pathOf = (
  { file, package: inside }: { readonly file?: string | undefined; readonly package?: string | undefined },
  folder: string,
): string => (inside === undefined ? resolve(folder, defined(file)) : pathInPackage(inside, folder));

/** Reads the records of a problem into files of this process, or `null` where there are none. */
export async function loadStoredRecords(
  { data }: SampledSpec & { readonly data: TableData },
  folder: string,
  { orderOf, allowEmpty }: Required<Pick<LoadOptions, 'orderOf' | 'allowEmpty'>>,
): Promise<StoredRecords | null> {
  const path = pathOf(data, folder);
  const assertUnchanged = unchangedFile(path);
  const made = await loadStored(path, data, { orderOf, allowEmpty }).catch((error: unknown) => {
    throw errorAt(data.package ?? defined(data.file), forTheOwner(error, data));
  });
  if (made === null) return null;
  const { rows, labelWidth, stored, close } = made;
  return {
    ...shapeOf(made),
    rows,
    labelWidth,
    stored,
    close,
    source: async () => {
      const { recordsDigest } = await readers();
      return sourceOfFile(path, await recordsDigest(path, data.read), assertUnchanged);
    },
  };
}

/** Whether the records of a problem are kept outside memory. */
export const isStored = (spec: SampledSpec): spec is SampledSpec & { readonly data: TableData } =>
  'design' in spec.data && !spec.data.inMemory;

/**
 * Reads or generates the records of a problem.
 *
 * @throws {InvalidParameter} for records that are to be kept outside memory.
 */
export async function loadRecords(
  spec: SampledSpec,
  folder: string,
  {
    tables = new Map(),
    orderOf = shuffled(spec),
    allowEmpty = false,
    unreadable = 'reject',
  }: LoadOptions = {},
): Promise<Records> {
  const { data } = spec;
  if (isStored(spec))
    throw new InvalidParameter(
      'records are kept outside memory in releases alone; write inMemory: true, or leave it out',
      { inMemory: false },
    );
  if ('generate' in data) {
    const { columns } = data.generate;
    const { rows, ...made } = generated(data, orderOf);
    return {
      features: made.features,
      rows,
      columns,
      labels: made.labels,
      labelWidth: 1,
      featureNames: Array.from({ length: columns }, (_, j) => `x${j + 1}`),
      rowNorm: Infinity,
      columnBounds: null,
      source: () => Promise.resolve(sourceOf(canonicalJson({ generate: data.generate, seed: data.shuffle }))),
    };
  }
  if ('generateSparse' in data) return loadSparseData(data);
  const path = pathOf(data, folder);
  const ofFile = <T>(reading: Promise<T>): Promise<T> =>
    reading.catch((error: unknown) => {
      throw errorAt(data.package ?? defined(data.file), error);
    });
  if ('libsvm' in data) return ofFile(loadLibsvm(path, spec.record.sparsity, data, { orderOf, allowEmpty }));
  if ('idx' in data)
    return ofFile(Promise.resolve().then(() => loadIdx(path, data, { orderOf, allowEmpty })));
  const { owner } = data;
  const options = { ...withOwner(data), allowEmpty, unreadable };
  const key = JSON.stringify([path, options]);
  let reading = tables.get(key);
  if (reading === undefined) tables.set(key, (reading = ofFile(watchedTable(path, data, options))));
  const { table: read, assertUnchanged } = await reading;
  const owners = owner === undefined ? null : ownersIn(read, owner, data.shuffle);
  // How many records there are is private where owners are protected: no order may depend on it.
  const order = owners === null ? orderOf(read.rows) : undefined;
  const taken = order?.length ?? read.rows;
  const design = designMatrix(read, data.design, {
    unreadable,
    ...(order === undefined ? {} : { order }),
    allocate(length) {
      return length > taken ? matrixMemory(taken, length / taken) : new Float64Array(length);
    },
  });
  const { features, rows, columns, labels, labelWidth, nulls } = design;
  return {
    ...shapeOf(design),
    ...rowsOf('rowStarts' in features ? features : features.data, rows, columns, labels),
    labelWidth,
    ...(nulls === undefined ? {} : { nulls }),
    ...(owners === null ? {} : { owners }),
    source: async () =>
      sourceOfFile(path, await (await readers()).recordsDigest(path, withOwner(data)), assertUnchanged),
  };
}

/** A table whose file is watched since before it was read. */
async function watchedTable(path: string, data: TableData, options: TableOptions): Promise<WatchedTable> {
  const assertUnchanged = unchangedFile(path);
  const { readTable } = await readers();
  const table = await readTable(path, options).catch((error: unknown) => {
    throw forTheOwner(error, data);
  });
  return { table, assertUnchanged };
}

/** How a table is read, with the column of owners. */
function withOwner({ read, owner }: Extract<SampledSpec['data'], { readonly design: unknown }>) {
  const columns = read?.columns;
  return owner === undefined || columns === undefined
    ? read
    : { ...read, columns: { ...columns, [owner.column]: owner.ids } };
}

/** Readers of files. Loading them takes long, and generated records need none. */
const readers = () => import('@lethe/losses/node');

interface Generated {
  readonly features: Float64Array;
  readonly labels: Float64Array;
  readonly rows: number;
}

function generated(
  { generate, shuffle }: Extract<SampledSpec['data'], { readonly generate: unknown }>,
  orderOf: OrderOf,
): Generated {
  const { rows, columns } = generate;
  const entries = rows * columns;
  const allocate = (length: number): Float64Array =>
    length === entries ? matrixMemory(rows, columns) : new Float64Array(length);
  const {
    features: { data: features },
    labels,
  } = syntheticData(generate, seededRandom(`data/${shuffle}`), { allocate });
  const order = orderOf(rows);
  if (order === undefined) return { features, labels, rows };
  const chosen = matrixMemory(order.length, columns);
  order.forEach((row, i) => {
    chosen.set(features.subarray(row * columns, (row + 1) * columns), i * columns);
  });
  return { features: chosen, labels: Float64Array.from(order, (row) => labels[row]), rows: order.length };
}

/**
 * Reports a damaged data file as bad input; `Corrupt` is for files that Lethe has written. Nothing is quoted
 * from a file without named columns, which may be the wrong file.
 */
function forTheOwner(
  error: unknown,
  { read }: { readonly read?: { readonly columns?: unknown } | undefined },
): unknown {
  if (error instanceof Corrupt) return new InvalidData(error.message, error.details, { cause: error });
  if (!(error instanceof InvalidData) || read?.columns !== undefined || !('value' in error.details))
    return error;
  const { row } = error.details;
  return new InvalidData(
    `a value of record ${String(row)} does not fit its column; name the columns to read and their types ` +
      'under data.read.columns, and the message names the value',
    { row },
  );
}

/** A file of a package that is installed beside the command, or above the experiment's folder. */
function pathInPackage(inside: string, folder: string): string {
  const [scopeOrName, ...rest] = inside.split('/');
  const name = scopeOrName.startsWith('@') ? `${scopeOrName}/${rest.shift()}` : scopeOrName;
  const bases = [import.meta.url, join(resolve(folder), 'experiment')].flatMap(
    (from) => createRequire(from).resolve.paths(name) ?? [],
  );
  for (const base of bases) {
    const path = join(base, name, ...rest);
    if (existsSync(path)) return path;
  }
  throw new InvalidParameter(
    `no file ${rest.join('/')} in the installed package '${name}'; ` +
      `install it with npm i ${name}, or check the path`,
    { package: name, file: rest.join('/'), from: folder },
  );
}
