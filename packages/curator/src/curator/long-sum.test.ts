import { gaussianEvent, resolvePlugin, type Mechanism } from '@lethe/core';
import { seededRandom, sparseInArena } from '@lethe/numerics';
import { expect, test } from 'vitest';
import { gaussianNoise } from '../../test/mean-parts.js';
import { noisedCopy } from './answers/noised.js';
import { emptied, sumBeside, sumOfEntries, wholeSum, type SumByBlocks } from './long-sum.js';

const columns = 5000;
const X = sparseInArena({
  rows: 2,
  columns,
  rowStarts: Uint32Array.of(0, 3, 5),
  columnIndices: Uint32Array.of(0, 2048, 4999, 7, 2048),
  values: Float64Array.of(1, 2, 3, 4, 5),
});
const planned = {
  mechanism: resolvePlugin<Mechanism>([gaussianNoise], gaussianNoise({})),
  scale: 1,
  noiseMultiplier: 1,
  event: gaussianEvent(1, {}),
  grid: null,
};
const noised = (sum: SumByBlocks): Float64Array =>
  noisedCopy(sum, 2, planned, () => seededRandom('noise'), null);

test('a long sum is noise alone where it is not finite in any block, and the next one is whole again', () => {
  const memory = sumBeside(X);
  if (memory === null) throw new Error('no room beside the rows');
  memory.entries.take(X, { from: 0, to: 2 });
  const few = (...r: readonly number[]): SumByBlocks => sumOfEntries(memory, Float64Array.from(r));
  const whole = (place: number, value: number): SumByBlocks => {
    emptied(memory)[place] = value;
    return wholeSum(memory);
  };
  const noise = noised(few(0, 0));
  expect(noised(whole(0, 0))).toEqual(noise);
  for (const bad of [NaN, Infinity]) {
    expect(noised(few(bad, 1))).toEqual(noise);
    expect(noised(few(1, bad))).toEqual(noise);
    expect(noised(few(1, 0))[4999] - noise[4999]).toBeCloseTo(1.5, 12);
    for (const place of [0, 2048, 4999]) expect(noised(whole(place, bad))).toEqual(noise);
    expect(noised(whole(4999, 3))[4999] - noise[4999]).toBeCloseTo(1.5, 12);
    expect(noised(whole(0, 0))).toEqual(noise);
  }
  expect(noised(few(1, 1))[2048] - noise[2048]).toBeCloseTo(3.5, 12);
});
