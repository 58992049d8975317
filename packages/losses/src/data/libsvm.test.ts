import fc from 'fast-check';
import { InvalidData, InvalidParameter } from '@lethe/core';
import { describe, expect, it } from 'vitest';
import { libsvmParser, parseLibsvm } from './libsvm.js';

describe('parseLibsvm', () => {
  it('reads a small file', () => {
    expect(parseLibsvm('+1 1:0.5 4:-2e1 # first\n# only a comment\n-1\n 3.5 2:7 \n')).toEqual({
      features: {
        rows: 3,
        columns: 4,
        rowStarts: Uint32Array.of(0, 2, 2, 3),
        columnIndices: Uint32Array.of(0, 3, 1),
        values: Float64Array.of(0.5, -20, 7),
      },
      labels: Float64Array.of(1, -1, 3.5),
      lines: Uint32Array.of(1, 3, 4),
    });
  });

  it('reads back what was written, however the text is cut', () => {
    const value = fc
      .tuple(fc.integer({ min: -99_999, max: 99_999 }), fc.integer({ min: -300, max: 300 }))
      .map(([m, e]) => Number(`${m}e${e}`));
    const row = fc.tuple(
      value,
      fc.uniqueArray(fc.tuple(fc.integer({ min: 1, max: 1_000_000 }), value), {
        selector: ([index]) => index,
        maxLength: 6,
      }),
    );
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 8 }), fc.nat(300), (rows, cut) => {
        const sorted = rows.map(
          ([label, entries]) => [label, entries.toSorted(([a], [b]) => a - b)] as const,
        );
        const text = sorted
          .map(([label, entries]) => [label, ...entries.map((entry) => entry.join(':'))].join(' '))
          .join('\n');
        const parser = libsvmParser({ columns: 1_000_000 });
        parser.push(text.slice(0, cut));
        parser.push(text.slice(cut));
        const { features, labels } = parser.finish();
        expect([...labels]).toEqual(sorted.map(([label]) => label));
        const rebuilt = sorted.map((_, at) => {
          const range = [features.rowStarts[at], features.rowStarts[at + 1]] as const;
          const indices = [...features.columnIndices.subarray(...range)];
          return indices.map((index, k) => [index + 1, features.values[range[0] + k]]);
        });
        expect(rebuilt).toEqual(sorted.map(([, entries]) => entries));
        expect([features.rows, features.columns]).toEqual([rows.length, 1_000_000]);
      }),
    );
  });

  it.each([
    ['no text', '', /no record/],
    ['comments alone', '# a\n#b', /no record/],
    ['a word for a label', 'yes 1:2', /line 1: the label is yes, not a finite number/],
    ['an infinite label', 'inf 1:2', /line 1: the label is inf, not a finite number/],
    ['no label', '1 1:1\n\n2:1', /line 3: there is no label before 2:1/],
    ['NaN', '1 1:nan', /line 1: the value of index 1 is nan, not a finite number/],
    ['overflow', '1 1:2\n1 3:1e999', /line 2: the value of index 3 is 1e999, not a finite number/],
    ['no value', '1 3:', /line 1: the value of index 3 is missing/],
    ['no colon', '1 3', /is not index:value/],
    ['index zero', '1 0:1', /with an index from 1/],
    ['a negative index', '1 -1:1', /is not index:value/],
    ['a query id', '1 qid:3 1:1', /is not index:value/],
    ['a huge index', '1 99999999999:1', /is not index:value/],
    ['indices that fall', '1 3:1 2:1', /comes after index 3; indices must increase/],
    ['a repeated index', '1 3:1 3:1', /line 1: index 3 comes twice/],
    ['hexadecimal', '1 1:0x1', /is 0x1, not a finite number/],
  ])('refuses %s', (_, text, message) => {
    expect(() => parseLibsvm(text)).toThrow(InvalidData);
    expect(() => parseLibsvm(text)).toThrow(message);
  });

  it('holds entries to the declared dimension and number', () => {
    expect(() => parseLibsvm('1 5:1', { columns: 4 })).toThrow(/index from 1 to 4/);
    expect(() => parseLibsvm('1 1:1 2:1 3:1', { maxEntries: 2 })).toThrow(/more than 2 entries/);
    expect(() => parseLibsvm('1 1:1', { columns: 0 })).toThrow(InvalidParameter);
  });

  it('reads a row of a million entries', () => {
    const text = `1 ${Array.from({ length: 1_000_000 }, (_, index) => `${index + 1}:1`).join(' ')}`;
    expect(parseLibsvm(text).features.columnIndices.at(-1)).toBe(999_999);
  });
});
