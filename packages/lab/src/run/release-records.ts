import { InvalidParameter } from '@lethe/core';
import type { CsrMatrix } from '@lethe/numerics';
import { ownerOf } from '../experiment/owner-of.js';
import type { Release, SampledSpec } from '../experiment/schema.js';
import { isStored, loadRecords, loadStoredRecords } from './load.js';
import type { Records, StoredRecords } from './records.js';
import { rowsOf } from './load-sparse.js';
import { publicOrder } from '@lethe/train';

/** Records of a release, and the number of records that is public. */
export type ReleaseRecords = (Records | StoredRecords) & {
  /** Divisor of means: the number of records, or under add-remove a public guess of it. */
  readonly n: number;
  /** 1 marks a null record. */
  readonly nulls?: Uint8Array;
};

/** The same problem with its records in memory. */
const inMemory = (spec: SampledSpec): SampledSpec =>
  isStored(spec) ? { ...spec, data: { ...spec.data, inMemory: true } } : spec;

/** One sparse row without entries. */
const noEntries = (columns: number): CsrMatrix => ({
  rows: 1,
  columns,
  rowStarts: new Float64Array(2),
  columnIndices: new Uint32Array(0),
  values: new Float64Array(0),
});

/**
 * Reads the records of a release. Neighbouring files give records that differ by one, and the same `n`.
 *
 * Under `replace-one` and `zero-out` the number of records is public: the release takes all of them, or as
 * many as `size` says, in a public order. Under `add-remove` the number is private: every record is used, as
 * stored, and `size` is a public guess of how many there are. A file without a record stands for one null
 * record, which contributes nothing.
 *
 * @throws {InvalidParameter} without a `size` under add-remove, or otherwise for one beyond the records that
 *   there are.
 */
export async function recordsOfRelease(
  { problem, adjacency, size }: Release,
  folder: string,
): Promise<ReleaseRecords> {
  const owner = ownerOf(problem);
  if (owner !== undefined && (adjacency === 'add-remove' || size !== undefined))
    throw new InvalidParameter(
      adjacency === 'add-remove'
        ? 'owners are known under replace-one and zero-out alone, where which owners there are is public; ' +
            'give one of them as adjacency'
        : 'size takes some of the records, and of owners all are taken; leave size out',
      { owner: owner.column },
    );
  if (adjacency !== 'add-remove') {
    const { shuffle } = problem.data;
    const orderOf = (rows: number): Uint32Array => publicOrder(shuffle, rows, size);
    const stored = isStored(problem)
      ? await loadStoredRecords(problem, folder, { orderOf, allowEmpty: false })
      : null;
    if (stored !== null) return { ...stored, n: stored.rows };
    const records = await loadRecords(problem, folder, { orderOf });
    return { ...records, n: records.owners?.slots ?? records.rows };
  }
  if (size === undefined)
    throw new InvalidParameter(
      'under add-remove the number of records is private; give size, a public guess of it',
      { adjacency },
    );
  const asStored = { orderOf: () => undefined, allowEmpty: true };
  const stored = isStored(problem) ? await loadStoredRecords(problem, folder, asStored) : null;
  if (stored !== null) return { ...stored, n: size };
  const records = await loadRecords(inMemory(problem), folder, asStored);
  if (records.rows > 0) return { ...records, n: size };
  const { columns, labelWidth } = records;
  return {
    ...records,
    ...rowsOf(
      'rowStarts' in records.features ? noEntries(columns) : new Float64Array(columns),
      1,
      columns,
      new Float64Array(labelWidth),
    ),
    nulls: Uint8Array.of(1),
    n: size,
  };
}
