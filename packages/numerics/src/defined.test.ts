import { describe, expect, it } from 'vitest';
import { defined } from './defined.js';

describe('defined', () => {
  it('gives back what is there, also what is false, zero or empty', () => {
    const list: readonly number[] = [];
    expect(defined(list)).toBe(list);
    expect([defined(0), defined(''), defined(false), defined(Number.NaN)]).toEqual([
      0,
      '',
      false,
      Number.NaN,
    ]);
  });

  it('throws where there is nothing', () => {
    expect(() => defined(undefined)).toThrow(TypeError);
    expect(() => defined(null)).toThrow('a value is null');
  });
});
