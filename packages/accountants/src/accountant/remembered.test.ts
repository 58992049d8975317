import { Unsupported } from '@lethe/core';
import { expect, it } from 'vitest';
import { gaussian } from '../../test/events.js';
import { accountants } from '../index.js';
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

it('remembers what an event costs under one adjacency, and not under another', () => {
  const event = gaussian(5);
  for (const accountant of accountants) {
    const ask = (adjacency: 'zero-out' | 'replace-one') => {
      try {
        return accountant.epsilon(event, { adjacency, delta: 1e-5 }).upper;
      } catch (error) {
        if (error instanceof Unsupported) return Infinity;
        throw error;
      }
    };
    const [small, large] = [ask('zero-out'), ask('replace-one')];
    if (small < Infinity) expect(large).toBeGreaterThan(1.5 * small);
  }
});
