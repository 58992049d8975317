import type { Loss, Owners, RecordDomain, Resolved } from '@lethe/core';
import {
  InvalidData,
  InvalidParameter,
  type CsrMatrix,
  type MatrixView,
  type Numbers,
} from '@lethe/numerics';

/**
 * @throws {InvalidParameter} for numbers that are none, and as many owners as there are not rows. @throws
 * {InvalidData} for an owner beyond the slots.
 */
export function checkedOwners(owners: Owners, rows: number): Owners {
  const { of, slots, most } = owners;
  for (const [name, value] of Object.entries({ slots, most }))
    if (!Number.isSafeInteger(value) || value < 1)
      throw new InvalidParameter(`owners.${name} is ${String(value)}; it must be a positive whole number`, {
        [name]: String(value),
      });
  if (!(of instanceof Uint32Array) || of.length !== rows)
    throw new InvalidParameter(`owners.of must be a Uint32Array with an owner for each of ${rows} rows`, {
      rows,
    });
  const own = of.slice();
  const bad = own.findIndex((owner) => owner >= slots);
  if (bad >= 0)
    throw new InvalidData(`the owner of row ${bad} is ${own[bad]}, and there are slots 0 to ${slots - 1}`, {
      row: bad,
      column: 'owner',
      value: own[bad],
    });
  return { of: own, slots, most };
}

/** Records by row, with the loss that is about them. */
export interface ByRow {
  readonly matrix: MatrixView | CsrMatrix;
  readonly columns: number;
  readonly labels: Float64Array;
  readonly labelWidth: number;
  readonly nulls: Uint8Array | null;
  readonly loss: Resolved<Loss>;
}

/**
 * The records of each owner side by side as one record, and their average loss as its loss. A constant of
 * every record's loss is one of the average, so that all that holds of records holds of owners.
 */
export function byOwner(
  given: ByRow,
  { of, slots, most }: Owners,
): Omit<ByRow, 'matrix'> & { readonly matrix: MatrixView } {
  const { matrix, columns, labels, labelWidth, nulls, loss } = given;
  const wide = most * columns;
  const width = 1 + most * labelWidth;
  const isSingle = 'data' in matrix && matrix.data instanceof Float32Array;
  const features = isSingle ? new Float32Array(slots * wide) : new Float64Array(slots * wide);
  const own = new Float64Array(slots * width);
  for (let row = 0; row < of.length; row++) {
    const slot = of[row];
    const count = own[slot * width];
    if (nulls?.[row] === 1 || count >= most) continue;
    copyRow(
      matrix,
      row,
      features.subarray(slot * wide + count * columns, slot * wide + (count + 1) * columns),
    );
    own.set(labels.subarray(row * labelWidth, (row + 1) * labelWidth), slot * width + 1 + count * labelWidth);
    own[slot * width] = count + 1;
  }
  return {
    matrix: { data: features, rows: slots, columns: wide, offset: 0, rowStride: wide, columnStride: 1 },
    columns: wide,
    labels: own,
    labelWidth: width,
    nulls: Uint8Array.from({ length: slots }, (_, slot) => (own[slot * width] === 0 ? 1 : 0)),
    loss: { plugin: averageOf(loss.plugin, most, columns, labelWidth), params: loss.params },
  };
}

function copyRow(matrix: MatrixView | CsrMatrix, row: number, out: Numbers): void {
  if ('rowStarts' in matrix) {
    for (let k = matrix.rowStarts[row]; k < matrix.rowStarts[row + 1]; k++)
      out[matrix.columnIndices[k]] = matrix.values[k];
    return;
  }
  const start = matrix.offset + row * matrix.rowStride;
  for (let j = 0; j < out.length; j++) out[j] = matrix.data[start + j * matrix.columnStride];
}

/** Records of a slot that holds all of one owner's, one after the other. */
export interface OwnerParts {
  /** How many the owner has. */
  count(record: Parameters<Loss['value']>[2]): number;
  /** Adds the average gradient of the records from `first` to before `end`, or the last one, to `out`. */
  gradientInto(
    params: unknown,
    out: Float64Array,
    about: {
      readonly at: Float64Array;
      readonly record: Parameters<Loss['value']>[2];
      readonly first: number;
      readonly end: number;
    },
  ): void;
}
const partsOf = new WeakMap<Loss, OwnerParts>();
/** The parts of a loss of owners; `undefined` for a loss of records. */
export const ownerParts = (loss: Loss): OwnerParts | undefined => partsOf.get(loss);

/** `(1/m) Σ` of the loss over the m records of an owner. */
function averageOf(inner: Loss, most: number, columns: number, labelWidth: number): Loss {
  type Record = Parameters<Loss['value']>[2];
  const each = (
    { features, labels }: Record,
    use: (record: Record, share: number) => void,
    first = 0,
    end = Infinity,
  ): void => {
    const all = labels ?? new Float64Array(1);
    const last = Math.min(end, all[0]);
    for (let k = first; k < last; k++) {
      const own = all.slice(1 + k * labelWidth, 1 + (k + 1) * labelWidth);
      const record = {
        features: features.subarray(k * columns, (k + 1) * columns),
        label: own[0],
        ...(labelWidth === 1 ? {} : { labels: own }),
      };
      use(record, 1 / (last - first));
    }
  };
  const narrow = (domain: RecordDomain): RecordDomain => ({ ...domain, columns: domain.columns / most });
  const { optimum: _optimum, ...kept } = inner;
  const average = Object.freeze({
    ...kept,
    name: inner.name,
    linear: null,
    multiOutput: null,
    capabilities: { ...inner.capabilities, linear: false },
    labels: { ...inner.labels, width: () => 1 + most * labelWidth },
    iterateDimension: (params: never, wide: number) => inner.iterateDimension(params, wide / most),
    value(params: never, at: Float64Array, record: Record) {
      let sum = 0;
      each(record, (one, share) => {
        sum += share * inner.value(params, at, one);
      });
      return sum;
    },
    gradientInto(params: never, out: Float64Array, at: Float64Array, record: Record) {
      const gradient = new Float64Array(out.length);
      out.fill(0);
      each(record, (one, share) => {
        gradient.fill(0);
        inner.gradientInto(params, gradient, at, one);
        for (let j = 0; j < out.length; j++) out[j] += share * gradient[j];
      });
    },
    facts(params: never, domain: RecordDomain) {
      // Entries of several records differ from zero where any of them does.
      const { sparsity: _sparsity, ...facts } = inner.facts(params, narrow(domain));
      return facts;
    },
  }) as Loss;
  partsOf.set(average, {
    count: ({ labels }) => labels?.[0] ?? 0,
    gradientInto(params, out, { at, record, first, end }) {
      const gradient = new Float64Array(out.length);
      each(
        record,
        (one, share) => {
          gradient.fill(0);
          inner.gradientInto(params as never, gradient, at, one);
          for (let j = 0; j < out.length; j++) out[j] += share * gradient[j];
        },
        first,
        end,
      );
    },
  });
  return average;
}
