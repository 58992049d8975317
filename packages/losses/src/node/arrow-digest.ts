import { readFile } from 'node:fs/promises';
import { defined } from '@lethe/numerics';
import { decode, typeOf } from './arrow.js';
import type { ColumnDigest } from './column-digest.js';
import { isRead } from './is-read.js';

/** Feeds the cells of an Arrow file to the digests of its columns. */
export async function arrowDigest(path: string, column: (name: string) => ColumnDigest): Promise<void> {
  const table = decode(path, await readFile(path));
  table.schema.fields.forEach(({ name, type }, at) => {
    if (!isRead(() => typeOf(name, type))) return;
    const digest = column(name);
    const vector = defined(table.getChildAt(at));
    for (let row = 0; row < table.numRows; row++) digest.add(vector.get(row));
  });
}
