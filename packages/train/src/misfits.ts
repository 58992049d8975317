import type { Table } from '@lethe/losses';
import { nearestName } from '@lethe/numerics';
import type { TrainingRecords } from './records.js';
import type { ColumnSchema, ParsedSchema } from './schema.js';

/** Share of a column's values beyond which a list or bounds that do not hold them are likely not meant. */
const most = 0.5;
/** Most values in one message. */
const mostShown = 3;

/**
 * What is likely not meant by a schema, by what the records hold. The texts are not private.
 *
 * @param records - Labels of the table under the schema.
 */
export function misfitsOf(
  table: Table,
  schema: ParsedSchema,
  records: Pick<TrainingRecords, 'labels' | 'unlabelled'>,
): readonly string[] {
  const columns = Object.entries(schema.columns).flatMap(([name, column]) => misfitsIn(table, name, column));
  const { labels, unlabelled } = records;
  const own = labels.filter((_, i) => unlabelled[i] === 0);
  const isOne = own.length > 1 && own.every((label) => label === own[0]);
  return isOne
    ? [
        ...columns,
        `all ${own.length} records have the same label by '${schema.label.column}': nothing can be learnt`,
      ]
    : columns;
}

function misfitsIn(table: Table, name: string, column: ColumnSchema): readonly string[] {
  const values = table.columns.get(name);
  if (values === undefined || column.type === 'time') return [];
  const missing = new Set(table.filled?.get(name));
  const present = Array.from<number | string>(values).filter((_, row) => !missing.has(row));
  if (present.length === 0) return [`column '${name}' has no value in any record`];
  if (column.type === 'number') {
    const { lower, upper } = column;
    const outside = present.filter((value) => Number(value) < lower || Number(value) > upper).length;
    return outside <= most * present.length
      ? []
      : [
          `column '${name}': ${outside} of ${present.length} values are outside its bounds ${lower} to ` +
            `${upper}, and count as the nearer bound`,
        ];
  }
  const levels = new Set<number | string>(column.levels);
  const found = new Set(present);
  const unlisted = [...found].filter((value) => !levels.has(value)).map(String);
  const stray = present.filter((value) => !levels.has(value)).length;
  const absent = column.levels.filter((level) => !found.has(level));
  const meant = absent.flatMap((level) => {
    const value = typeof level === 'string' ? nearestName(level, unlisted) : undefined;
    return value === undefined ? [] : [`'${value}' for '${level}'`];
  });
  const instead = meant.length === 0 ? '' : `; they have ${meant.slice(0, mostShown).join(', ')}`;
  if (stray > most * present.length)
    return [
      `column '${name}': ${stray} of ${present.length} values are none of its list, and count as none` +
        instead,
    ];
  return meant.length === 0 ? [] : [`column '${name}': records lack values of its list${instead}`];
}
