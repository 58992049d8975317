import type { Norm } from '@lethe/core';
import {
  createArena,
  numbersIn,
  rowNorm,
  rowNorms,
  type Arena,
  type MatrixView,
  type Numbers,
  type Precision,
} from '@lethe/numerics';
import { pageLength, type CheckedPages } from './checked-pages.js';
import type { DataSet, PagedRecords, Part } from './attached.js';
import type { Rows } from './members.js';

/** Rows that kernels add up together. */
const chunk = 1024;

/**
 * The rows as parts that are in memory; of records in memory, all of them at once.
 *
 * @param step - Rows that are summed up together. @defaultValue those of a chunk of the kernels
 */
export function* partsOf(data: DataSet, rows: Rows, step = chunk): Generator<Part, void, undefined> {
  if (data.paged === null) yield { data, rows };
  else yield* data.paged.parts(rows, step);
}

/** Features and labels of records that are kept outside memory, once they are within their bounds. */
export interface PagedParts {
  readonly rows: number;
  readonly features: CheckedPages;
  readonly labels: CheckedPages;
  /** Bits of a number of the features. */
  readonly precision: Precision;
  /** `[rows]`. */
  readonly nulls: Uint8Array | null;
  /** What a part has of the whole. */
  readonly common: Omit<
    DataSet,
    | 'matrix'
    | 'stored'
    | 'labels'
    | 'norms'
    | 'normsIn'
    | 'nulls'
    | 'sparse'
    | 'sumMemory'
    | 'sparePoints'
    | 'paged'
    | 'slots'
  >;
}

/** Numbers of the rows that are in memory at once, where that is enough rows. */
const windowLength = 2 ** 20;

/** The least rows in memory for parts of `step` rows: a part may begin inside a page. */
export const windowRows = (columns: number, step = chunk): number =>
  pageLength * Math.ceil(Math.max(windowLength / columns, pageLength + step) / pageLength);

/** Rows of which there is room in memory. */
interface Window {
  /** The first row, and how many there are: those of whole pages. */
  from: number;
  count: number;
  readonly capacity: number;
  readonly features: Numbers;
  readonly labels: Float64Array;
  readonly norms: Float64Array;
}

