import { permutation } from '@lethe/numerics';
import { numberFile } from '@lethe/node';
import { seededRandom } from '@lethe/core';
import { expect, test } from 'vitest';
import { inOrder } from './ordered-numbers.js';

test.each([
  ['all rows', 9_000],
  ['some of them', 1_234],
])('%s stand in the order asked for, from many buckets', (_what, count) => {
  const rows = 9_000;
  const from = numberFile();
  from.append(Float64Array.from({ length: 2 * rows }, (_, k) => k / 2));
  const order = permutation(seededRandom('order'), rows).subarray(0, count);
  const out = inOrder(from, { rows, width: 2 }, order, 500);
  const found = new Float64Array(2 * count);
  expect(out.length).toBe(found.length);
  out.read(0, found);
  expect(found).toEqual(Float64Array.from({ length: 2 * count }, (_, k) => order[k >> 1] + (k % 2) / 2));
  from.close();
  out.close();
});
