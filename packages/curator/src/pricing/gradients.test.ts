import { defineSampler, type Query } from '@lethe/core';
import { Unsupported } from '@lethe/numerics';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { StoredBatch } from '../ledger/index.js';
import { rootPartition } from '../ledger/tally.js';
import { gradientCount } from './gradients.js';

const batchOf = (id: string, normaliser: number, size: StoredBatch['size'] = 'exact'): StoredBatch => ({
  id,
  stretch: { space: rootPartition, from: 0, to: normaliser },
  normaliser,
  size,
  scope: null,
});
const root = batchOf('all', 12);
const first = {
  summary: 'For tests.',
  source: { id: 'lethe', item: 'tests' },
  claims: [],
  params: z.strictObject({ size: z.number() }),
  amplification: () => ({}),
  normaliser: ({ size }: { readonly size: number }) => size,
  draw: ({ size }: { readonly size: number }) => Uint32Array.from({ length: size }, (_, slot) => slot),
} as const;
const samplers = [
  defineSampler({ ...first, name: 'of-public-size', size: 'exact' }),
  defineSampler({ ...first, name: 'of-hidden-size', size: 'hidden' }),
];
const sampler = (name: string, params: object) => ({ sampler: { kind: 'sampler', name, params } });
const two = { of: { terms: [{}, {}] } };
const beyond = { statistic: { of: 'gradient-norm-beyond' } };
const base = { plan: { gradients: 100 } };

/** What a query needs to be counted, about all records. */
const queries: readonly (readonly [string, number, object])[] = [
  ['a draw', 0, { ask: 'draw' }],
  ['a mean of two terms', 2 * 12, { ask: 'mean', ...two }],
  [
    'one over a sample of public size',
    2 * 5,
    { ask: 'mean', ...two, ...sampler('of-public-size', { size: 5 }) },
  ],
  [
    'one over a sample of hidden size',
    2 * 12,
    { ask: 'mean', ...two, ...sampler('of-hidden-size', { size: 5 }) },
  ],
  ['an increment of two terms', 2 * 12, { ask: 'push', ...two }],
  ['an average loss', 0, { ask: 'value', statistic: { of: 'risk' } }],
  ['a share of long gradients', 12, { ask: 'value', ...beyond }],
  [
    'a share of long updates of three epochs',
    3 * 12,
    { ask: 'value', statistic: { of: 'update-norm-beyond', local: { epochs: 3 } } },
  ],
  ['updates of three epochs', 3 * 12, { ask: 'localUpdate', local: { epochs: 3 } }],
  ['a descent, at most', 12, { ask: 'descend' }],
  ['a choice by losses', 0, { ask: 'choose', statistic: { of: 'risk' } }],
  [
    'a selection from three runs by their losses',
    300,
    { ask: 'select', base, cap: 3, score: { statistic: { of: 'risk' } } },
  ],
  [
    'a selection from three runs by their gradients',
    3 * (100 + 12),
    { ask: 'select', base, cap: 3, score: beyond },
  ],
];

describe('gradients of', () => {
  const count = gradientCount(root, samplers);
  const of = (query: object): number => count.of({ batch: root, ...query } as unknown as Query);
  test.each(queries)('%s', (_, gradients, query) => {
    expect(of(query)).toBe(gradients);
  });

  test('what nobody can know are refused', () => {
    expect(() => of({ ask: 'select', base, score: beyond })).toThrow(Unsupported);
    expect(() => of({ ask: 'choose', ...beyond })).toThrow(Unsupported);
  });

  test('batches are those of their size, or of the batch that they hide in', () => {
    const space = { id: 'x', how: 'sample', parent: 'half', within: root.stretch, sampler: null } as const;
    count.apply({ batches: [batchOf('half', 6)] });
    count.apply({
      batches: [batchOf('some', 2, 'hidden')],
      space: { ...space, recipe: { by: 'permutation' } },
    });
    const mean = (id: string): number => of({ ask: 'mean', of: { terms: [{}] }, batch: { id } });
    expect([mean('all'), mean('half'), mean('some')]).toEqual([12, 6, 6]);
  });
});
