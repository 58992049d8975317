import { InvalidData } from '@lethe/core';
import type { CsrMatrix } from '@lethe/numerics';
import { describe, expect, it } from 'vitest';
import { parseCsv } from './csv.js';
import type { DesignSpec } from './design-spec.js';
import { designMatrix, type Design } from './design.js';
import { tableFrom } from './table.js';

const label = { column: 'y' } as const;
const sparseDesign = (
  table: Parameters<typeof designMatrix>[0],
  spec: DesignSpec,
): Design & { features: CsrMatrix } =>
  designMatrix(table, { intercept: false, sparse: true, ...spec }) as Design & { features: CsrMatrix };
const rowOf = ({ features: { rowStarts, columnIndices, values } }: { features: CsrMatrix }, row: number) =>
  Array.from(columnIndices.subarray(rowStarts[row], rowStarts[row + 1]), (column, at) => [
    column,
    values[rowStarts[row] + at],
  ]);

describe('hashed columns', () => {
  const pairs = Array.from({ length: 400 }, (_, i) => [`o${i % 20}`, `d${Math.floor(i / 20)}`] as const);
  const table = tableFrom([
    ['origin', pairs.map(([origin]) => origin)],
    ['destination', pairs.map(([, destination]) => destination)],
    ['hour', Float64Array.from(pairs, (_, i) => i % 24)],
    ['y', new Float64Array(400)],
  ]);
  const routes = sparseDesign(table, {
    features: [
      { encoding: 'hashed', columns: ['origin', 'destination', { column: 'hour' }], buckets: 2 ** 20 },
    ],
    label,
  });

  it('has one entry 1 in a row, and different values in different columns but for collisions', () => {
    expect(routes.facts).toMatchObject({ sparsity: 1, rowNorm: 1 + 2 ** -48 });
    expect(routes.features.values.every((value) => value === 1)).toBe(true);
    expect(routes.features.values).toHaveLength(400);
    // 400 distinct values in 2²⁰ buckets: 0.08 collisions on average.
    expect(new Set(routes.features.columnIndices).size).toBeGreaterThanOrEqual(398);
  });

  it('fills its buckets evenly', () => {
    const few = sparseDesign(table, {
      features: [{ encoding: 'hashed', columns: ['origin', 'destination'], buckets: 16 }],
      label,
    });
    const counts = new Float64Array(16);
    for (const column of few.features.columnIndices) counts[column]++;
    // χ² of 15 degrees; beyond 70 with chance 4e-9 for a random function.
    expect(counts.reduce((sum, count) => sum + (count - 25) ** 2 / 25, 0)).toBeLessThan(70);
  });

  it('depends on the values alone, in their order', () => {
    const three = sparseDesign(
      tableFrom([
        ['a', ['x', 'xy', 'yz', 'x']],
        ['b', ['yz', 'z', 'x', 'yz']],
        ['y', new Float64Array(4)],
      ]),
      { features: [{ encoding: 'hashed', columns: ['a', 'b'], buckets: 2 ** 20 }], label },
    ).features.columnIndices;
    expect(three[3]).toBe(three[0]);
    expect(new Set(three).size).toBe(3);
  });

  it('refuses a part of text', () => {
    expect(() =>
      sparseDesign(table, {
        features: [{ encoding: 'hashed', columns: [{ column: 'origin', part: 'hour' }], buckets: 8 }],
        label,
      }),
    ).toThrow(InvalidData);
  });
});

describe('words', () => {
  const text = ['The cat, the CAT!', '', 'one two three four', '¿qué? 42'];
  const table = tableFrom([
    ['text', text],
    ['y', new Float64Array(4)],
  ]);
  const design = sparseDesign(table, {
    features: [{ encoding: 'words', column: 'text', buckets: 2 ** 20, atMost: 3 }],
    label,
  });

  it('are the different words of a text at norm 1, at most as many as declared', () => {
    expect(design.facts.sparsity).toBe(3);
    expect([0, 1, 2, 3].map((row) => rowOf(design, row).map(([, value]) => value))).toEqual([
      [1 / Math.sqrt(2), 1 / Math.sqrt(2)],
      [],
      [1 / Math.sqrt(3), 1 / Math.sqrt(3), 1 / Math.sqrt(3)],
      [1 / Math.sqrt(2), 1 / Math.sqrt(2)],
    ]);
    for (const row of [0, 2, 3]) {
      const columns = rowOf(design, row).map(([column]) => column);
      expect(columns).toEqual(columns.toSorted((a, b) => a - b));
      expect(rowOf(design, row).reduce((sum, [, value]) => sum + value ** 2, 0)).toBeLessThanOrEqual(
        design.facts.rowNorm ** 2,
      );
    }
  });

  it('are refused of numbers', () => {
    expect(() =>
      sparseDesign(table, {
        features: [{ encoding: 'words', column: 'y', buckets: 8, atMost: 3 }],
        label,
      }),
    ).toThrow(/column holds numbers/);
  });
});

describe('a CSV file without a header, with quotes as characters', () => {
  const read = (input: string): ReturnType<typeof parseCsv> =>
    parseCsv(input, { delimiter: '\t', header: ['kind', 'text'], quotes: false });

  it('has the given names, and keeps quotes and empty last fields', () => {
    const table = read('good\t"Hi," she said\r\nbad\tsay "yes\ngood\t\n');
    expect(table.columns.get('text')).toEqual(['"Hi," she said', 'say "yes', '']);
    expect(table.columns.get('kind')).toEqual(['good', 'bad', 'good']);
  });

  it('takes blank lines for records, as with quotes', () => {
    const texts = (quotes: boolean) =>
      parseCsv('a\n\n \nb\n', { header: ['text'], columns: { text: 'text' }, quotes }).columns.get('text');
    expect(texts(false)).toEqual(['a', '', ' ', 'b']);
    expect(texts(false)).toEqual(texts(true));
    expect(() => read('good\ta\n\n')).toThrow(/1 fields, the header 2/);
  });

  it('is refused where a line has other fields than names', () => {
    expect(() => read('good\ta\tb')).toThrow(/3 fields, the header 2/);
  });
});
