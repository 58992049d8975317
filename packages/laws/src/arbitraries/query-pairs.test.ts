import { InvalidParameter } from '@lethe/numerics';
import { describe, expect, it } from 'vitest';
import { queryPairs } from './query-pairs.js';

describe('queryPairs', () => {
  it.each([
    ['any queries', { queries: 7, sensitivity: 2, threshold: 30 }, 6],
    ['monotone queries', { queries: 7, sensitivity: 0.5, monotone: true }, 3],
    ['one query', { queries: 1 }, 3],
  ])('proposes distinct neighbours for %s', (_, options, count) => {
    const pairs = queryPairs(options);
    const { sensitivity = 1 } = options as { readonly sensitivity?: number };
    expect(pairs).toHaveLength(count);
    for (const [here, there] of pairs) {
      const moves = here.map((x, i) => there[i] - x);
      expect(moves).toHaveLength(options.queries);
      expect(Math.max(...moves.map(Math.abs))).toBe(sensitivity);
      if ('monotone' in options) expect(Math.min(...moves) < 0 && Math.max(...moves) > 0).toBe(false);
    }
  });

  it('refuses no queries, and a sensitivity of zero', () => {
    expect(() => queryPairs({ queries: 0 })).toThrow(InvalidParameter);
    expect(() => queryPairs({ queries: 2, sensitivity: 0 })).toThrow(InvalidParameter);
  });
});
