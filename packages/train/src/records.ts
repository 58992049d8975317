import { InvalidData } from '@lethe/core';
import {
  designMatrix,
  featureMatrix,
  recordAt,
  type DesignOptions,
  type FeatureMatrix,
  type Table,
} from '@lethe/losses';
import { defined } from '@lethe/numerics';
import type { NdArray } from 'ndarray';
import { featuresOf, labelOf } from './reading.js';
import type { LabelSchema, ParsedSchema } from './schema.js';
import { classesOf, taskOf } from './task.js';

/** A feature matrix whose rows are not sparse. */
export interface DenseFeatures extends FeatureMatrix {
  readonly features: NdArray<Float64Array>;
}

/** Features and labels of all records, as a loss takes them. */
export interface TrainingRecords extends DenseFeatures {
  readonly labels: Float64Array;
  /** 1 for a record without a label. */
  readonly unlabelled: Uint8Array;
}

/**
 * Features and labels of a table. The label of a record without one is 0, and means nothing.
 *
 * @throws {InvalidData} for a label that is none of the classes, and for a count below 0.
 */
export function recordsOf(table: Table, schema: ParsedSchema, options: DesignOptions = {}): TrainingRecords {
  const { label } = schema;
  const { order } = options;
  const design = designMatrix(table, { ...featuresOf(schema), label: labelOf(label) }, options);
  const { features, rows, columns, featureNames, facts } = dense(design);
  const { labels } = design;
  const missing = new Uint8Array(table.rows);
  for (const row of table.filled?.get(label.column) ?? []) missing[row] = 1;
  const unlabelled = order === undefined ? missing : Uint8Array.from(order, (row) => missing[row]);
  for (let i = 0; i < rows; i++) {
    if (label.type === 'count' && labels[i] < 0 && unlabelled[i] === 0)
      throw new InvalidData(
        `${recordAt(table, order?.[i] ?? i)}, column '${label.column}': ${labels[i]} is no count; ` +
          'it is below 0',
        { row: (order?.[i] ?? i) + 1 },
      );
    labels[i] = ownLabel(label, labels[i]);
  }
  return { features, rows, columns, featureNames, facts, labels, unlabelled };
}

/** A label as the loss takes it: ±1 for two classes, within the bounds for numbers. */
function ownLabel(label: LabelSchema, value: number): number {
  if (label.type === 'classes') return taskOf(label) === 'binary' ? 2 * value - 1 : value;
  if (label.type === 'number') return Math.min(Math.max(value, -1), 1);
  return label.type === 'count' ? Math.min(value, label.upper) : value;
}

/** Features of records that need no label. */
export const unlabelledRecords = (table: Table, schema: ParsedSchema): DenseFeatures =>
  dense(featureMatrix(table, featuresOf(schema)));

/** The features of {@link featuresOf}, which are never sparse. */
function dense({ features, ...rest }: FeatureMatrix): DenseFeatures {
  if ('rowStarts' in features) throw new InvalidData('models take dense rows', {});
  return { ...rest, features };
}

/** The class of a label that the loss takes, or the number in the unit of its column. */
export function shownLabel(label: LabelSchema, value: number): string | number {
  switch (taskOf(label)) {
    case 'binary':
      return defined(classesOf(label)[value > 0 ? 1 : 0]);
    case 'classes':
      return defined(classesOf(label)[value]);
    case 'number':
    case 'count':
      return inUnits(label, value);
  }
}

/** A number of the loss in the unit of the label's column. */
export function inUnits(label: LabelSchema, value: number): number {
  if (label.type !== 'number') return value;
  const { lower, upper } = label;
  return lower / 2 + upper / 2 + value * (upper / 2 - lower / 2);
}
