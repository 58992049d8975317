import type { GradientTerms, LinearMean } from '@lethe/core';
import { touchesFew } from '@lethe/numerics';
import { coefficientsOf } from './bounded-sum.js';
import { isSparse, type DataSet } from './attached.js';
import { sumOfEntries, type SumByBlocks } from './long-sum.js';
import type { Rows } from './members.js';
import { hasSparseGradients } from './sparse-gradients.js';

/**
 * The sum that `linearSum` makes, by blocks of its entries: over so few sparse records that making it as a
 * whole would cost more than they do. Null for other records, and for short sums.
 */
export function sumOfFewRecords(
  data: DataSet,
  rows: Rows,
  of: GradientTerms,
  mean: LinearMean,
): SumByBlocks | null {
  const { sumMemory } = data;
  if (sumMemory === null) return null;
  const { stored } = data;
  if (!isSparse(stored) || !hasSparseGradients(data, of) || !touchesFew(stored, rows)) return null;
  const { entries } = sumMemory;
  entries.take(stored, rows);
  return sumOfEntries(
    sumMemory,
    coefficientsOf(data, rows, of, mean, (point, out) => entries.margins(point, out)),
  );
}
