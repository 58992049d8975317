import type { CsrMatrix } from '@lethe/numerics';
import * as z from 'zod';
import { InvalidData, parseOrThrow } from '@lethe/core';
import { shorten } from './table.js';
import { lineParser, type TextParser } from './lines.js';

/** Sparse features, columns counting from 0 and increasing within a row, and one label per row. */
export interface LabelledSparseRows {
  readonly features: CsrMatrix;
  readonly labels: Float64Array;
  /** The line of the text that each row is read from, counting from 1. */
  readonly lines: Uint32Array;
}

const wrong = (line: number, problem: string): InvalidData =>
  new InvalidData(`line ${line}: ${problem}`, { line });

const libsvmOptions = z.strictObject({
  columns: z
    .number()
    .int()
    .positive()
    .max(2 ** 32 - 1)
    .optional()
    .describe('Dimension. Left out: the largest index in the data, which then is not a public number.'),
  maxEntries: z
    .number()
    .int()
    .positive()
    .max(2 ** 32 - 1)
    .default(100_000_000)
    .describe('A file with more entries is refused.'),
  allowEmpty: z
    .boolean()
    .default(false)
    .describe('Whether a text without a record is read, of declared columns; otherwise it is refused.'),
});

/** Options of the LIBSVM reader. */
export type LibsvmOptions = z.input<typeof libsvmOptions>;

/**
 * A parser of LIBSVM lines `label index:value … # comment`,
 * indices counting from 1 and increasing within a line.
 *
 * @throws {InvalidParameter} for wrong options; its methods throw {@link InvalidData} naming the line, for a
 * missing label, indices out of order or range, values that are not
 * finite numbers, query ids, or text without a record.
 */
export function libsvmParser(options?: LibsvmOptions): TextParser<LabelledSparseRows> {
  const {
    columns: declared,
    maxEntries,
    allowEmpty,
  } = parseOrThrow(libsvmOptions, options ?? {}, 'LIBSVM options');
  const limit = declared ?? 2 ** 32 - 1;
  const rowStarts = [0];
  const columnIndices: number[] = [];
  const values: number[] = [];
  const labels: number[] = [];
  const lines: number[] = [];
  let largest = 0;

  function readNumber(text: string, line: number, what: string): number {
    const value = /^[-+.\deE]+$/.test(text) ? Number(text) : NaN;
    if (Number.isFinite(value)) return value;
    throw wrong(
      line,
      text === '' ? `${what} is missing` : `${what} is ${shorten(text)}, not a finite number`,
    );
  }

  function readEntry(entry: string, line: number, previous: number): number {
    const colon = entry.indexOf(':');
    const name = entry.slice(0, colon);
    const index = colon > 0 && /^\d{1,10}$/.test(name) ? Number(name) : 0;
    if (index < 1 || index > limit)
      throw wrong(line, `${shorten(entry)} is not index:value with an index from 1 to ${limit}`);
    if (index === previous) throw wrong(line, `index ${index} comes twice`);
    if (index < previous)
      throw wrong(line, `index ${index} comes after index ${previous}; indices must increase`);
    if (values.length === maxEntries)
      throw new InvalidData(`more than ${maxEntries} entries; raise maxEntries to read them`, { line });
    values.push(readNumber(entry.slice(colon + 1), line, `the value of index ${index}`));
    columnIndices.push(index - 1);
    return index;
  }

  function readLine(text: string, line: number): void {
    const comment = text.indexOf('#');
    const fields = (comment < 0 ? text : text.slice(0, comment)).trim().split(/\s+/);
    if (fields[0] === '') return;
    if (fields[0].includes(':'))
      throw wrong(line, `there is no label before ${shorten(fields[0])}; a line is label index:value …`);
    labels.push(readNumber(fields[0], line, 'the label'));
    lines.push(line);
    let previous = 0;
    for (let at = 1; at < fields.length; at++) previous = readEntry(fields[at] as string, line, previous);
    largest = Math.max(largest, previous);
    rowStarts.push(values.length);
  }

  return lineParser(readLine, () => {
    if (labels.length === 0 && !(allowEmpty && declared !== undefined))
      throw new InvalidData('the text has no record; at least one line `label index:value …` is needed');
    const columns = declared ?? largest;
    const arrays = {
      rowStarts: Uint32Array.from(rowStarts),
      columnIndices: Uint32Array.from(columnIndices),
      values: Float64Array.from(values),
    };
    return {
      features: { rows: labels.length, columns, ...arrays },
      labels: Float64Array.from(labels),
      lines: Uint32Array.from(lines),
    };
  });
}

/** {@link libsvmParser} for text that is in memory. */
export function parseLibsvm(text: string, options?: LibsvmOptions): LabelledSparseRows {
  const parser = libsvmParser(options);
  parser.push(text);
  return parser.finish();
}
