import { closeSync, openSync, readSync } from 'node:fs';
import { extname } from 'node:path';
import { InvalidParameter } from '@lethe/core';
import { parseCsv } from '@lethe/losses';

/** Bytes in which the first line of a file has to end. */
const longest = 1 << 20;

/**
 * Names of the columns of a CSV or TSV file, from its first line alone; `null` for another format, whose names are
 * not read without its records.
 *
 * @throws {InvalidParameter} for a file that cannot be read, or without a first line.
 */
export function headerOf(path: string): readonly string[] | null {
  const extension = extname(path).toLowerCase();
  if (extension !== '.csv' && extension !== '.tsv') return null;
  const line = firstLine(path);
  const { names } = parseCsv(`${line}\n`, {
    allowEmpty: true,
    ...(extension === '.tsv' ? { delimiter: '\t' } : {}),
  });
  return names;
}

function firstLine(path: string): string {
  const bytes = Buffer.alloc(longest);
  let length: number;
  try {
    const file = openSync(path, 'r');
    try {
      length = readSync(file, bytes, 0, longest, 0);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw new InvalidParameter(
      `${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'}); check the path`,
      { path },
    );
  }
  const text = bytes
    .subarray(0, length)
    .toString('utf8')
    .replace(/^\uFEFF/u, '');
  // A line end inside quotes belongs to a name.
  let quotes = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '"') quotes++;
    else if (text[at] === '\n' && quotes % 2 === 0) return text.slice(0, at).replace(/\r$/u, '');
  }
  if (text === '' || length === longest)
    throw new InvalidParameter(`${path} has no first line with the names of its columns; add one`, { path });
  return text;
}
