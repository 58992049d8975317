import { readFile } from 'node:fs/promises';
import { DataType, type Table as ArrowTable } from 'apache-arrow';
import { Corrupt, InvalidData, LetheError, Unsupported } from '@lethe/core';
import { typedCells } from '../data/cell.js';
import type { ColumnType, Table } from '../data/table.js';
import { tableBuilder } from '../data/table-builder.js';
import { parseTableOptions, type TableOptions } from '../data/table-options.js';
import { decodeArrow } from './arrow-decode.js';
import { fileError } from './file-error.js';

/** See `binary-readers.ts`. */
export async function readArrow(path: string, options?: TableOptions): Promise<Table> {
  const parsed = parseTableOptions(options);
  const bytes = await readFile(path).catch((cause: unknown) => {
    throw fileError(path, cause);
  });
  if (bytes.length === 0) throw new InvalidData(`${path} is empty`, { path });
  const table = decode(path, bytes);
  const header = table.schema.fields.map((field) => field.name);
  const wanted = header.map((name) => parsed.columns === undefined || Object.hasOwn(parsed.columns, name));
  const columns = Object.fromEntries(
    table.schema.fields
      .filter((_, at) => wanted[at])
      .map((field) => [field.name, parsed.columns?.[field.name] ?? typeOf(field.name, field.type)]),
  );
  const builder = tableBuilder(header, typedCells, { ...parsed, columns: { ...parsed.columns, ...columns } });
  try {
    const vectors = header.map((_, at) => (wanted[at] ? table.getChildAt(at) : null));
    const cells: unknown[] = header.map(() => null);
    for (let row = 0; row < table.numRows; row++) {
      vectors.forEach((vector, at) => {
        if (vector !== null) cells[at] = vector.get(row);
        if (cells[at] === undefined) throw corrupt(path);
      });
      builder.add(cells);
    }
  } catch (cause) {
    throw cause instanceof LetheError ? cause : corrupt(path, cause);
  }
  return builder.finish();
}

/** The library takes what is left of a truncated stream for all of it, so the end marks are checked here. */
export function decode(path: string, bytes: Uint8Array): ArrowTable {
  const isFile = ascii(bytes.subarray(0, 6)) === 'ARROW1';
  const isWhole = isFile
    ? ascii(bytes.subarray(-6)) === 'ARROW1' && bytes.length > 16
    : bytes.length >= 8 && bytes.subarray(-4).every((byte) => byte === 0);
  if (!isWhole) throw corrupt(path);
  try {
    return decodeArrow(bytes);
  } catch (cause) {
    throw corrupt(path, cause);
  }
}

/** Type of a column. @throws {Unsupported} for types that are not read. */
export function typeOf(name: string, type: DataType): ColumnType {
  if (DataType.isDictionary(type)) return typeOf(name, type.dictionary as DataType);
  if (DataType.isInt(type) || DataType.isFloat(type) || DataType.isBool(type)) return 'number';
  if (DataType.isUtf8(type) || DataType.isLargeUtf8(type)) return 'text';
  if (DataType.isDate(type) || DataType.isTimestamp(type)) return 'time';
  throw new Unsupported(
    `column '${name}' has the Arrow type ${String(type)}; leave it out by naming the others in \`columns\``,
    { column: name, type: String(type) },
  );
}

function corrupt(path: string, cause?: unknown): Corrupt {
  return new Corrupt(`${path} is not a whole Arrow file or stream; write it again`, { path }, { cause });
}

function ascii(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}
