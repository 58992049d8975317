import { expect, test } from 'vitest';
import { keyedHash128 } from './keyed-hash.js';

const hex = (bytes: Uint8Array): string => Array.from(bytes, (b) => b.toString(16).padStart(2, '0')).join('');

test('gives the published SipHash-2-4-128 vectors', () => {
  const key = Uint8Array.from({ length: 16 }, (_, i) => i);
  const of = (length: number): string => hex(keyedHash128(key, Uint8Array.from({ length }, (_, i) => i)));
  expect(of(0)).toBe('a3817f04ba25a8e66df67214c7550293');
  expect(of(1)).toBe('da87c1d86b99af44347659119b22fc45');
});
