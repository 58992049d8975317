import type { Adjacency } from '@lethe/core';
import { tableOptions, type TableOptions } from '@lethe/losses';

const { maxRows: usual } = tableOptions.parse({});

interface Unsafe {
  readonly field: keyof TableOptions | 'format';
  readonly message: string;
}

/** How records are read, and whose they are. */
interface Source {
  readonly read?: TableOptions | undefined;
  readonly owner?: object | undefined;
}

/**
 * Reading options that a plan from outside may not choose: by them the number of records, or whether the file
 * can be read at all, would depend on what one record holds. How a silo's file is written, its owner says.
 */
export function foreignReading({ read }: Pick<Source, 'read'>): readonly Unsafe[] {
  const { delimiter, header, quotes = true, maxRows = usual, missing = 'reject' } = read ?? {};
  const chosen = {
    format: read !== undefined && 'format' in read && read.format !== undefined,
    delimiter: delimiter !== undefined,
    header: header !== undefined,
    quotes: !quotes,
    maxRows: maxRows !== usual,
    missing: missing !== 'reject',
  };
  return Object.entries(chosen).flatMap(([field, isChosen]) =>
    isChosen
      ? [
          {
            field: field as Unsafe['field'],
            message:
              'each silo says how its own file is written, and a record that cannot be read stands as a ' +
              `null one; leave ${field} out`,
          },
        ]
      : [],
  );
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
