import type { ColumnType, DesignSpec, FeaturesSpec, TableOptions } from '@lethe/losses';
import {
  parseSchema,
  type ColumnSchema,
  type LabelSchema,
  type ParsedSchema,
  type TrainingSchema,
} from './schema.js';

/**
 * How a file or records are read under a schema: types of the columns, and what stands in for missing values.
 */
export interface Reading {
  readonly columns: NonNullable<TableOptions['columns']>;
  readonly fill: NonNullable<TableOptions['fill']>;
}

/**
 * Reading of the columns that a schema names, without label and owner unless `withLabel`. The label's `fill`
 * marks records without a label; its value is not used.
 *
 * @throws {InvalidParameter} that lists everything that is wrong with the schema.
 */
export function readingOf(given: TrainingSchema, withLabel: boolean): Reading {
  const schema = parseSchema(given);
  const { label, owner } = schema;
  const features = Object.entries(schema.columns).map(
    ([name, column]) => [name, typeOf(column), fillOf(column)] as const,
  );
  const own = [label.column, labelType(label), labelFill(label)] as const;
  const whose = owner === undefined ? [] : [[owner.column, owner.ids, undefined] as const];
  const all = withLabel ? [...features, own, ...whose] : features;
  return {
    columns: Object.fromEntries(all.map(([name, type]) => [name, type])),
    fill: Object.fromEntries(all.flatMap(([name, , fill]) => (fill === undefined ? [] : [[name, fill]]))),
  };
}

const typeOf = (column: ColumnSchema): ColumnType => {
  if (column.type === 'category') return typeof column.levels[0] === 'string' ? 'text' : 'number';
  return column.type;
};

function fillOf(column: ColumnSchema): number | string | undefined {
  if (column.type === 'number') return column.fill ?? column.lower / 2 + column.upper / 2;
  if (column.type === 'time') return column.fill;
  return typeof column.levels[0] === 'string' ? '' : unlisted(column.levels as readonly number[]);
}

/** A number that is no level, for a missing value: it counts as none of them. */
const unlisted = (levels: readonly number[]): number =>
  Math.max(0, ...levels.map((one) => Math.abs(one))) + 1;

function labelType(label: LabelSchema): ColumnType {
  if (label.type === 'equals') return typeof label.value === 'string' ? 'text' : 'number';
  return label.type === 'classes' && typeof label.classes[0] === 'string' ? 'text' : 'number';
}

function labelFill(label: LabelSchema): number | string {
  switch (label.type) {
    case 'classes':
      return label.classes[0];
    case 'above':
      return label.threshold;
    case 'equals':
      return label.value;
    case 'number':
      return label.lower;
    case 'count':
      return 0;
  }
}

/**
 * The features of a schema: numbers mapped from their bounds to [−1, 1], categories as indicators, times as
 * circles.
 */
export function featuresOf({ columns, intercept }: ParsedSchema): FeaturesSpec {
  return {
    intercept,
    features: Object.entries(columns).flatMap(([column, one]): FeaturesSpec['features'] => {
      switch (one.type) {
        case 'number':
          return [
            { column, encoding: 'scale', lower: one.lower, upper: one.upper, transform: one.transform },
          ];
        case 'category':
          return [{ column, encoding: 'one-hot', levels: [...one.levels] }];
        case 'time':
          return one.parts.map((part) => ({ column, part, encoding: 'cyclic' as const }));
      }
    }),
  };
}

/** The label of a schema, as a loss takes it. Numbers are mapped from their bounds to [−1, 1]. */
export function labelOf(label: LabelSchema): DesignSpec['label'] {
  const { column } = label;
  switch (label.type) {
    case 'classes':
      return { column, classes: [...label.classes] };
    case 'above':
      return { column, threshold: label.threshold };
    case 'equals':
      return { column, equals: label.value };
    case 'number':
      return { column, offset: label.lower / 2 + label.upper / 2, unit: label.upper / 2 - label.lower / 2 };
    case 'count':
      return { column };
  }
}
