import { permutation } from '@lethe/numerics';
import { seededRandom } from '@lethe/core';
import { expect, test } from 'vitest';
import { inOrder, numbersOnDisk } from './ordered-numbers.js';

test.each([
  ['all rows', 9_000, 64],
  ['some of them', 1_234, 64],
  ['rows of 32 bits', 9_000, 32],
] as const)('%s stand in the order asked for, from many buckets', (_what, count, precision) => {
  const rows = 9_000;
  const from = numbersOnDisk(precision);
  const numbers = (at: (k: number) => number, length: number) => {
    const all = Array.from({ length }, (_, k) => at(k));
    return precision === 32 ? Float32Array.from(all) : Float64Array.from(all);
  };
  from.append(numbers((k) => k / 2, 2 * rows));
  const order = permutation(seededRandom('order'), rows).subarray(0, count);
  const out = inOrder(from, { rows, width: 2, precision }, order, 500);
  const found = numbers(() => 0, 2 * count);
  expect(out.length).toBe(found.length);
  out.read(0, found);
  expect(found).toEqual(numbers((k) => order[k >> 1] + (k % 2) / 2, 2 * count));
  from.close();
  out.close();
});
