import { expect, it } from 'vitest';
import { remembering } from './remembered.js';

it('keeps the last results by name, and none under the empty name', () => {
  const remembered = remembering<number>();
  let calls = 0;
  const ask = (name: string): number => remembered(name, () => ++calls);
  expect([ask('a'), ask('b'), ask('a')]).toEqual([1, 2, 1]);
  expect([ask(''), ask('')]).toEqual([3, 4]);
  for (let i = 0; i < 511; i++) ask(`other ${i}`);
  expect(ask('b')).toBe(2);
  expect(ask('a')).toBeGreaterThan(4);
});
