import { definePrefixSum, defineSampler, seededRandom, type StoredStream } from '@lethe/core';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { openStream } from './stream.js';

const plain = {
  summary: 'Stands in for a plugin of a stream.',
  source: { id: 'lethe', item: 'stand-in' },
  claims: [],
  params: z.strictObject({}),
} as const;
const freshNoise = definePrefixSum({
  ...plain,
  name: 'fresh-noise',
  columnNorm: () => 1,
  variance: (_params, _shape, step) => step + 1,
  encoder: (_params, _shape, row, column) => Number(row === column),
  bandwidth: () => 1,
  begin: () => ({
    nextInto() {
      throw new Error('a verification draws its own noise');
    },
  }),
});

/** Verifies a stream whose sampler says that every sum tells a slot that takes part by this loss. */
function assertVerified(loss: number): void {
  const sampler = defineSampler({
    ...plain,
    name: 'of-one-loss',
    size: 'hidden',
    amplification: () => ({}),
    normaliser: () => 1,
    draw: () => new Uint32Array(0),
    stream: {
      participation: () => ({ times: 1, gap: 2 }),
      normaliser: () => 1,
      event: () => ({}),
      begin: () => () => new Uint32Array(0),
      logRatio: () => () => loss,
    },
  });
  const stored: StoredStream = {
    id: 'stream',
    prefixSum: freshNoise({}),
    steps: 2,
    dimension: 1,
    bound: { by: 'certificate', fact: 'lipschitz' },
    noise: { mechanism: { kind: 'mechanism', name: 'none', params: {} }, target: { noiseMultiplier: 1 } },
    scale: 1,
    participation: { times: 1, gap: 2 },
    normaliser: 2,
    sampling: sampler({}),
    verified: { epsilon: 1, delta: 0.2, samples: 50, threshold: 0.1, sigma: 1 },
  };
  openStream(stored, 8, [freshNoise, sampler], {
    randomness: seededRandom('stream'),
    membersOf: () => ({ from: 0, to: 0 }),
    adjacency: 'zero-out',
  }).assertVerified();
}

describe('a stream is verified', () => {
  test('where no loss is above ε', () => {
    for (const loss of [0, 0.9, -0.9]) expect(() => assertVerified(loss)).not.toThrow();
  });

  test('neither where presence tells too much, nor where absence does', () => {
    expect(() => assertVerified(2)).toThrow(/verification of stream 'stream' failed/u);
    expect(() => assertVerified(-2)).toThrow(/verification of stream 'stream' failed/u);
  });
});
