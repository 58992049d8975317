import fc from 'fast-check';
import { InvalidData } from '@lethe/core';
import { describe, expect, it } from 'vitest';
import { jsonLinesParser, parseJson } from './json-table.js';
import type { Table } from './table.js';
import type { TableOptions } from './table-options.js';

const plain = (table: Table): unknown =>
  Object.fromEntries([...table.columns].map(([name, column]) => [name, [...column]]));

function parseLines(text: string, options?: TableOptions): Table {
  const parser = jsonLinesParser(options);
  parser.push(text);
  return parser.finish();
}

describe('JSON tables', () => {
  const records = [
    { delay: -19, late: false, from: 'LAX', at: '2001/01/01 06:55' },
    { delay: 2.5, late: true, from: 'SJC', at: '2001-01-01T08:47Z' },
  ];
  const expected = {
    delay: [-19, 2.5],
    late: [0, 1],
    from: ['LAX', 'SJC'],
    at: [Date.UTC(2001, 0, 1, 6, 55), Date.UTC(2001, 0, 1, 8, 47)],
  };
  const columns = { delay: 'number', late: 'number', from: 'text', at: 'time' } as const;

  it('reads records, columns and lines alike', () => {
    const byColumn = Object.fromEntries(
      Object.keys(columns).map((key) => [key, records.map((record) => record[key as keyof typeof columns])]),
    );
    expect(plain(parseJson(JSON.stringify(records), { columns }))).toEqual(expected);
    expect(plain(parseJson(JSON.stringify(byColumn), { columns }))).toEqual(expected);
    expect(
      plain(parseLines(records.map((record) => JSON.stringify(record)).join('\n\n'), { columns })),
    ).toEqual(expected);
  });

  it('reads back numbers exactly, in all three shapes', () => {
    const values = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), {
      minLength: 1,
      maxLength: 20,
    });
    fc.assert(
      fc.property(values, (numbers) => {
        const xs = numbers.map((x) => x + 0);
        const rows = xs.map((x) => ({ x }));
        for (const table of [
          parseJson(JSON.stringify(rows)),
          parseJson(JSON.stringify({ x: xs })),
          parseLines(rows.map((row) => JSON.stringify(row)).join('\r\n')),
        ]) {
          expect(table.columns.get('x')).toEqual(
            Float64Array.from(xs, (x) => JSON.parse(JSON.stringify(x)) as number),
          );
        }
      }),
    );
  });

  it('takes null and absent keys for missing values', () => {
    const text = '[{"a":1,"b":2},{"a":null,"b":3},{"b":4},{"a":5,"b":6}]';
    expect(() => parseJson(text)).toThrow(/record 2, column 'a': null is a missing value/);
    expect(plain(parseJson(text, { missing: 'drop-row' }))).toEqual({ a: [1, 5], b: [2, 6] });
  });

  it.each([
    ['no text', '', /is not JSON/],
    ['cut text', '[{"a":1},{"a"', /is not JSON/],
    ['NaN', '[{"a":NaN}]', /is not JSON/],
    ['a number', '7', /holds a number where an object/],
    ['null', 'null', /holds null where an object/],
    ['no record', '[]', /no record/],
    ['no column', '{}', /no record/],
    ['empty columns', '{"a":[]}', /no record/],
    ['an array for a record', '[{"a":1},[2]]', /record 2 holds an array/],
    ['a scalar for a column', '{"a":[1],"b":2}', /column 2 is not an array/],
    ['ragged columns', '{"a":[1,2],"b":[3]}', /column 2 has 1 values, the first 2/],
    ['a new key', '[{"a":1},{"a":2,"b":3}]', /record 2 has a key that the first record lacks/],
    ['overflow', '[{"a":1e999}]', /record 1, column 'a': Infinity is infinite/],
    ['text among numbers', '[{"a":1},{"a":"2"}]', /record 2, column 'a': 2 is not a number/],
    ['a number among texts', '[{"a":"x"},{"a":2}]', /record 2, column 'a': 2 is not text/],
    ['a nested value', '[{"a":{"b":1}}]', /column 'a': an object is not a number/],
    ['deep nesting', '['.repeat(200_000), /./],
  ])('refuses %s', (_, text, message) => {
    expect(() => parseJson(text)).toThrow(InvalidData);
    expect(() => parseJson(text)).toThrow(message);
  });

  it('names the line of a broken JSON Lines record', () => {
    expect(() => parseLines('{"a":1}\n\n{"a":\n')).toThrow(/line 3 is not JSON/);
    expect(() => parseLines('\n \n')).toThrow(/no record/);
  });

  it('answers or refuses any JSON value, with typed errors only', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 3 }), (text) => {
        try {
          expect(parseJson(text, { missing: 'drop-row' }).rows).toBeGreaterThan(0);
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidData);
        }
      }),
      { numRuns: 1000 },
    );
  });
});
