import { expect, test } from 'vitest';
import { lineInFile } from './line-in-file.js';

test('lines are found in YAML and JSON, in blocks and in brackets', () => {
  const block = 'name: a\nplugins:\n  # a comment\n  - ./a.js\n\n  - b\n';
  expect([0, 1, 2].map((i) => lineInFile(block, ['plugins', i]))).toEqual([4, 6, undefined]);
  expect(lineInFile('plugins: [./a.js,\n  b]\n', ['plugins', 1])).toBe(2);
  expect(lineInFile('{\n\t"plugins": [\n\t\t"./a.js"\n\t]\n}', ['plugins', 0])).toBe(3);
});
