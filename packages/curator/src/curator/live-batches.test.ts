import { expect, it } from 'vitest';
import type { StoredBatch } from '../ledger/index.js';
import { createLiveBatches } from './live-batches.js';

it('the end of a scope is that of all scopes within, and of their batches alone', () => {
  const batchOf = (id: string, scope: string | null): StoredBatch => ({
    id,
    stretch: { space: id, from: 0, to: 4 },
    normaliser: 4,
    size: 'exact',
    scope,
  });
  const forgotten: string[] = [];
  const live = createLiveBatches(batchOf('all', null), ({ id }) => forgotten.push(id));
  const sampler = { kind: 'sampler', name: 'half', params: {} } as const;
  const draw = (parent: string, id: string): void =>
    live.apply({
      space: {
        id,
        how: 'sample',
        parent,
        within: batchOf(parent, null).stretch,
        sampler: null,
        recipe: { by: 'sample', sampler, hidden: false },
      },
      batches: [batchOf(id, id)],
    });
  draw('all', 'other');
  draw('all', 'outer');
  draw('outer', 'inner');
  draw('inner', 'innermost');
  expect(live.scopesFrom('all')).toEqual(['other', 'outer']);
  expect(live.stored('innermost').id).toBe('innermost');
  live.apply({ closes: ['outer'] });
  for (const id of ['outer', 'inner', 'innermost']) expect(() => live.stored(id)).toThrow(/scope has ended/u);
  expect(forgotten.toSorted()).toEqual(['inner', 'innermost', 'outer']);
  expect([live.stored('all').id, live.stored('other').id]).toEqual(['all', 'other']);
  expect(live.scopesFrom('outer')).toEqual([]);
});
