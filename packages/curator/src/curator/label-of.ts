import type { RecordLabel } from '@lethe/core';
import type { DataSet } from './attached.js';

/** The label of a row; of a vector a copy, so that no plugin can write to the data. */
export function labelOf({ labels, labelWidth }: DataSet, row: number): RecordLabel {
  if (labelWidth === 1) return { label: labels[row] };
  const own = labels.slice(row * labelWidth, (row + 1) * labelWidth);
  return { label: own[0], labels: own };
}
