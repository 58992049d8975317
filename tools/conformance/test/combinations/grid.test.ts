import { expect, test } from 'vitest';
import { checkAll } from './grid.js';

const right = { name: 'a × b', check: () => undefined };
const wrong = {
  name: 'a × c',
  check() {
    throw new Error('too much\nin detail');
  },
};

test('a loop over combinations runs all of them and names each failing one', () => {
  let tried = 0;
  const counted = {
    name: 'last',
    check() {
      tried++;
    },
  };
  expect(() => {
    checkAll([right, wrong, wrong, counted]);
  }).toThrow('2 of 4 combinations fail\n  a × c: too much\n  a × c: too much');
  expect(tried).toBe(1);
  expect(() => {
    checkAll([right, counted]);
  }).not.toThrow();
});

test('it names at most ten failing combinations', () => {
  expect(() => {
    checkAll(Array.from({ length: 12 }, () => wrong));
  }).toThrow(/^12 of 12 combinations fail[^]*\n {2}and 2 more$/u);
});
