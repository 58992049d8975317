import { closeSync, openSync, readSync } from 'node:fs';
import { InvalidParameter } from '@lethe/core';
import { missedDelimiter, parseCsv } from '@lethe/losses';
import { delimiterWord, textFormat, type FileForm } from './file-form.js';
import { unreadable } from '../experiment/read-text.js';

/** Bytes in which the first line of a file has to end. */
const longest = 1 << 20;

/**
 * Names of the columns of a CSV or TSV file, from its first line alone; `null` for another format, whose
 * names are not read without its records.
 *
 * @param wanted - Columns without which the file is of no use. @defaultValue two of any name: a label and a
 * feature
 * @throws {InvalidParameter} for a file that cannot be read, or without a first line; and for one that lacks
 * a wanted column and has more fields by another separator.
 */
export function headerOf(
  path: string,
  { delimiter }: FileForm,
  wanted?: readonly string[],
): readonly string[] | null {
  const format = textFormat(path);
  if (format === null) return null;
  const cut = delimiter ?? (format === 'tsv' ? '\t' : ',');
  const { names } = parseCsv(`${firstLine(path)}\n`, { allowEmpty: true, delimiter: cut });
  const isLacking = wanted === undefined ? names.length < 2 : wanted.some((name) => !names.includes(name));
  const missed = isLacking ? missedDelimiter(names, cut) : undefined;
  if (missed !== undefined)
    throw new InvalidParameter(
      `${path}: its first line has ${names.length === 1 ? 'one field' : `${names.length} fields`} by ` +
        `${delimiterWord(cut)}, and more by ${delimiterWord(missed)}; if these separate its fields, ` +
        `give --delimiter ${delimiterWord(missed)}`,
      { path, delimiter: missed },
    );
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
    throw unreadable(path, error as NodeJS.ErrnoException);
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
