import { expect, test } from 'vitest';
import { placesIn } from './places.js';

test('lines are found in YAML and JSON, in blocks and in brackets', () => {
  const block = placesIn('name: a\nplugins:\n  # a comment\n  - ./a.js\n\n  - b\n');
  expect(['0', '1', '2'].map((i) => block(['plugins', i]).line)).toEqual([4, 6, 2]);
  expect(placesIn('plugins: [./a.js,\n  b]\n')(['plugins', '1'])).toEqual({ line: 2, column: 3 });
  expect(placesIn('{\n\t"plugins": [\n\t\t"./a.js"\n\t]\n}')(['plugins', '0'])).toEqual({
    line: 3,
    column: 3,
  });
});

test('a key with dots, an alias, a value, an unknown key and a missing part have their places', () => {
  const at = placesIn('a: &x { b.c: 7,\n  z: 1 }\nd: *x\ne: {}\n');
  expect(at(['a', 'b', 'c'])).toEqual({ line: 1, column: 14 });
  expect(at(['d', 'z'])).toEqual({ line: 2, column: 6 });
  expect(at(['a'], ['z'])).toEqual({ line: 2, column: 3 });
  expect(at(['e', 'missing'])).toEqual({ line: 4, column: 1 });
  expect(at([])).toEqual({ line: 1, column: 1 });
});
