import { expect, test } from 'vitest';
import { rewrittenLine } from './rewritten-line.js';

test('a line is written over, fits, and holds no control character of its own', () => {
  const written: string[] = [];
  const line = rewrittenLine((text) => void written.push(text), { isTTY: true, columns: 24 });
  line.clear();
  line.show('query 1 of \u001B[31m a great many');
  line.clear();
  line.clear();
  expect(written).toEqual(['\r\u001B[Kquery 1 of \\u001b[31m a', '\r\u001B[K']);
});

test('nothing is shown without a terminal', () => {
  const written: string[] = [];
  const line = rewrittenLine((text) => void written.push(text), {});
  line.show('query 1');
  line.clear();
  expect([line.isShown, written]).toEqual([false, []]);
});
