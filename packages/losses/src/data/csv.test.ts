import fc from 'fast-check';
import { InvalidData, InvalidParameter } from '@lethe/core';
import { describe, expect, it } from 'vitest';
import { csvParser, csvPartsParser, parseCsv } from './csv.js';
import type { TableOptions } from './table-options.js';
import { recordAt, type Table } from './table.js';

const quote = (text: string): string => `"${text.replaceAll('"', '""')}"`;
const plain = (table: Table): unknown => [...table.columns].map(([name, column]) => [name, [...column]]);
const anyNumber = fc.oneof(
  fc.integer(),
  fc
    .tuple(fc.integer({ min: -999_999, max: 999_999 }), fc.integer({ min: -300, max: 300 }))
    .map(([m, e]) => Number(`${m}e${e}`)),
);

describe('parts of a CSV file', () => {
  const text = [
    'x,word,when,y',
    ...Array.from({ length: 40 }, (_, i) => `${i},w${i},2001-01-0${1 + (i % 9)},${i % 7 === 3 ? '' : i / 4}`),
    '"40","a ""b""",2001-02-01,1\n',
  ].join('\n');
  const partsOf = (most: number, options?: TableOptions, cut = 100): readonly Table[] => {
    const parts: Table[] = [];
    const parser = csvPartsParser(options, most, (part) => parts.push(part));
    for (let at = 0; at < text.length; at += cut) parser.push(text.slice(at, at + cut));
    parser.finish();
    return parts;
  };

  it.each([{ missing: 'drop-row' }, { fill: { y: 7 }, columns: { y: 'number', word: 'text' } }] as const)(
    'are together what is read of the whole, under %o',
    (options) => {
      const whole = parseCsv(text, options);
      const parts = partsOf(5, options);
      expect(parts.length).toBeGreaterThan(3);
      // In pieces of less than a line a part is one record, the last too.
      const single = partsOf(1, options, 7);
      expect(single.every(({ rows }) => rows === 1)).toBe(true);
      for (const name of whole.names)
        for (const taken of [parts, single])
          expect(taken.flatMap(({ columns }) => [...(columns.get(name) ?? [])])).toEqual([
            ...(whole.columns.get(name) ?? []),
          ]);
      let before = 0;
      const filled = parts.flatMap((part) => {
        const places = (part.filled?.get('y') ?? []).map((place) => place + before);
        before += part.rows;
        return places;
      });
      expect(filled).toEqual([...(whole.filled?.get('y') ?? [])]);
    },
  );

  it('count records from the first of the file, and know types by the first value of all', () => {
    expect(() => partsOf(5)).toThrow(/^record 4 \(line 5\), column 'y': an empty field is a missing value/);
    const late = text.replace('\n33,', '\nx33,');
    const parser = csvPartsParser({ fill: { y: 0 } }, 5, () => undefined);
    expect(() => {
      for (let at = 0; at < late.length; at += 100) parser.push(late.slice(at, at + 100));
      parser.finish();
    }).toThrow(/^record 34 \(line 35\), column 'x': x33/);
    expect(() => partsOf(5, { missing: 'drop-row', maxRows: 20 })).toThrow(/more than 20 records/);
  });
});

