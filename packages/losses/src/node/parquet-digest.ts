import { parquetSchema } from 'hyparquet';
import type { ColumnDigest } from './column-digest.js';
import { isRead } from './is-read.js';
import { typeOf } from './parquet-columns.js';
import { readColumns } from './parquet.js';

/** Feeds the cells of a Parquet file to the digests of its columns. */
export async function parquetDigest(path: string, column: (name: string) => ColumnDigest): Promise<void> {
  await readColumns(path, (metadata) => ({
    names: parquetSchema(metadata)
      .children.filter(({ element }) => isRead(() => typeOf(element)))
      .map(({ element }) => element.name),
    fill(name, _, cells) {
      const digest = column(name);
      for (let at = 0; at < cells.length; at++) digest.add(cells[at]);
    },
    finish: () => undefined,
  }));
}
