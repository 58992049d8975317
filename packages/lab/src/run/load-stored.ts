import type { NumberFile } from '@lethe/node';
import { to32Bits, type Numbers } from '@lethe/numerics';
import { InvalidParameter, Unsupported, type StoredRows } from '@lethe/core';
import { designMatrix, type Design } from '@lethe/losses';
import type { SampledSpec } from '../experiment/schema.js';
import { inOrder, numbersOnDisk } from './ordered-numbers.js';
import type { OrderOf } from './records.js';

/** A source of a table that is kept outside memory. */
export type TableData = Extract<SampledSpec['data'], { readonly design: unknown }>;

/** Records in files of this process, and what is public of their design. */
export interface StoredDesign extends Pick<
  Design,
  'rows' | 'columns' | 'labelWidth' | 'featureNames' | 'facts'
> {
  readonly stored: StoredRows;
  /** Frees the room on the disk. */
  close(): void;
}

/**
 * Reads a table part by part into files of this process, in the order in which records are taken; features
 * are rounded towards zero there where they are to have 32 bits.
 *
 * @returns `null` for a table without a record, where that is allowed.
 * @throws {InvalidParameter} for owners, sparse designs and a layout by columns, and what readers throw.
 */
export async function loadStored(
  path: string,
  { design: description, read, owner, layout, precision = 64 }: TableData,
  { orderOf, allowEmpty }: { readonly orderOf: OrderOf; readonly allowEmpty: boolean },
): Promise<StoredDesign | null> {
  const instead = 'write inMemory: true, or leave it out';
  if (owner !== undefined)
    throw new InvalidParameter(`owners of several records are put together in memory; ${instead}`, {});
  if (layout === 'columns' || description.sparse)
    throw new InvalidParameter(
      'only dense rows are kept outside memory, and these are ' +
        `${layout === 'columns' ? 'columns' : 'sparse'}; ${instead}`,
      { layout },
    );
  const { readTableParts } = await import('@lethe/losses/node');
  const files = { features: numbersOnDisk(precision), labels: numbersOnDisk(64) };
  const close = (): void => {
    files.features.close();
    files.labels.close();
  };
  try {
    const made: Design[] = [];
    const rows = await readTableParts(path, { ...read, allowEmpty }, (part) => {
      const design = designMatrix(part, description);
      if ('rowStarts' in design.features) throw new Unsupported('sparse rows are kept in memory', {});
      const { data } = design.features;
      files.features.append(precision === 32 ? roundedTo32(data) : data);
      files.labels.append(design.labels);
      // What is public of a design is the same of each part.
      made[0] ??= { ...design, labels: new Float64Array(0) };
    });
    if (rows === 0) {
      close();
      return null;
    }
    const [{ columns, labelWidth, featureNames, facts }] = made;
    const order = orderOf(rows);
    if (order !== undefined) {
      files.features = replaced(
        files.features,
        inOrder(files.features, { rows, width: columns, precision }, order),
      );
      files.labels = replaced(
        files.labels,
        inOrder(files.labels, { rows, width: labelWidth, precision: 64 }, order),
      );
    }
    const taken = order?.length ?? rows;
    const of = { rows: taken, columns, labels: files.labels };
    const stored: StoredRows =
      precision === 32 ? { ...of, features: files.features, precision } : { ...of, features: files.features };
    return { rows: taken, columns, labelWidth, featureNames, facts, stored, close };
  } catch (error) {
    close();
    throw error;
  }
}

function roundedTo32(numbers: Float64Array): Float32Array {
  const rounded = new Float32Array(numbers.length);
  for (let k = 0; k < numbers.length; k++) rounded[k] = to32Bits(numbers[k]);
  return rounded;
}

function replaced(old: NumberFile<Numbers>, by: NumberFile<Numbers>): NumberFile<Numbers> {
  old.close();
  return by;
}
