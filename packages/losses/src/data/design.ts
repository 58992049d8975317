import { InvalidData, InvalidParameter, parseOrThrow } from '@lethe/core';
import { defined, type CsrMatrix } from '@lethe/numerics';
import ndarray, { type NdArray } from 'ndarray';
import {
  designSpec,
  featuresSpec,
  type DesignSpec,
  type FeaturesSpec,
  type LabelSpec,
} from './design-spec.js';
import { encodingOf, type Unreadable } from './encoding.js';
import { columnOf, invalidCell, placeOf, recordAt, type Table } from './table.js';

/** Public facts about the features of every record, rounded up. */
export interface FeatureFacts {
  /** No row's Euclidean norm exceeds this, whatever the record. */
  readonly rowNorm: number;
  /** Smallest and largest possible entry of each column. */
  readonly featureBounds: readonly (readonly [number, number])[];
  /** Entries of a row that may differ from zero. */
  readonly sparsity: number;
}

/** Public facts about every record of a design matrix, rounded up. */
export interface DesignFacts extends FeatureFacts {
  /** Smallest and largest possible entry of a label; infinite for a numeric label. */
  readonly labelBounds: readonly [number, number];
}

/** Features `[rows, columns]`: an array whose rows follow one another, or sparse rows. */
export interface FeatureMatrix {
  readonly features: NdArray<Float64Array> | CsrMatrix;
  readonly rows: number;
  readonly columns: number;
  readonly featureNames: readonly string[];
  readonly facts: FeatureFacts;
  /** `[rows]`: 1 for a record that could not be read, whose features are 0; of `unreadable: 'null'` alone. */
  readonly nulls?: Uint8Array;
}

/** A feature matrix with one label per row: a number, a class, or `labelWidth` numbers. */
export interface Design extends FeatureMatrix {
  /** `[rows, labelWidth]`, row-major. */
  readonly labels: Float64Array;
  readonly labelWidth: number;
  readonly facts: DesignFacts;
}

/** Memory of a {@link Design}, and the selection of records. */
export interface DesignOptions {
  /** `allocate(length)` gives `length` doubles, whatever they hold. @defaultValue a new `Float64Array` */
  readonly allocate?: (length: number) => Float64Array;
  /**
   * Distinct positions of the records to take, in this order; chosen
   * without looking at the data (a public shuffle, a prefix).
   * @defaultValue every record in its order
   */
  readonly order?: Uint32Array;
  /**
   * What a record does whose label is none of those declared, or whose features are not finite: it stops the
   * reading, or stands as a null record, as those do that the table could not read. @defaultValue 'reject'
   */
  readonly unreadable?: Unreadable;
}

/** Covers the rounding of a square root, a division and a product. */
const slack = 2 ** -48;

/**
 * The design matrix and labels of a table under a JSON description. Features are moved into their declared
 * public bounds and mapped to [−1, 1] (or onto circles and indicators), so that `facts.rowNorm` holds for
 * every possible record: its square is the number of features (harmonics counted) plus 1 for the intercept,
 * or `rowNormBound` squared when smaller. A feature that keeps its unit counts by the square of its larger
 * bound in that unit instead of 1.
 *
 * @throws {InvalidParameter} for a description outside
 * {@link designSpec}, or an order that is empty, repeats or leaves the
 * table.
 * @throws {InvalidData} when a column is absent or of the wrong type; and for a record that cannot be read,
 * unless it stands as a null record.
 */
export function designMatrix(table: Table, description: DesignSpec, options: DesignOptions = {}): Design {
  const { label, ...features } = parseOrThrow(designSpec, description, 'design');
  const labelReaders = labelReadersOf(table, label);
  const made = featureMatrix(table, features, options);
  const { rows } = made;
  const labelWidth = labelReaders.length;
  const labels = (options.allocate ?? newArray)(rows * labelWidth);
  for (let index = 0; index < rows; index++) {
    const record = options.order?.[index] ?? index;
    for (let k = 0; k < labelWidth; k++) {
      const { at, problem } = labelReaders[k];
      const value = made.nulls?.[index] === 1 ? 0 : at(record);
      if (Number.isNaN(value) && made.nulls === undefined) throw problem(record);
      if (Number.isNaN(value)) defined(made.nulls)[index] = 1;
      labels[index * labelWidth + k] = Number.isNaN(value) ? 0 : value;
    }
  }
  return { ...made, labels, labelWidth, facts: { ...made.facts, labelBounds: labelBoundsOf(label) } };
}

const newArray = (length: number): Float64Array => new Float64Array(length);

/**
 * The features of {@link designMatrix} alone, for records without a label.
 *
 * @throws as {@link designMatrix}.
 */
