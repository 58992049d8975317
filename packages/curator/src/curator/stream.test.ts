import type { StoredStream } from '@lethe/core';
import { seededRandom } from '@lethe/numerics';
import { expect, it } from 'vitest';
import { ball, freshSum, gaussianNoise } from '../../test/mean-parts.js';
import { openStream, type OpenStream, type Push } from './stream.js';

const open = (scale = 3): OpenStream => {
  const stored: StoredStream = {
    id: 'stream',
    prefixSum: freshSum({}),
    steps: 4,
    dimension: 1,
    bound: { by: 'clip', clip: ball({ radius: 1 }) },
    noise: { mechanism: gaussianNoise({}), target: { noiseMultiplier: 1 } },
    scale,
    participation: { times: 1, gap: 1 },
    normaliser: 1,
  };
  return openStream(stored, 8, [freshSum, ball, gaussianNoise], {
    randomness: seededRandom('stream'),
    membersOf: () => ({ from: 0, to: 0 }),
    adjacency: 'zero-out',
  });
};
const noiseOf = (stream: OpenStream, push: Push): number => {
  const increment = new Float64Array(1);
  stream.addNoise(increment, push);
  return increment[0];
};
const pushOf = (digest: string, origin: string | null = null): Push => ({
  digest: digest.padEnd(32, '0'),
  origin: origin === null ? null : seededRandom(origin),
});

it('the noise of a step depends on its query and what made the batch, on no other question', () => {
  const asked = [pushOf('a'), pushOf('b'), pushOf('a', 'one'), pushOf('a', 'other')];
  const alone = asked.map((push) => noiseOf(open(), push));
  expect(new Set(alone).size).toBe(4);
  const stream = open();
  for (const i of [0, 1, 0, 3, 2, 2]) expect(noiseOf(stream, asked[i])).toBe(alone[i]);
});

it('draws the noise of a later step by all queries before it', () => {
  const after = (...before: readonly Push[]): number => {
    const stream = open();
    before.forEach((push) => stream.count(push));
    return noiseOf(stream, pushOf('c'));
  };
  const found = [after(pushOf('a'), pushOf('b')), after(pushOf('b'), pushOf('b')), after(pushOf('b'))];
  expect(new Set(found).size).toBe(3);
  const stream = open();
  for (const push of [pushOf('a'), pushOf('b')]) {
    noiseOf(stream, push);
    stream.count(push);
  }
  expect(noiseOf(stream, pushOf('c'))).toBe(found[0]);
});

it('draws noise of the scale of the stream, from the first step on', () => {
  const noisesAt = (scale: number): readonly number[] => {
    const stream = open(scale);
    return [pushOf('a'), pushOf('b')].map((push) => {
      const noise = noiseOf(stream, push);
      stream.count(push);
      return noise;
    });
  };
  const [one, some] = [noisesAt(1), noisesAt(3)];
  some.forEach((noise, step) => expect(noise).toBeCloseTo(3 * one[step], 12));
});
