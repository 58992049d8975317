import { expect, test } from 'vitest';
import { ownCopy } from './own-copy.js';

test('a copy does not follow what is written into the original, at any depth', () => {
  const given = { name: 'a', params: { rates: [0.5, 0.25], inner: { size: 1 } } };
  const own = ownCopy(given);
  given.params.rates[0] = 1;
  given.params.inner.size = 9;
  expect(own).toEqual({ name: 'a', params: { rates: [0.5, 0.25], inner: { size: 1 } } });
  expect(() => { (own.params.rates as number[])[1] = 1; }).toThrow(TypeError);
});

test('what cannot change is kept as it is, so that it is recognised', () => {
  const settled = Object.freeze({ name: 'a', params: Object.freeze({ rate: 0.5, list: Object.freeze([1]) }) });
  expect(ownCopy(settled)).toBe(settled);
  const half = Object.freeze({ params: { rate: 0.5 } });
  expect(ownCopy(half)).not.toBe(half);
  expect([ownCopy(null), ownCopy(1), ownCopy('a')]).toEqual([null, 1, 'a']);
});