export function featureMatrix(
  table: Table,
  description: FeaturesSpec,
  options: DesignOptions = {},
): FeatureMatrix {
  const spec = parseOrThrow(featuresSpec, description, 'design');
  const allocate = options.allocate ?? newArray;
  const nulls = nullsOf(table, options);
  if (nulls === undefined) checkFinite(table);
  checkOrder(options.order, table.rows);
  const rows = options.order?.length ?? table.rows;
  const encodings = spec.features.map((feature) => encodingOf(table, feature, options.unreadable));

  const offset = spec.intercept ? 1 : 0;
  const columns = offset + encodings.reduce((sum, { names }) => sum + names.length, 0);
  const fullNorm =
    Math.sqrt(offset + encodings.reduce((sum, { squaredNorm }) => sum + squaredNorm, 0)) * (1 + slack);
  const bound = spec.rowNormBound ?? Infinity;
  const matrix = spec.sparse ? sparseRows(rows, columns) : denseRows(allocate(rows * columns), columns);
  let next = offset;
  const writers = encodings.map(({ names, write }) => {
    const from = next;
    next += names.length;
    const put = (place: number, value: number): void => matrix.put(from + place, value);
    return (record: number): void => write(record, put);
  });
  const scale = (row: Float64Array): void => {
    if (bound < fullNorm) shrinkInPlace(row, bound, columns);
  };

  for (let index = 0; index < rows; index++) {
    const record = options.order?.[index] ?? index;
    matrix.begin(index);
    if (nulls?.[index] !== 1) {
      if (spec.intercept) matrix.put(0, 1);
      for (const write of writers) write(record);
    }
    const isKept = matrix.end(scale, nulls !== undefined);
    if (nulls !== undefined && !isKept) nulls[index] = 1;
  }
  const entryBounds = [
    ...(spec.intercept ? [[0, 1] as const] : []),
    ...encodings.flatMap(({ bounds }) => bounds),
  ];
  const filled = matrix.finish();
  return {
    features: 'rowStarts' in filled ? filled : ndarray(filled, [rows, columns]),
    rows,
    columns,
    featureNames: [...(spec.intercept ? ['intercept'] : []), ...encodings.flatMap(({ names }) => names)],
    ...(nulls === undefined ? {} : { nulls }),
    facts: {
      rowNorm: Math.min(fullNorm, bound),
      sparsity: Math.min(columns, offset + encodings.reduce((sum, { entries }) => sum + entries, 0)),
      // A row that is scaled down moves towards the origin, which bounds in units need not hold.
      featureBounds:
        bound < fullNorm
          ? entryBounds.map(
              ([lower, upper]) =>
                [Math.max(Math.min(lower, 0), -bound), Math.min(Math.max(upper, 0), bound)] as const,
            )
          : entryBounds,
    },
  };
}

/** Rows that are filled one after another, each by its entries in ascending columns. */
interface RowsInMaking {
  begin(row: number): void;
  put(column: number, value: number): void;
  /**
   * Hands the entries of the row over to be scaled; where a row may be null, one that is not finite has none.
   *
   * @returns whether the row is kept.
   */
  end(scale: (entries: Float64Array) => void, mayBeNull: boolean): boolean;
  finish(): Float64Array | CsrMatrix;
}

function denseRows(features: Float64Array, columns: number): RowsInMaking {
  let row = features.subarray(0, 0);
  return {
    begin(index) {
      row = features.subarray(index * columns, (index + 1) * columns);
      row.fill(0);
    },
    put(column, value) {
      row[column] = value;
    },
    end(scale, mayBeNull) {
      const isKept = !mayBeNull || row.every(Number.isFinite);
      if (isKept) scale(row);
      else row.fill(0);
      return isKept;
    },
    finish: () => features,
  };
}

function sparseRows(rows: number, columns: number): RowsInMaking {
  const rowStarts = new Float64Array(rows + 1);
  let columnIndices = new Uint32Array(8 * rows);
  let values = new Float64Array(8 * rows);
  let [from, at, now] = [0, 0, 0];
  return {
    begin(index) {
      now = index;
      from = at;
    },
    put(column, value) {
      if (value === 0) return;
      if (at === values.length) {
        columnIndices = grown(columnIndices, new Uint32Array(2 * at));
        values = grown(values, new Float64Array(2 * at));
      }
      columnIndices[at] = column;
      values[at++] = value;
    },
    end(scale, mayBeNull) {
      const entries = values.subarray(from, at);
      const isKept = !mayBeNull || entries.every(Number.isFinite);
      if (isKept) scale(entries);
      else at = from;
      rowStarts[now + 1] = at;
      return isKept;
    },
    finish: () => ({
      rows,
      columns,
      rowStarts,
      columnIndices: columnIndices.slice(0, at),
      values: values.slice(0, at),
    }),
  };
}

function grown<Numbers extends Uint32Array | Float64Array>(from: Numbers, to: Numbers): Numbers {
  to.set(from);
  return to;
}

