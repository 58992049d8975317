import { defineSampler, type StoredStream } from '@lethe/core';
import { seededRandom } from '@lethe/numerics';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { ball, freshSum, gaussianNoise } from '../../test/mean-parts.js';
import { openStream } from './stream.js';

const common = { summary: 'For tests.', source: { id: 'lethe', item: 'tests' }, claims: [] } as const;

/** Every slot in every step; every sum tells a slot that takes part by the loss of its parameters. */
const ofOneLoss = defineSampler({
  ...common,
  name: 'of-one-loss',
  params: z.strictObject({ loss: z.number() }),
  size: 'exact',
  amplification: () => ({}),
  normaliser: (_params, slots) => slots,
  draw: (_params, slots) => Uint32Array.from({ length: slots }, (_, slot) => slot),
  stream: {
    participation: (_params, steps) => ({ times: steps, gap: 1 }),
    normaliser: (_params, slots) => slots,
    event: () => ({}),
    begin: (_params, slots) => () => Uint32Array.from({ length: slots }, (_, slot) => slot),
    logRatio:
      ({ loss }) =>
      () =>
        loss,
  },
});

/** A stream that is verified at ε = 1. */
function assertVerified(loss: number): void {
  const stored: StoredStream = {
    id: 'stream',
    prefixSum: freshSum({}),
    steps: 2,
    dimension: 1,
    bound: { by: 'clip', clip: ball({ radius: 1 }) },
    noise: { mechanism: gaussianNoise({}), target: { noiseMultiplier: 1 } },
    scale: 1,
    participation: { times: 2, gap: 1 },
    normaliser: 2,
    sampling: ofOneLoss({ loss }),
    verified: { epsilon: 1, delta: 0.2, samples: 50, threshold: 0.1, sigma: 1 },
  };
  openStream(stored, 8, [freshSum, ofOneLoss, ball, gaussianNoise], {
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
