import type { Adjacency } from '@lethe/core';
import { tableOptions, type TableOptions } from '@lethe/losses';

const { maxRows: usual } = tableOptions.parse({});

interface Unsafe {
  readonly field: keyof TableOptions;
  readonly message: string;
}

/** How records are read, and whose they are. */
interface Source {
  readonly read?: TableOptions | undefined;
  readonly owner?: object | undefined;
}

/** Reading options whose effect on a record depends on other records, or on their number. */
export function unsafeReading(
  { read: { columns, missing, maxRows = usual } = {}, owner }: Source,
  adjacency: Adjacency,
): readonly Unsafe[] {
  const hidden = adjacency === 'add-remove';
  return [
    ...(columns === undefined
      ? [
          {
            field: 'columns' as const,
            message:
              'a release names the columns that it reads and their types, such as { distance: ' +
              'number, date: time }; otherwise a type would depend on the first record',
          },
        ]
      : []),
    ...(missing === 'drop-row' && !hidden
      ? [
          {
            field: 'missing' as const,
            message:
              `a release under ${adjacency} cannot drop records: which slots exist would depend on the ` +
              'private values. Give each column with gaps a public value to stand in, such as fill: ' +
              '{ income: 35000 }, or take adjacency: add-remove',
          },
        ]
      : []),
    ...(maxRows < usual && (hidden || owner !== undefined)
      ? [
          {
            field: 'maxRows' as const,
            message:
              `${hidden ? 'under add-remove' : 'where owners are protected'} the number of records is ` +
              'private, and a refusal would tell of it; leave maxRows out',
          },
        ]
      : []),
  ];
}
