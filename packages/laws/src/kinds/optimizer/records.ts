import type { Adjacency, Loss, RecordView } from '@lethe/core';
import { defined } from '@lethe/numerics';

/** A record as plain data. */
export interface PlainRecord {
  readonly features: readonly number[];
  readonly label: number;
}
/** Records in slot order; `null` is the null record. */
export type Records = readonly (PlainRecord | null)[];

/** Labels from -1 to 1 that a loss accepts; some losses take two, some any, and some one alone. */
export const labelsOf = ({ labels }: Pick<Loss, 'labels'>, params: unknown): readonly number[] =>
  (labels.width?.(params) ?? 1) === 1
    ? [1, -1, 0, 0.5, -0.25].filter((label) => labels.accepts(label, params))
    : [];

/** The record for a loss. */
export const viewOf = ({ features, label }: PlainRecord): RecordView => ({
  features: Float64Array.from(features),
  label,
});

interface Shape {
  readonly slots: number;
  readonly dimension: number;
  readonly labels: readonly number[];
}

const axis = (dimension: number, at: number, length: number): readonly number[] =>
  Array.from({ length: dimension }, (_, j) => (j === at % dimension ? length : 0));

export type DataSetName = 'spread' | 'alike' | 'at rest' | 'canary' | 'null records';

/**
 * Data sets within the unit ball that an optimizer might treat differently:
 * spread out, all alike, at rest, with a canary, with null records.
 */
export function dataSets({ slots, dimension, labels }: Shape): Readonly<Record<DataSetName, Records>> {
  const label = (i: number): number => labels[i % labels.length];
  const each = (of: (i: number) => PlainRecord | null): Records =>
    Array.from({ length: slots }, (_, i) => of(i));
  const canary: PlainRecord = { features: axis(dimension, 0, -1), label: label(1) };
  return {
    spread: each((i) => ({
      features: axis(dimension, i, (i % 2 === 0 ? 1 : -1) * (1 - (i % 3) / 4)),
      label: label(i),
    })),
    alike: each(() => ({ features: axis(dimension, 0, 1), label: label(0) })),
    'at rest': each(() => ({ features: axis(dimension, 0, 0), label: label(0) })),
    canary: each((i) => (i === 0 ? canary : { features: axis(dimension, 0, 1), label: label(0) })),
    'null records': each((i) =>
      i % 3 === 1 ? null : { features: axis(dimension, i, 0.5), label: label(i) },
    ),
  };
}

/**
 * Data sets that differ from `records` in one record as the
 * adjacency allows; under add-remove also in their number.
 */
export function neighboursOf(
  adjacency: Adjacency,
  records: Records,
  labels: readonly number[],
): readonly (readonly [string, Records])[] {
  const at = Math.min(3, records.length - 1);
  const changed = records[at] ?? defined(records[0]);
  const opposite: PlainRecord = {
    features: changed.features.map((x) => -x + 0),
    label: labels[1 % labels.length],
  };
  if (adjacency === 'add-remove')
    return [
      ['one record less', records.toSpliced(at, 1)],
      ['one record more', records.toSpliced(at, 0, opposite)],
    ];
  if (adjacency === 'zero-out') return [['one record nulled', records.with(at, null)]];
  return [
    ['one record replaced by its opposite', records.with(at, opposite)],
    [
      'one record replaced by zero',
      records.with(at, { features: changed.features.map(() => 0), label: changed.label }),
    ],
  ];
}