/**
 * Scales a row so that its exact norm is at most `bound`; the
 * margin covers the rounding of the computed norm.
 */
function shrinkInPlace(row: Float64Array, bound: number, columns: number): void {
  const norm = Math.sqrt(row.reduce((sum, value) => sum + value * value, 0));
  const safe = bound * (1 - slack * Math.max(1, columns / 8));
  if (norm <= safe) return;
  for (let index = 0; index < row.length; index++) row[index] = (row[index] as number) * (safe / norm);
}

function labelBoundsOf(spec: LabelSpec): readonly [number, number] {
  if ('offset' in spec) return [-Infinity, Infinity];
  return 'classes' in spec ? [0, Math.max(spec.classes.length - 1, spec.other ?? 0)] : [-1, 1];
}

/** Reads a number of the label of a record: NaN where it has none, and what is wrong then. */
interface LabelReader {
  at(row: number): number;
  problem(row: number): Error;
}

/** One reader for each number of a label. */
function labelReadersOf(table: Table, spec: LabelSpec): readonly LabelReader[] {
  if (!('columns' in spec)) return [labelReader(table, spec)];
  const { columns, ...rest } = spec;
  return columns.map((column) => labelReader(table, { column, ...rest }));
}

function classReader(
  table: Table,
  { column: name, classes, other }: Extract<LabelSpec, { classes: unknown }>,
): LabelReader {
  const column = columnOf(table, name);
  assertType(column, name, classes[0]);
  const classOf = new Map(classes.map((value, at) => [value, at] as const));
  return {
    at: (row) => classOf.get(column[row] as string | number) ?? other ?? NaN,
    problem: (row) =>
      invalidCell(
        { ...placeOf(table, row), column: name, value: column[row] },
        'is none of the declared classes',
        'correct it, or declare it with the others',
      ),
  };
}

function assertType(column: Float64Array | readonly string[], name: string, value: string | number): void {
  if ((typeof value === 'string') !== column instanceof Float64Array) return;
  throw new InvalidData(
    `label '${name}': ${value} is ${typeof value === 'string' ? 'text' : 'a number'}, the column is not`,
    { column: name },
  );
}

function labelReader(table: Table, spec: Exclude<LabelSpec, { columns: unknown }>): LabelReader {
  const column = columnOf(table, spec.column);
  if ('classes' in spec) return classReader(table, spec);
  if ('equals' in spec) {
    assertType(column, spec.column, spec.equals);
    return always(table, (row) => (column[row] === spec.equals ? 1 : -1));
  }
  if (!(column instanceof Float64Array))
    throw invalidCell(
      { row: 1, column: spec.column, value: column[0] },
      'is text; the label must be a number',
    );
  if ('threshold' in spec) return always(table, (row) => ((column[row] as number) > spec.threshold ? 1 : -1));
  return {
    at(row) {
      const label = ((column[row] as number) - spec.offset) / spec.unit;
      return Number.isFinite(label) ? label : NaN;
    },
    problem: (row) =>
      invalidCell(
        { ...placeOf(table, row), column: spec.column, value: column[row] },
        'overflows as a label; choose a larger unit',
      ),
  };
}

/** A reader that finds a label in every record. */
const always = (table: Table, at: LabelReader['at']): LabelReader => ({
  at,
  problem: (row) => new InvalidData(`${recordAt(table, row)} has no label`, { row: row + 1 }),
});

/** Flags of null records, those that the table could not read marked; none where these are refused. */
function nullsOf(table: Table, { unreadable, order }: DesignOptions): Uint8Array | undefined {
  if (unreadable !== 'null') {
    if (table.unreadable === undefined) return undefined;
    throw new InvalidParameter(
      "the table has records that could not be read; give unreadable: 'null' to the design too",
      {},
    );
  }
  const flags = new Uint8Array(table.rows);
  for (const row of table.unreadable ?? []) flags[row] = 1;
  return order === undefined ? flags : Uint8Array.from(order, (row) => flags[row]);
}

function checkFinite(table: Table): void {
  for (const [name, column] of table.columns) {
    if (!(column instanceof Float64Array)) continue;
    const bad = column.findIndex((value) => !Number.isFinite(value));
    if (bad >= 0)
      throw invalidCell({ row: bad + 1, column: name, value: column[bad] }, 'is not a finite number');
  }
}

/** A record taken twice would count twice, whatever the sensitivity says. */
function checkOrder(order: Uint32Array | undefined, rows: number): void {
  if (order === undefined) return;
  const taken = new Uint8Array(rows);
  if (order.length === 0) throw new InvalidParameter('the order takes no record; give at least one position');
  order.forEach((record, at) => {
    if (record >= rows || taken[record] === 1) {
      throw new InvalidParameter(
        `position ${at} of the order is ${record}; positions must be distinct and below ${rows}`,
        { at, record, rows },
      );
    }
    taken[record] = 1;
  });
}
