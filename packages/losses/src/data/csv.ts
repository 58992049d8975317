import { InvalidData } from '@lethe/core';
import { dsvFormat } from 'd3-dsv';
import { textCells } from './cell.js';
import { delimiterText, missedDelimiter } from './delimiters.js';
import { lineParser, type TextParser } from './lines.js';
import {
  endOfOddLines,
  isPlainDelimiter,
  plainTexts,
  type PlainText,
  type PlainTexts,
  type TakenLines,
} from './plain-lines.js';
import { shorten, type Table } from './table.js';
import { tableBuilder, type TableBuilder } from './table-builder.js';
import { parseTableOptions, type ParsedTableOptions, type TableOptions } from './table-options.js';

/**
 * A parser of CSV (RFC 4180): a header, one record per line, quotes doubled inside quotes.
 * Without declared types a column has the type of its first value.
 *
 * @throws {InvalidParameter} for wrong options; its methods throw {@link InvalidData} for ragged records,
 * repeated or absent columns, bad quoting, missing or non-finite values, no header or no record.
 */
export const csvParser = (options?: TableOptions): TextParser<Table> => csvTableParser(options, plainTexts());

/** {@link csvParser} with a way to read plain lines. */
export function csvTableParser(options: TableOptions | undefined, plain: PlainTexts): TextParser<Table> {
  const parsed = parseTableOptions(options);
  let builder: TableBuilder | undefined = parsed.header && tableBuilder(parsed.header, textCells, parsed);
  return recordsInto(
    parsed,
    plain,
    () => builder,
    (header) => {
      assertSeparated(header, parsed);
      builder = tableBuilder(header, textCells, parsed);
    },
    (last) => last.finish(),
  );
}

/**
 * The same, but a table of every so many records or a few more, in turn; a column has the type of its first
 * value of all.
 *
 * @param use - Takes the next records. No table is empty.
 * @throws as {@link csvParser}, and what `use` throws.
 */
export function csvPartsParser(
  options: TableOptions | undefined,
  most: number,
  use: (part: Table) => void,
  plain: PlainTexts = plainTexts(),
): TextParser<void> {
  const parsed = { ...parseTableOptions(options), allowEmpty: true };
  let { header } = parsed;
  let before = 0;
  let builder: TableBuilder | undefined = header && tableBuilder(header, textCells, parsed);
  const handOver = (given: TableBuilder): void => {
    before += given.taken;
    const part = given.finish();
    if (part.rows > 0) use(part);
  };
  const { push, finish } = recordsInto(
    parsed,
    plain,
    () => {
      if (builder === undefined || header === undefined || builder.taken < most) return builder;
      const full = builder;
      const columns = parsed.columns === undefined ? full.types() : parsed.columns;
      handOver(full);
      builder = tableBuilder(header, textCells, { ...parsed, columns }, before);
      return builder;
    },
    (names) => {
      assertSeparated(names, parsed);
      header = [...names];
      builder = tableBuilder(header, textCells, parsed);
    },
    handOver,
  );
  // A part has few records, so that none are foreseen.
  return { push, finish };
}

/**
 * The message names no column: the file may be the wrong one, with private data in its first line.
 *
 * @throws {InvalidData} for a header without a wanted column that another separator cuts into more fields.
 */
function assertSeparated(
  header: readonly string[],
  { columns = {}, delimiter = ',' }: ParsedTableOptions,
): void {
  const lacking = Object.keys(columns).find((name) => !header.includes(name));
  const missed = lacking === undefined ? undefined : missedDelimiter(header, delimiter);
  if (missed === undefined) return;
  const fields = header.length === 1 ? 'one field' : `${header.length} fields`;
  throw new InvalidData(
    `there is no column '${shorten(lacking)}': the first line has ${fields} by ` +
      `${delimiterText(delimiter)}, and more by ${delimiterText(missed)}; if these separate its fields, ` +
      `give delimiter: ${JSON.stringify(missed)}`,
    { column: lacking, delimiter: missed },
  );
}

/** Feeds records to the builder that is there for them; the first ones are a header where there is none. */
function recordsInto<Result>(
  { delimiter = ',', quotes }: ParsedTableOptions,
  plain: PlainTexts,
  current: () => TableBuilder | undefined,
  onHeader: (names: readonly string[]) => void,
  finish: (last: TableBuilder) => Result,
): TextParser<Result> {
  let line = 1;
  let expected = 0;
  const parser = csvRecords(
    { delimiter, quotes },
    (cells) => {
      const builder = current();
      if (builder === undefined) onHeader(cells);
      else builder.add(cells, line);
      line++;
      for (const cell of cells) if (cell.includes('\n')) line += linesIn(cell);
    },
    () => {
      const last = current();
      if (last === undefined)
        throw new InvalidData('the text is empty; a header line and at least one record are needed');
      return finish(last);
    },
    isPlainDelimiter(delimiter)
      ? {
          textOf: plain,
          take(text, from) {
            const builder = current();
            if (builder === undefined) return { end: from, lines: 0 };
            const taken = builder.addLines(text, delimiter.charCodeAt(0), from, line);
            line += taken.lines;
            if (expected > 0 && taken.lines >= someLines) {
              builder.foresee(Math.ceil(more * taken.lines * (expected / (taken.end - from))));
              expected = 0;
            }
            return taken;
          },
        }
      : undefined,
  );
  return {
    ...parser,
    expect(characters) {
      expected = characters;
    },
  };
}

