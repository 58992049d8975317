import { defineSampler, seededRandom, type StoredStream } from '@lethe/core';
import { cyclicPoisson, gaussian, independentIncrements, l2Clip, mechanisms } from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { describe, expect, test } from 'vitest';
import { openStream } from './stream.js';

/** A verified stream whose sampler says that every sum tells a slot that takes part by this loss. */
function assertVerified(loss: number): void {
  const { kind: _kind, ...fields } = cyclicPoisson;
  const sampler = defineSampler({
    ...fields,
    name: 'of-one-loss',
    stream: { ...defined(cyclicPoisson.stream), logRatio: () => () => loss },
  });
  const stored: StoredStream = {
    id: 'stream',
    prefixSum: independentIncrements({}),
    steps: 2,
    dimension: 1,
    bound: { by: 'clip', clip: l2Clip({ radius: 1 }) },
    noise: { mechanism: gaussian({}), target: { noiseMultiplier: 1 } },
    scale: 1,
    participation: { times: 1, gap: 2 },
    normaliser: 2,
    sampling: sampler({ groups: 2, rate: 0.5 }),
    verified: { epsilon: 1, delta: 0.2, samples: 50, threshold: 0.1, sigma: 1 },
  };
  openStream(stored, 8, [...mechanisms, sampler], {
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
