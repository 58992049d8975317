import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { textCells } from './cell.js';
import { kernelTexts } from '../node/kernel-lines.js';
import { csvRecords, csvTableParser } from './csv.js';
import { endOfOddLines, plainTexts, type PlainTexts } from './plain-lines.js';
import type { Table } from './table.js';
import { tableBuilder, type TableBuilder } from './table-builder.js';
import { parseTableOptions, type TableOptions } from './table-options.js';

/** The table of a text, in pieces, or the message with which it is refused. */
function told(parse: () => Table): unknown {
  try {
    const { rows, columns } = parse();
    return {
      rows,
      columns: [...columns].map(([name, values]) => [name, Array.from<unknown>(values).map(bits)]),
    };
  } catch (error) {
    return (error as Error).message;
  }
}
const bits = (value: unknown): unknown => (Object.is(value, -0) ? '-0' : value);

/** Every record by its fields, as texts. */
function byFields(pieces: readonly string[], options: TableOptions): Table {
  const parsed = parseTableOptions(options);
  let builder: TableBuilder | undefined;
  let line = 0;
  const parser = csvRecords(
    { delimiter: parsed.delimiter ?? ',', quotes: true },
    (cells) => {
      line++;
      if (builder === undefined) builder = tableBuilder(cells, textCells, parsed);
      else builder.add(cells, line);
      for (const cell of cells) line += cell.split('\n').length - 1;
    },
    () => {
      if (builder === undefined)
        throw new Error('the text is empty; a header line and at least one record are needed');
      return builder.finish();
    },
  );
  for (const piece of pieces) parser.push(piece);
  return parser.finish();
}
function whole(pieces: readonly string[], options: TableOptions, texts: PlainTexts, expected = 0): Table {
  const parser = csvTableParser(options, texts);
  if (expected > 0) parser.expect?.(expected);
  for (const piece of pieces) parser.push(piece);
  return parser.finish();
}

const digits = (most: number) => fc.stringMatching(/^\d+$/, { maxLength: most });
const number = fc
  .tuple(fc.constantFrom('', '-'), digits(18), fc.constantFrom('', '.'), digits(18))
  .map(([sign, before, dot, after]) => `${sign}${before}${dot}${dot === '' ? '' : after}`);
const scientific = fc
  .tuple(fc.double({ noDefaultInfinity: true, noNaN: true }), fc.integer({ min: 0, max: 18 }))
  .map(([x, places]) => x.toExponential(places))
  .filter((text) => Number.isFinite(Number(text)));
/** In the middle between two doubles, or beside it, in decimals. */
const halfway = fc
  .tuple(
    fc.bigInt({ min: 2n ** 53n, max: 2n ** 54n - 1n }),
    fc.integer({ min: -8, max: 10 }),
    fc.integer({ min: -1, max: 1 }),
  )
  .map(([odd, power, beside]) =>
    power >= 0
      ? String((2n * odd + 1n) * 2n ** BigInt(power) + BigInt(beside))
      : `${(2n * odd + 1n) * 5n ** BigInt(-power) + BigInt(beside)}e${power}`,
  );
const cell = fc.oneof(
  { weight: 20, arbitrary: number },
  { weight: 10, arbitrary: fc.double({ noDefaultInfinity: true, noNaN: true }).map(String) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      'NA',
      ' 5',
      '+5',
      '.5',
      '5.',
      '-',
      '.',
      '1e5',
      '0x10',
      '-0',
      '00012',
      '"7"',
      'é',
      'text',
      '1-2',
      '1.2.3',
      '9'.repeat(400),
      `0.${'0'.repeat(400)}1`,
      '123456789012345',
      '1234567890123456',
      'x"y',
    ),
  },
);
const ends = fc.constantFrom('\n', '\n', '\n', '\n', '\r\n', '\n\n', '\r', '\r\n\r\n');
const text = fc
  .record({
    width: fc.integer({ min: 1, max: 4 }),
    cells: fc.array(fc.tuple(fc.array(cell, { minLength: 4, maxLength: 4 }), ends), { maxLength: 12 }),
    ragged: fc.option(fc.nat(11), { nil: undefined, freq: 6 }),
    last: fc.constantFrom('', '\n', '\n\n', '\r\n'),
    cuts: fc.array(fc.nat(200), { maxLength: 3 }),
    missing: fc.constantFrom('reject' as const, 'drop-row' as const),
    maxRows: fc.constantFrom(3, 1000),
    chosen: fc.constantFrom(undefined, 'number' as const, 'text' as const),
    delimiter: fc.constantFrom(',', ';', '\t', '1', '.'),
    fill: fc.boolean(),
  })
  .map(({ width, cells, ragged, last, cuts, missing, maxRows, chosen, delimiter, fill }) => {
    const header = ['a', 'b', 'c', 'd'].slice(0, width).join(delimiter);
    const lines = cells.map(
      ([fields, end], i) => fields.slice(0, i === ragged ? width - 1 : width).join(delimiter) + end,
    );
    const all = `${header}\n${lines.join('')}`.replace(/[\r\n]+$/, '') + last;
    const places = [0, ...cuts.filter((cut) => cut < all.length).toSorted((a, b) => a - b), all.length];
    const pieces = places.slice(1).map((to, k) => all.slice(places[k], to));
    const options: TableOptions = {
      missing,
      maxRows,
      delimiter,
      ...(chosen === undefined ? {} : { columns: { [width > 1 ? 'b' : 'a']: chosen } }),
      ...(!fill || chosen === undefined
        ? {}
        : { fill: { [width > 1 ? 'b' : 'a']: chosen === 'text' ? 'none' : 7 } }),
    };
    return { pieces, options };
  });