describe('parseCsv', () => {
  it('reads a small file', () => {
    const table = parseCsv(
      '\u{1F6EB} id,delay,when,note\r\n1,-3.5e0,2001/01/01 06:55,"a ""b"", c"\r\n2, ' +
        '7 ,2001-01-02,"line\nbreak"\r\n',
      { columns: { delay: 'number', when: 'time', note: 'text' } },
    );
    expect(plain(table)).toEqual([
      ['delay', [-3.5, 7]],
      ['when', [Date.UTC(2001, 0, 1, 6, 55), Date.UTC(2001, 0, 2)]],
      ['note', ['a "b", c', 'line\nbreak']],
    ]);
    expect(table.rows).toBe(2);
  });

  it('gives a column the type of its first value', () => {
    expect(plain(parseCsv('a,b\n1,x\n2,3'))).toEqual([
      ['a', [1, 2]],
      ['b', ['x', '3']],
    ]);
  });

  it('reads back what was written, however the text is cut', () => {
    const rows = fc.array(fc.tuple(anyNumber, fc.string({ unit: 'grapheme' })), {
      minLength: 1,
      maxLength: 12,
    });
    fc.assert(
      fc.property(
        rows,
        fc.array(fc.nat(400), { maxLength: 6 }),
        fc.constantFrom('\n', '\r\n'),
        fc.boolean(),
        (records, cuts, newline, closed) => {
          const text =
            ['n,t', ...records.map(([number, string]) => `${number},${quote(string)}`)].join(newline) +
            (closed ? newline : '');
          const parser = csvParser({ columns: { n: 'number', t: 'text' } });
          const edges = [
            0,
            ...cuts.map((cut) => Math.min(cut, text.length)).toSorted((a, b) => a - b),
            text.length,
          ];
          edges.slice(1).forEach((end, at) => parser.push(text.slice(edges[at], end)));
          expect(plain(parser.finish())).toEqual([
            ['n', records.map(([number]) => number)],
            ['t', records.map(([, string]) => string)],
          ]);
        },
      ),
    );
  });

  it('drops a record with a missing number only when told to', () => {
    const text = 'a,b\n1,2\n,3\nNA,4\nNaN,5\n6,7';
    expect(() => parseCsv(text)).toThrow(
      /record 2 \(line 3\), column 'a': an empty field is a missing value.*fill: \{ a: 0 \}/,
    );
    expect(plain(parseCsv(text, { missing: 'drop-row' }))).toEqual([
      ['a', [1, 6]],
      ['b', [2, 7]],
    ]);
    for (const word of ['NA', ' NA ', '\tnull'])
      expect(() => parseCsv(`a\n${word}\n`, { columns: { a: 'number' }, missing: 'drop-row' })).toThrow(
        /no record/,
      );
  });

  it('knows the line of every record, whatever stands between them', () => {
    const text = 'a,b\n1,2\n"3\n\n",4\n5,6\n7,\n8,9\n"10",11\n';
    const options = { columns: { a: 'text', b: 'number' }, missing: 'drop-row' } as const;
    for (const size of [text.length, 3, 1]) {
      const parser = csvParser(options);
      for (let at = 0; at < text.length; at += size) parser.push(text.slice(at, at + size));
      const table = parser.finish();
      const lines = Array.from(
        { length: table.rows },
        (_, row) => /line \d+/u.exec(recordAt(table, row))?.[0],
      );
      expect(lines).toEqual(['line 2', 'line 3', 'line 6', 'line 8', 'line 9']);
    }
    expect(() => parseCsv(`${text}12,x\n`, options)).toThrow(/^record 7 \(line 10\), column 'b': x/u);
  });

  it.each([
    ['empty text', '', /empty/],
    ['header alone', 'a,b\n', /no record/],
    ['ragged, too short', 'a,b\n1,2\n3\n', /record 2 \(line 3\) has 1 fields, the header 2/],
    ['ragged, too long', 'a,b\n1,2,3\n', /record 1 \(line 2\) has 3 fields/],
    ['repeated header', 'a,b,a\n1,2,3\n', /columns 1 and 3 of the header have the same name/],
    ['word among numbers', 'a\n1\nx\n', /record 2 \(line 3\), column 'a': x is not a number/],
    ['infinity', 'a\n1\n-Infinity\n', /record 2 \(line 3\), column 'a': -Infinity is infinite/],
    ['overflow', 'a\n1\n1e999\n', /record 2 \(line 3\), column 'a': 1e999 is infinite/],
    ['not a number', 'a\n1\nnan\n', /record 2 \(line 3\), column 'a': nan is a missing value/],
    ['hexadecimal', 'a\n1\n0x10\n', /record 2 \(line 3\), column 'a': 0x10 is not a number/],
    ['cut inside quotes', 'a,b\n1,"2\n3,4\n', /ends inside a quoted field/],
    ['text after a quote', 'a,b\n"1"2\n', /quote stands inside a field/],
    ['quote inside a field', 'a\nx"y"\n', /quote stands inside a field/],
    ['quotes between other separators', '"a";"b"\n1;2\n', /of line 1; .*separate fields by commas$/],
  ])('refuses %s', (_, text, message) => {
    expect(() => parseCsv(text)).toThrow(InvalidData);
    expect(() => parseCsv(text)).toThrow(message);
  });

  it('names record, column and value as data', () => {
    const error = (() => {
      try {
        return parseCsv('a,b\n1,2\n3,oops\n');
      } catch (caught) {
        return caught;
      }
    })();
    expect(error).toMatchObject({ code: 'invalid-data', details: { row: 2, column: 'b', value: 'oops' } });
  });

  it('refuses absent columns, bad dates and too many records', () => {
    expect(() => parseCsv('a\n1\n', { columns: { b: 'number' } })).toThrow(
      /no column 'b'; the table has one column/,
    );
    for (const [text, delimiter] of [['a;b\n1;2\n'], ['a;b,c;d\n'], ['b|b,c\n', ';']] as const)
      expect(() =>
        parseCsv(text, { columns: { b: 'number' }, ...(delimiter === undefined ? {} : { delimiter }) }),
      ).toThrow(
        /no column 'b': the first line has .*; if these separate its fields, give delimiter: "[;|,]"/u,
      );
    expect(() => parseCsv('a\n2001-02-30\n', { columns: { a: 'time' } })).toThrow(/is not a date or time/);
    expect(() => parseCsv('a\n1\n2\n3\n', { maxRows: 2 })).toThrow(/more than 2 records/);
  });

  it('refuses options outside the schema', () => {
    for (const options of [
      { columns: {} },
      { columns: { a: 'float' } },
      { delimiter: '"' },
      { delimiter: ',,' },
      { missing: 'zero' },
      { maxRows: 0 },
      { extra: 1 },
    ]) {
      expect(() => parseCsv('a\n1\n', options as never)).toThrow(InvalidParameter);
    }
  });

  it('takes a header such as __proto__ for a name like any other', () => {
    expect(parseCsv('__proto__,constructor\n1,2\n').names).toEqual(['__proto__', 'constructor']);
  });

  it('answers or refuses any text, with typed errors only', () => {
    const soup = fc
      .array(
        fc.constantFrom(
          ',',
          '\n',
          '\r',
          '"',
          '1',
          '-',
          '.',
          'e9',
          'NaN',
          'inf',
          'x',
          ' ',
          '\0',
          '\ud800',
          'a,b\n',
        ),
        { maxLength: 40 },
      )
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(soup, fc.constantFrom('reject', 'drop-row'), (text, missing) => {
        try {
          const table = parseCsv(text, { missing });
          for (const column of table.columns.values()) {
            expect(column).toHaveLength(table.rows);
            if (column instanceof Float64Array) expect(column.every(Number.isFinite)).toBe(true);
          }
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidData);
        }
      }),
      { numRuns: 2000 },
    );
  });

  // More than the arguments that a call may have.
  it('reads a record of 150000 columns', () => {
    const width = 150_000;
    const header = Array.from({ length: width }, (_, index) => index).join(',');
    const table = parseCsv(`${header}\n${'7,'.repeat(width - 1)}7\n`);
    expect([table.names.length, table.rows, table.columns.get('149999')?.[0]]).toEqual([width, 1, 7]);
    expect(() => parseCsv(`a,b\n${'7,'.repeat(width - 1)}7\n`)).toThrow(/has 150000 fields/);
  });
});
