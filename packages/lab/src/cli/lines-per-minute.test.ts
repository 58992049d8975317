import { expect, test } from 'vitest';
import { linesPerMinute } from './lines-per-minute.js';

test('of many lines of a kind some are shown each minute, with how many were left out', () => {
  let now = 0;
  const leftOut = linesPerMinute(2, () => now);
  const shown = (kind: string, times: number): readonly (number | null)[] =>
    Array.from({ length: times }, () => leftOut(kind));
  expect(shown('wrong-tag', 4)).toStrictEqual([0, 0, null, null]);
  expect(shown('wrong-plan', 1)).toStrictEqual([0]);
  now = 59_999;
  expect(shown('wrong-tag', 1)).toStrictEqual([null]);
  now = 60_000;
  expect(shown('wrong-tag', 3)).toStrictEqual([3, 0, null]);
  now = 200_000;
  expect(shown('wrong-tag', 1)).toStrictEqual([1]);
});
