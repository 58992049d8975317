import { resolvePlugin, type PrefixSum, type Ref } from '@lethe/core';
import { expect, test } from 'vitest';
import {
  bandedToeplitz,
  binaryTree,
  bufferedLinearToeplitz,
  honakerFull,
  honakerOnline,
  independentIncrements,
  prefixSums,
} from './index.js';

const steps = 100_000;
const logarithm = Math.ceil(Math.log2(steps)) + 1;

/** Entries of all vectors that are made with `new Float64Array(length)` meanwhile. */
function allocatedBy(work: () => void): number {
  const original = globalThis.Float64Array;
  let entries = 0;
  globalThis.Float64Array = new Proxy(original, {
    construct(target, given: readonly unknown[]) {
      if (typeof given[0] === 'number') entries += given[0];
      return Reflect.construct(target, given) as Float64Array;
    },
  });
  try {
    work();
  } finally {
    globalThis.Float64Array = original;
  }
  return entries;
}

test.each<readonly [string, Ref<'prefixSum'>, number]>([
  ['binary-tree', binaryTree({}), logarithm],
  ['honaker-full', honakerFull({}), logarithm],
  ['honaker-online', honakerOnline({}), logarithm],
  ['buffered-linear-toeplitz', bufferedLinearToeplitz({}), 10],
  ['banded-toeplitz', bandedToeplitz({ bandwidth: 8 }), 8],
  ['independent-increments', independentIncrements({}), 1],
])('%s makes no vector for a step: a hundred thousand steps take what a few do', (_name, ref, most) => {
  const { plugin, params } = resolvePlugin<PrefixSum>(prefixSums, ref);
  const entriesIn = (dimension: number): number => {
    const out = new Float64Array(dimension);
    return allocatedBy(() => {
      const run = plugin.begin(params, { steps, dimension });
      for (let step = 0; step < steps; step++)
        run.nextInto(out, (row, noise) => {
          noise[0] = row % 7;
        });
    });
  };
  // What is found once for parameters, and what is made however wide the vectors are, does not count.
  plugin.begin(params, { steps, dimension: 1 });
  const vectors = (entriesIn(9) - entriesIn(1)) / 8;
  expect(vectors).toBeLessThanOrEqual(most);
  expect(vectors).toBeLessThanOrEqual(plugin.vectorsKept?.(params, { steps, dimension: 9 }) ?? 0);
});