describe.each([
  ['in JavaScript', plainTexts],
  ['in WebAssembly', kernelTexts],
])('plain lines read %s', (_where, textsOf) => {
  test('give the table, or the refusal, of their fields read one by one, however the text is cut', () => {
    fc.assert(
      fc.property(text, ({ pieces, options }) => {
        expect(told(() => whole(pieces, options, textsOf()))).toEqual(told(() => byFields(pieces, options)));
      }),
      { numRuns: 2000 },
    );
  });

  test('have the numbers of Number, whatever their digits', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            number.filter((one) => /\d/.test(one)),
            scientific,
            halfway,
          ),
          { minLength: 2, maxLength: 40 },
        ),
        (cells) => {
          const { columns } = whole([`a\n${cells.join('\n')}\n`], {}, textsOf());
          expect(columns.get('a')).toEqual(Float64Array.from(cells, Number));
        },
      ),
      { numRuns: 1000 },
    );
  });

  test('are ASCII without quotes', () => {
    const texts = textsOf();
    const table = { width: 1, columns: [], dialect: textCells };
    for (const plain of ['12\n3\n', `${'1'.repeat(5000)}\n2\n`])
      expect(texts(plain)?.read(table, 44, 0, 10)).toEqual({ end: plain.length, lines: 2 });
    for (const other of ['1"', 'é', '€1']) expect(texts(other)).toBeNull();
  });

  test('take their own text, also where another one was made since', () => {
    const texts = textsOf();
    const first = texts('1\n2\n');
    textsOf()('x\n');
    expect(first?.read({ width: 1, columns: [], dialect: textCells }, 44, 2, 10)).toEqual({
      end: 4,
      lines: 1,
    });
  });

  test('fill many blocks, with odd numbers and texts in every column', () => {
    const odd = ['1e-300', '123456789012345678901', '5e-324', '0e9', '1e22', '1e23', '-0.0'];
    const records = Array.from({ length: 5000 }, (_, i) => [
      i % 3 === 0 ? odd[i % odd.length] : `${i / 8}`,
      `t${i}`,
      String(-i),
    ]);
    const csv = `a,b,c\n${records.map((record) => record.join(',')).join('\n')}\n`;
    // Also where more or fewer records are expected than there are, or more than memory holds.
    for (const expected of [0, csv.length, csv.length / 3, 9 * csv.length, 1e15]) {
      const { columns } = whole([csv.slice(0, 90_001), csv.slice(90_001)], {}, textsOf(), expected);
      expect(columns.get('a')).toEqual(Float64Array.from(records, ([a]) => Number(a)));
      expect(columns.get('b')).toEqual(records.map(([, b]) => b));
      expect(columns.get('c')).toEqual(Float64Array.from(records, ([, , c]) => Number(c)));
    }
  });
});

describe('lines that are not plain', () => {
  test('end where blank ones have another behind them', () => {
    expect(endOfOddLines('ab\ncd\n', 0)).toBe(3);
    expect(endOfOddLines('\n\ncd\ne\n', 0)).toBe(5);
    expect(endOfOddLines('\n\n', 0)).toBe(2);
    expect(endOfOddLines('ab', 0)).toBe(2);
  });
});
