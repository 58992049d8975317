import { defined } from '@lethe/numerics';
import { describe, expect, it } from 'vitest';
import { decoderMatrix, encoderMatrix, product, range, transpose } from '../../test/factors.js';
import { binaryTree } from './binary-tree.js';
import { bitsOf, ceilLog2, floorLog2, trailingZeros } from './powers-of-two.js';

const shapeOf = (steps: number): { readonly steps: number; readonly dimension: number } => ({
  steps,
  dimension: 1,
});
const once = { times: 1, gap: 1 };
const ones = (n: number): number => [...n.toString(2)].filter((bit) => bit === '1').length;

describe('binaryTree', () => {
  it('has the covariance of nodes in common', () => {
    for (const steps of [1, 7, 8, 33, 100]) {
      const b = decoderMatrix(binaryTree, {}, steps);
      const covariance = product(b, transpose(b));
      for (const i of range(steps))
        for (const l of range(steps)) {
          // Nodes of running sums i + 1 and l + 1 agree above the highest bit in which they differ.
          const differ = (i + 1) ^ (l + 1);
          expect(covariance[i][l]).toBe(ones(differ === 0 ? i + 1 : (i + 1) >> (32 - Math.clz32(differ))));
        }
    }
  });

  it('has as many nodes above each step as are published', () => {
    const weights = transpose(encoderMatrix(binaryTree, {}, 8)).map((column) =>
      column.reduce((sum, x) => sum + x, 0),
    );
    expect(weights).toEqual([4, 3, 3, 2, 3, 2, 2, 1]);
  });

  it('needs one level more for 2^m steps than for 2^m − 1', () => {
    for (const m of [1, 3, 10, 40]) {
      expect(binaryTree.columnNorm({}, shapeOf(2 ** m - 1), once)).toBeCloseTo(Math.sqrt(m), 14);
      expect(binaryTree.columnNorm({}, shapeOf(2 ** m), once)).toBeCloseTo(Math.sqrt(m + 1), 14);
      expect(defined(binaryTree.vectorsKept)({}, shapeOf(2 ** m))).toBe(m + 1);
    }
  });

  it('varies as the number of ones, ⌊log₂(T + 1)⌋ at most', () => {
    for (const steps of [1, 2, 100, 1000, 2 ** 20 - 1]) {
      const worst = 2 ** Math.floor(Math.log2(steps + 1)) - 2;
      expect(binaryTree.variance({}, shapeOf(steps), worst)).toBe(Math.floor(Math.log2(steps + 1)));
    }
    expect(binaryTree.variance({}, shapeOf(2 ** 50), 2 ** 49 + 2 ** 33 - 1)).toBe(2);
  });

  it('is within the published sensitivity, √(1 + ⌈log₂ T⌉), and by how much', () => {
    for (const steps of range(300).map((t) => t + 1)) {
      const declared = binaryTree.columnNorm({}, shapeOf(steps), once) ** 2;
      expect(declared).toBeCloseTo(1 + Math.floor(Math.log2(steps)), 12);
      expect(declared).toBeLessThanOrEqual(1 + Math.ceil(Math.log2(steps)) + 1e-12);
    }
  });

  it('counts participations at a distance, not as if all met in every node', () => {
    // Epochs of 128 steps: two participations meet in the root alone, or in few nodes.
    const twice = binaryTree.columnNorm({}, shapeOf(256), { times: 2, gap: 128 }) ** 2;
    expect(twice).toBeGreaterThanOrEqual(8 + 7 + 4);
    expect(twice).toBeLessThan(2 * 9 + 4);
    // In adjacent steps they meet in all but the lowest: 1 + 4 · 8.
    expect(binaryTree.columnNorm({}, shapeOf(256), { times: 2, gap: 1 }) ** 2).toBeCloseTo(33, 10);
  });
});

describe('powers of two', () => {
  it('are exact up to the largest safe integer', () => {
    for (const n of [1, 2, 3, 4, 7, 8, 1000, 2 ** 31, 2 ** 31 + 1, 2 ** 52, 2 ** 53 - 1]) {
      const exact = BigInt(n).toString(2);
      expect(floorLog2(n)).toBe(exact.length - 1);
      expect(ceilLog2(n)).toBe((BigInt(n) - 1n).toString(2).length - (n === 1 ? 1 : 0));
      expect(trailingZeros(n)).toBe(exact.length - 1 - exact.lastIndexOf('1'));
      expect(bitsOf(n).reduce((sum, bit) => sum + (1n << BigInt(bit)), 0n)).toBe(BigInt(n));
    }
    expect(bitsOf(0)).toEqual([]);
  });
});
