import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { canonicalJson, Corrupt, createArena, InvalidData, InvalidParameter, permutation, seededRandom } from '@lethe/core';
import { designMatrix, syntheticData, type LabelledRows, type Table } from '@lethe/losses';
import { readTable, recordsDigest } from '@lethe/losses/node';
import type { SampledSpec } from '../experiment/schema.js';
import type { Source } from './ledger-path.js';

/** All records of a problem in memory that the kernels work on, in a public random order. */
export interface Records extends LabelledRows {
  readonly featureNames: readonly string[];
  /** Bound on every row's ℓ2 norm that follows from the design; `Infinity` for unbounded generated features. */
  readonly rowNorm: number;
  /** Bound on the absolute value of every entry of each column that follows from the design; `null` for generated features. */
  readonly columnBounds: readonly number[] | null;
  /** The source, whatever the order and the design: one ledger for all of them. */
  readonly source: () => Promise<Source>;
}

const text = new TextEncoder();

/** Reads or generates the records of a problem. `tables` keeps files that several problems share. */
export async function loadRecords({ data }: SampledSpec, folder: string, tables: Map<string, Promise<Table>>): Promise<Records> {
  if ('generate' in data) {
    const { rows, columns } = data.generate;
    const arena = createArena({ doubles: rows * columns + 64 });
    const made = syntheticData(data.generate, seededRandom(`data/${data.shuffle}`), { allocate: (length) => (length === rows * columns ? arena.allocate(length) : new Float64Array(length)) });
    return { features: made.features, rows, columns, labels: made.labels, featureNames: Array.from({ length: columns }, (_, j) => `x${j + 1}`), rowNorm: Infinity, columnBounds: null, source: () => Promise.resolve({ bytes: text.encode(canonicalJson({ generate: data.generate, seed: data.shuffle })) }) };
  }
  const path = data.package === undefined ? resolve(folder, data.file!) : pathInPackage(data.package);
  const key = JSON.stringify([path, data.read]);
  let table = tables.get(key);
  if (table === undefined) tables.set(key, table = readTable(path, data.read).catch(asInvalidData));
  const read = await table;
  const order = permutation(seededRandom(`order/${data.shuffle}`), read.rows);
  const design = designMatrix(read, data.design, {
    order,
    allocate(length) { return length > read.rows ? createArena({ doubles: length + 64 }).allocate(length) : new Float64Array(length); },
  });
  const { features, rows, columns, labels, featureNames, facts } = design;
  const columnBounds = facts.featureBounds.map(([lower, upper]) => Math.max(-lower, upper));
  return { features, rows, columns, labels, featureNames, rowNorm: facts.rowNorm, columnBounds, source: async () => ({ bytes: readFileSync(path), file: { path: realpathSync(path), digest: await recordsDigest(path, data.read) } }) };
}

/** A damaged data file is bad input; `Corrupt` is for what Lethe itself has written. */
function asInvalidData(error: unknown): never {
  throw error instanceof Corrupt ? new InvalidData(error.message, error.details, { cause: error }) : error;
}

function pathInPackage(inside: string): string {
  const [scopeOrName, ...rest] = inside.split('/');
  const name = scopeOrName!.startsWith('@') ? `${scopeOrName}/${rest.shift()}` : scopeOrName!;
  const { resolve: resolveModule } = createRequire(import.meta.url);
  for (const base of resolveModule.paths(name) ?? []) {
    const path = join(base, name, ...rest);
    if (existsSync(path)) return path;
  }
  throw new InvalidParameter(`no file ${rest.join('/')} in the installed package '${name}'; install it with npm i ${name}, or check the path`, { package: name, file: rest.join('/'), from: dirname(import.meta.url) });
}
