import { expect, test } from 'vitest';
import { readOptions } from '../options.mjs';

test('filters and numbers', () => {
  expect(readOptions([])).toMatchObject({
    pairs: 9,
    nanoseconds: 60e6,
    build: true,
    json: false,
    filters: [],
  });
  expect(
    readOptions(['epoch', 'noise', '--pairs', '5', '--reading=20', '--no-build', '--json']),
  ).toMatchObject({ pairs: 5, nanoseconds: 20e6, build: false, json: true, filters: ['epoch', 'noise'] });
});

test.each([
  ['--pairs', '4'],
  ['--pairs', 'x'],
  ['--pairs', '5.5'],
  ['--reading', '0'],
  ['--reading', 'NaN'],
  ['--fast'],
])('refuses %s %s', (...argv) => {
  expect(() => readOptions(argv)).toThrow('--');
});
