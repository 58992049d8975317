import { expect, it } from 'vitest';
import { freshSum, gaussianNoise } from '../../../test/mean-parts.js';
import { serverNoise, type OwedNoise, type ServerNoise } from './server-noise.js';

type Noise = OwedNoise['left'][number]['noise'];
const gaussian = { mechanism: gaussianNoise({}), scale: 1, size: 1 };
const opened = (): ServerNoise =>
  serverNoise({
    shares: [new Uint8Array(32), new Uint8Array(32).fill(1)],
    isSeeded: true,
    factor: 1,
    registry: [gaussianNoise, freshSum],
  });

const noiseOf = (index: number, digest: string): number => {
  const left = [{ weight: 1, noise: gaussian as Noise }];
  const query = { ask: 'value' } as OwedNoise['query'];
  return Number(opened().add({ query, index, digest, answer: 0, left, total: 1 }).answer);
};

const push = { ask: 'push', stream: { id: 's' } } as OwedNoise['query'];
const stream = { id: 's', prefixSum: freshSum({}), steps: 3, dimension: 1, pushed: 0 };
/** The noise of an increment that two silos were asked for, and its row. */
const pushed = (server: ServerNoise, digest: string, courses: readonly [string, string]) => {
  const left = courses.map((course) => ({ weight: 0.5, noise: { ...gaussian, course, stream } as Noise }));
  const { answer, row } = server.add({ query: push, index: 3, digest, answer: 0, left, total: 1 });
  return { noise: Number(answer), row };
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

it('has a row of its own for each query and each course of every silo', () => {
  const asked = [
    ['a', ['c', 'd']],
    ['b', ['c', 'd']],
    ['a', ['e', 'd']],
    ['a', ['c', 'e']],
  ] as const;
  const found = asked.map(([digest, courses]) => pushed(opened(), digest, courses));
  expect(new Set(found.map(({ noise }) => noise)).size).toBe(4);
  expect(new Set(found.map(({ row }) => row?.name)).size).toBe(4);
  expect(asked.map(([digest, courses]) => pushed(opened(), digest, courses))).toEqual(found);
});

it('goes on after rows that a transcript names, and else begins', () => {
  const first = opened();
  const { row } = pushed(first, 'a', ['c', 'd']);
  const next = pushed(first, 'b', ['e', 'f']);
  const again = opened();
  again.replayed(push, row);
  expect(pushed(again, 'b', ['e', 'f'])).toEqual(next);
  expect(pushed(opened(), 'b', ['e', 'f']).noise).not.toBe(next.noise);
});
