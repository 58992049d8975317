import { InvalidData } from '@lethe/core';
import { csvTableParser } from '../data/csv.js';
import { jsonLinesParser, parseJson } from '../data/json-table.js';
import { libsvmParser, type LabelledSparseRows, type LibsvmOptions } from '../data/libsvm.js';
import type { TextParser } from '../data/lines.js';
import type { Table } from '../data/table.js';
import type { TableOptions } from '../data/table-options.js';
import { kernelTexts } from './kernel-lines.js';
import { parseTextFile } from './text-file.js';

/**
 * Reads a CSV file as `parseCsv` reads text, in bounded memory beyond the table.
 *
 * @throws {InvalidParameter} for a file that cannot be read or
 * wrong options; {@link InvalidData} for malformed content.
 */
export async function readCsv(path: string, options?: TableOptions): Promise<Table> {
  return parseTextFile(path, csvTableParser(options, kernelTexts()));
}

/**
 * Reads a LIBSVM file into sparse rows and labels.
 *
 * @throws {InvalidParameter} for a file that cannot be read or
 * wrong options; {@link InvalidData} for malformed content.
 */
export async function readLibsvm(path: string, options?: LibsvmOptions): Promise<LabelledSparseRows> {
  return parseTextFile(path, libsvmParser(options));
}

/**
 * Reads a JSON Lines file, one record a line, in bounded memory beyond the table.
 *
 * @throws {InvalidParameter} for a file that cannot be read or
 * wrong options; {@link InvalidData} for malformed content.
 */
export async function readJsonLines(path: string, options?: TableOptions): Promise<Table> {
  return parseTextFile(path, jsonLinesParser(options));
}

/**
 * Reads a JSON file: an array of records, or an object of columns.
 *
 * @throws {InvalidParameter} for a file that cannot be read or wrong options; {@link InvalidData} for
 * malformed content, or content beyond 2²⁸ characters, which JSON Lines or Parquet can carry.
 */
export async function readJson(path: string, options?: TableOptions): Promise<Table> {
  return parseTextFile(
    path,
    wholeText((text) => parseJson(text, options)),
  );
}

const largestText = 2 ** 28;

/** A parser of a text that has to be there whole. @throws {InvalidData} beyond 2²⁸ characters. */
export function wholeText<Result>(parse: (text: string) => Result): TextParser<Result> {
  const pieces: string[] = [];
  let length = 0;
  return {
    push(text) {
      length += text.length;
      if (length > largestText)
        throw new InvalidData(
          `the JSON text has more than ${largestText} characters; use JSON Lines or Parquet`,
        );
      pieces.push(text);
    },
    finish: () => parse(pieces.join('')),
  };
}
