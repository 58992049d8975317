import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wrapped } from './wrapped.js';

test('keeps every word in its order, under the label', () => {
  fc.assert(
    fc.property(
      fc.array(fc.stringMatching(/^[a-z]{1,30}$/u)),
      fc.integer({ min: 10, max: 60 }),
      (words, width) => {
        const lines = wrapped('  says  ', words.join(' '), width).split('\n').slice(0, -1);
        expect(lines[0].startsWith('  says  ')).toBe(true);
        expect(lines.slice(1).every((line) => line.startsWith(' '.repeat(8)))).toBe(true);
        expect(
          lines.flatMap((line) =>
            line
              .slice(8)
              .split(' ')
              .filter((word) => word !== ''),
          ),
        ).toEqual(words);
        expect(lines.every((line) => line.length <= width || !line.slice(8).includes(' '))).toBe(true);
      },
    ),
  );
  expect(wrapped('a ', 'one two three', 9)).toBe('a one two\n  three\n');
});
