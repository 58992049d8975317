import { expect, it } from 'vitest';
import { gaussianNoise } from '../../../test/mean-parts.js';
import { serverNoise, type OwedNoise } from './server-noise.js';

const noiseOf = (index: number, digest: string): number => {
  const noise = { mechanism: gaussianNoise({}), scale: 1, size: 1 } as OwedNoise['left'][number]['noise'];
  const left = [{ weight: 1, noise }];
  const query = { ask: 'value' } as OwedNoise['query'];
  const server = serverNoise({
    shares: [new Uint8Array(32), new Uint8Array(32).fill(1)],
    isSeeded: true,
    factor: 1,
    registry: [gaussianNoise],
  });
  return Number(server.add({ query, index, digest, answer: 0, left, total: 1 }).answer);
};

it('is the same for the same query, and another for another number or other words', () => {
  const asked = [
    [3, 'a'],
    [4, 'a'],
    [3, 'b'],
  ] as const;
  const found = asked.map(([index, digest]) => noiseOf(index, digest));
  expect(new Set(found).size).toBe(3);
  expect(asked.map(([index, digest]) => noiseOf(index, digest))).toEqual(found);
});
