import { canonicalJson, parseOrThrow, type Json } from '@lethe/core';
import {
  designSpec,
  featuresSpec,
  type DesignSpec,
  type FeatureSpec,
  type FeaturesSpec,
} from '@lethe/losses';
import { featuresOf, labelOf } from './reading.js';
import { trainingSchema, type ParsedSchema, type TrainingSchema } from './schema.js';

type Columns = TrainingSchema['columns'];

/**
 * The schema of records under which a model has exactly the features and classes of a design, so that a model
 * learnt under the design elsewhere predicts as one of `train`.
 *
 * @returns `null` where no schema has them: for bins, hashes, words, features in units, norms that are cut,
 * and labels other than a threshold, one value, or a list of three classes or more.
 * @throws {InvalidParameter} for what is no design.
 */
export function schemaOfDesign(design: DesignSpec): ParsedSchema | null {
  const { label: given, ...features } = parseOrThrow(designSpec, design, 'design');
  const label = labelFrom(given);
  const columns = columnsFrom(features.features);
  if (label === null || columns === null) return null;
  const parsed = trainingSchema.safeParse({ label, columns, intercept: features.intercept });
  if (!parsed.success) return null;
  const isSame =
    same(featuresSpec.parse(featuresOf(parsed.data)), { ...features, sparse: false }) &&
    same(designSpec.shape.label.parse(labelOf(parsed.data.label)), given);
  return isSame ? parsed.data : null;
}

const same = (one: FeaturesSpec | object, other: object): boolean =>
  canonicalJson(one as Json) === canonicalJson(other as Json);

function labelFrom(label: DesignSpec['label']): TrainingSchema['label'] | null {
  if ('threshold' in label) return { type: 'above', column: label.column, threshold: label.threshold };
  if ('equals' in label) return { type: 'equals', column: label.column, value: label.equals };
  if (!('classes' in label) || label.classes.length < 3) return null;
  return { type: 'classes', column: label.column, classes: label.classes };
}

/** Columns in the order of the features; `null` for a feature that no schema makes. */
function columnsFrom(features: readonly FeatureSpec[]): Columns | null {
  const columns: { [name: string]: Columns[string] } = {};
  for (const feature of features) {
    if (!('column' in feature)) return null;
    const { column } = feature;
    const before = columns[column];
    switch (feature.encoding) {
      case 'scale':
        // A second feature of one column would take its place.
        if (before !== undefined) return null;
        columns[column] = {
          type: 'number',
          lower: feature.lower,
          upper: feature.upper,
          transform: feature.transform,
        };
        break;
      case 'one-hot':
        columns[column] = { type: 'category', levels: feature.levels };
        break;
      case 'cyclic': {
        const { part } = feature;
        if (part === undefined || part === 'days' || part === 'minute-of-day') return null;
        const parts = before?.type === 'time' ? before.parts : [];
        columns[column] = { type: 'time', parts: [...parts, part] };
        break;
      }
      default:
        return null;
    }
  }
  return columns;
}
