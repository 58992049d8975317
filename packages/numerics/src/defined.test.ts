import { describe, expect, it } from 'vitest';
import { defined } from './defined.js';

describe('defined', () => {
  it('returns the value, also false, zero and empty ones', () => {
    const list: readonly number[] = [];
    expect(defined(list)).toBe(list);
    expect([defined(0), defined(''), defined(false), defined(Number.NaN)]).toEqual([
      0,
      '',
      false,
      Number.NaN,
    ]);
  });

  it('throws for a missing value', () => {
    expect(() => defined(undefined)).toThrow(TypeError);
    expect(() => defined(null)).toThrow('a value is null');
  });
});