/** Records that are read part by part, in memory that is used again. */
export function pagedRecords({
  rows: all,
  features,
  labels,
  precision,
  nulls,
  common,
}: PagedParts): PagedRecords {
  const { columns, labelWidth } = common;
  let window: Window | undefined;
  let isLent = false;

  const windowFor = (step: number): Window => {
    const enough = pageLength * Math.ceil(Math.max(all, step) / pageLength);
    const capacity = Math.min(windowRows(columns, step), enough);
    if (window === undefined || window.capacity < capacity)
      window = windowIn(createArena({ doubles: roomFor(capacity), width: columns }), capacity);
    return window;
  };
  const roomFor = (rows: number): number =>
    Math.ceil((rows * columns * precision) / 64) + rows * (labelWidth + 1) + 64;
  const windowIn = (arena: Arena, capacity: number): Window => ({
    from: 0,
    count: 0,
    capacity,
    features: numbersIn(arena, capacity * columns, precision),
    labels: arena.allocate(capacity * labelWidth),
    norms: arena.allocate(capacity),
  });
  const view = ({ features: data }: Window, from: number, rows: number): MatrixView => ({
    data,
    rows,
    columns,
    offset: from * columns,
    rowStride: columns,
    columnStride: 1,
  });

  /** Reads the rows from that of `row`'s page on; rows that are there already are moved. */
  const load = (into: Window, row: number): void => {
    const from = pageLength * Math.floor(row / pageLength);
    const kept = from >= into.from ? Math.max(0, into.from + into.count - from) : 0;
    for (const [numbers, width] of [
      [into.features, columns],
      [into.labels, labelWidth],
      [into.norms, 1],
    ] as const)
      if (kept > 0) numbers.copyWithin(0, (from - into.from) * width, (from - into.from + kept) * width);
    const count = Math.min(into.capacity, all - from);
    // Nothing counts as there while it is read: reading may fail.
    into.count = 0;
    into.from = from;
    if (kept < count) {
      features.read((from + kept) * columns, into.features.subarray(kept * columns, count * columns));
      labels.read((from + kept) * labelWidth, into.labels.subarray(kept * labelWidth, count * labelWidth));
      rowNorms(view(into, kept, count - kept), into.norms.subarray(kept, count));
    }
    into.count = count;
  };

  /** Reads single rows to the places of a list of them, in the order in which they lie. */
  const gather = (into: Window, rows: Uint32Array, isAscending: boolean): void => {
    into.count = 0;
    const order = Uint32Array.from({ length: rows.length }, (_, i) => i);
    if (!isAscending) order.sort((a, b) => rows[a] - rows[b]);
    for (const i of order) {
      features.readAny(rows[i] * columns, into.features.subarray(i * columns, (i + 1) * columns));
      labels.readAny(rows[i] * labelWidth, into.labels.subarray(i * labelWidth, (i + 1) * labelWidth));
    }
    rowNorms(view(into, 0, rows.length), into.norms.subarray(0, rows.length));
  };

  const partOf = (of: Window, count: number, ownNulls: Uint8Array | null): DataSet => {
    const matrix = { ...view(of, 0, count), whole: all };
    const norms = of.norms.subarray(0, count);
    return Object.freeze({
      ...common,
      slots: count,
      matrix,
      stored: matrix,
      labels: of.labels.subarray(0, count * labelWidth),
      norms,
      normsIn: (norm: Norm) =>
        norm === 'l2' ? norms : Float64Array.from({ length: count }, (_, row) => rowNorm(matrix, row, norm)),
      nulls: ownNulls,
      sparse: null,
      sumMemory: null,
      sparePoints: [],
      paged: null,
    });
  };

  function* stretch(into: Window, from: number, to: number, step: number): Generator<Part> {
    for (let at = from; at < to || at === from;) {
      const left = (): number => into.from + into.count - at;
      const isHere = at >= into.from && left() > 0;
      if (!isHere || (left() < step && into.from + into.count < to)) load(into, at);
      const count = at + left() >= to ? to - at : step * Math.floor(left() / step);
      const { from: first } = into;
      yield {
        data: partOf(into, into.count, nulls?.subarray(first, first + into.count) ?? null),
        rows: { from: at - first, to: at - first + count },
      };
      at += count;
      if (count === 0) return;
    }
  }

  function* list(into: Window, rows: Uint32Array, step: number): Generator<Part> {
    const isAscending = ascends(rows);
    const most = step * Math.floor(into.capacity / step);
    let at = 0;
    do {
      const first = at < rows.length ? pageLength * Math.floor(rows[at] / pageLength) : 0;
      // Where many of the rows are wanted, all are read.
      const near = isAscending ? placeIn(rows, first + into.capacity, at) - at : 0;
      const close = at + near === rows.length ? near : step * Math.floor(near / step);
      if (close > 0 && dense * close > rows[at + close - 1] - first) {
        load(into, rows[at]);
        yield {
          data: partOf(into, into.count, nulls?.subarray(first, first + into.count) ?? null),
          rows: rows.subarray(at, at + close).map((row) => row - first),
        };
        at += close;
      } else {
        const some = rows.subarray(at, Math.min(rows.length, at + most));
        gather(into, some, isAscending);
        yield {
          data: partOf(into, some.length, nulls && Uint8Array.from(some, (row) => nulls[row])),
          rows: Uint32Array.from({ length: some.length }, (_, i) => i),
        };
        at += some.length;
      }
    } while (at < rows.length);
  }

  return {
    *parts(rows, step) {
      if (isLent) throw new Error('parts of one data set are read one after the other');
      isLent = true;
      try {
        const into = windowFor(step);
        if (rows instanceof Uint32Array) yield* list(into, rows, step);
        else yield* stretch(into, rows.from, rows.to, step);
      } finally {
        isLent = false;
      }
    },
  };
}

/** A list of rows with more than one of so many is read as a stretch. */
const dense = 8;

function ascends(rows: Uint32Array): boolean {
  for (let i = 1; i < rows.length; i++) if (rows[i] < rows[i - 1]) return false;
  return true;
}

/** The first place from `from` on where an ascending list has `least` or more. */
function placeIn(rows: Uint32Array, least: number, from: number): number {
  let [low, high] = [from, rows.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (rows[middle] < least) low = middle + 1;
    else high = middle;
  }
  return low;
}