/** Lines by whose length the number of all is foreseen, and how many more there may be. */
const someLines = 256;
const more = 1 + 2 ** -6;

interface PlainReader {
  readonly textOf: PlainTexts;
  /** Takes plain lines of a text, from the beginning of one on. */
  take(text: PlainText, from: number): TakenLines;
}

/** Lines of a piece that may be read one by one; with more, the rest of the piece is read at once. */
const mostOddLines = 64;

/** Separator of fields, and whether fields may stand in quotes. */
export interface CsvDialect {
  readonly delimiter: string;
  readonly quotes: boolean;
}

/**
 * A parser of CSV that hands over the fields of every line, the header first where there is one.
 *
 * @param plain - Takes lines of plain fields itself, without a text for each field.
 * @throws {InvalidData} from its methods for bad quoting, and what the callbacks throw.
 */
export function csvRecords<Result>(
  { delimiter, quotes: quoted }: CsvDialect,
  onRecord: (cells: readonly string[]) => void,
  finish: () => Result,
  plain?: PlainReader,
): TextParser<Result> {
  if (!quoted) return unquotedRecords(delimiter, onRecord, finish);
  const format = dsvFormat(delimiter);
  let pending: string[] = [];
  let quotes = 0;
  let firstLine = 1;

  function parseRows(text: string): void {
    format.parseRows(text, (cells: string[]) => {
      onRecord(cells);
      return null;
    });
  }

  /** @param isAfter - Whether other lines of the same piece were parsed before. */
  function parse(text: string, isAfter = false): void {
    checkQuoting(text, delimiter, firstLine);
    const lines = plain?.textOf(text) ?? null;
    if (plain === undefined || lines === null) {
      firstLine += linesIn(text);
      parseRows(text);
      return;
    }
    let at = 0;
    for (let odd = 0; at < text.length; odd++) {
      const taken = plain.take(lines, at);
      at = taken.end;
      const end = odd < mostOddLines ? endOfOddLines(text, at) : text.length;
      const others = text.slice(at, end);
      firstLine += taken.lines + linesIn(others);
      // The library takes a text that is one end of line for no record; after another line it is one.
      if ((at > 0 || isAfter) && /^\r?\n$/.test(others)) onRecord(['']);
      else if (others !== '') parseRows(others);
      at = end;
    }
  }

  return {
    push(text) {
      let end = -1;
      let quote = text.indexOf('"');
      if (quote < 0 && quotes % 2 === 0) end = text.lastIndexOf('\n');
      else
        for (let line = text.indexOf('\n'); line >= 0; line = text.indexOf('\n', line + 1)) {
          for (; quote >= 0 && quote < line; quote = text.indexOf('"', quote + 1)) quotes++;
          if (quotes % 2 === 0) end = line;
        }
      for (; quote >= 0; quote = text.indexOf('"', quote + 1)) quotes++;
      if (end < 0) {
        pending.push(text);
        return;
      }
      const before = pending.join('');
      pending = [text.slice(end + 1)];
      // A line that was begun is parsed alone, so that the others are not copied behind it.
      const first = quotes === 0 ? text.indexOf('\n') + 1 : 0;
      const begun = before + text.slice(0, first);
      if (first > 0 && first <= end && begun.trim() !== '') {
        parse(begun);
        parse(text.slice(first, end + 1), true);
      } else parse(before + text.slice(0, end + 1));
    },
    finish() {
      const rest = pending.join('');
      if (quotes % 2 === 1)
        throw new InvalidData('the text ends inside a quoted field; it was cut off or a quote is missing');
      if (rest !== '') parse(rest);
      return finish();
    },
  };
}

/**
 * A parser of lines that are cut at every delimiter; quotes are characters as others. A blank line is a
 * record.
 */
function unquotedRecords<Result>(
  delimiter: string,
  onRecord: (cells: readonly string[]) => void,
  finish: () => Result,
): TextParser<Result> {
  return lineParser((line) => onRecord(line.split(delimiter)), finish, false);
}

/** {@link csvParser} for text that is in memory. */
export function parseCsv(text: string, options?: TableOptions): Table {
  const parser = csvParser(options);
  parser.push(text);
  return parser.finish();
}

function linesIn(text: string): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}

/** The library reads over stray quotes; we refuse them, since they shift fields. */
function checkQuoting(text: string, delimiter: string, line: number): void {
  const isEdge = (at: number): boolean =>
    at < 0 || at >= text.length || text[at] === delimiter || text[at] === '\n' || text[at] === '\r';
  for (let open = text.indexOf('"'); open >= 0;) {
    let close = text.indexOf('"', open + 1);
    while (close >= 0 && text[close + 1] === '"') close = text.indexOf('"', close + 2);
    if (!isEdge(open - 1) || close < 0 || !isEdge(close + 1)) {
      throw new InvalidData(
        `a quote stands inside a field of line ${line + linesIn(text.slice(0, open))}; ` +
          'quote the whole field and double quotes inside it, or separate fields by ' +
          delimiterText(delimiter),
        { line },
      );
    }
    open = text.indexOf('"', close + 1);
  }
}
