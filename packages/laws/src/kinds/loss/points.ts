import type { FusedSum, Loss, RecordView, Vector } from '@lethe/core';
import fc, { type Arbitrary } from 'fast-check';
import { onAxis, vectorOf } from '../../arbitraries/vectors.js';
import { normOf } from '../../engines/norms.js';
import type { Subject } from '../../law/subject.js';

/** Features of the records that laws about single records look at. */
export const columns = 3;
/** Entries of a point for records of so many columns. */
export const dimensionOf = ({ plugin, params }: Subject<'loss'>, given = columns): number =>
  plugin.iterateDimension(params, given);

/** The fused sum that a loss brings. */
export const fusedOf = ({ plugin, params }: Subject<'loss'>): FusedSum | undefined =>
  (plugin.linear ?? plugin.multiOutput)?.fused?.(params);

const candidates = [1, -1, 0, 0.5, -0.25, 2, 3, -7, 10, 1e-3, -1e-3, 100, -1e3, 2e5];
type Labelled = { readonly plugin: Pick<Loss, 'labels'>; readonly params: unknown };
/** Direction of labels that are vectors: `label` times it, which has norm 1. */
const pattern = (width: number): readonly number[] => {
  const entries = Array.from({ length: width }, (_, k) => [1, -0.5, 0.25][k % 3]);
  const size = normOf('l2', entries);
  return entries.map((entry) => entry / size);
};
const widthOf = ({ plugin, params }: Labelled): number => plugin.labels.width?.(params) ?? 1;
/** The entries of a label of so much. */
export const labelEntries = (of: Labelled, label: number): readonly number[] =>
  widthOf(of) === 1 ? [label] : pattern(widthOf(of)).map((entry) => entry * label);
/** Whether a loss accepts a label; of a vector each of its entries. */
export const accepts = (of: Labelled, label: number): boolean =>
  labelEntries(of, label).every((entry) => of.plugin.labels.accepts(entry, of.params));

/** Labels the loss accepts, among usual ones; the sizes of vectors, where labels are vectors. */
export const acceptedLabels = (of: Labelled, bound = Infinity): readonly number[] =>
  candidates.filter((label) => Math.abs(label) <= bound && accepts(of, label));
/** Why these laws cannot speak of a loss. */
export const withoutLabels = (subject: Subject<'loss'>): string | undefined =>
  acceptedLabels(subject).length > 0
    ? undefined
    : `it accepts none of the labels ${candidates.join(', ')}, which are all these laws know`;

/** A point and a record. */
export interface At {
  readonly w: readonly number[];
  readonly x: readonly number[];
  readonly label: number;
}

const turns = [1, -1, 0.5];
/**
 * The point that has the features, times a factor and turned in each
 * block of as many entries: margins are as large as they can be.
 */
export const along = (subject: Subject<'loss'>, x: readonly number[], factor: number): readonly number[] =>
  Array.from(
    { length: dimensionOf(subject, x.length) },
    (_, i) => x[i % x.length] * factor * turns[Math.floor(i / x.length) % 3] + 0,
  );

/** Directions of steps: axes, all entries, and some signs and sizes. */
export function directionsOf(subject: Subject<'loss'>): readonly (readonly number[])[] {
  const dimension = dimensionOf(subject);
  const axes = [...new Set([0, 1, 2, Math.floor(dimension / 2), dimension - 1])].filter((j) => j < dimension);
  return [
    ...axes.map((j) => onAxis(dimension, j, 1)),
    Array.from({ length: dimension }, () => 1),
    Array.from({ length: dimension }, (_, j) => [1, -2, 3][j % 3]),
  ];
}

/**
 * Points and records over many scales; points along the features
 * now and then, so that margins are as large as they can be.
 */
export function points(subject: Subject<'loss'>, scale = 1): Arbitrary<At> {
  const dimension = dimensionOf(subject);
  const labels = acceptedLabels(subject);
  const free = fc.record(
    {
      w: vectorOf({ dimension, scale: 2 * scale }),
      x: vectorOf({ dimension: columns, scale }),
      label: fc.constantFrom(...labels),
    },
    { noNullPrototype: true },
  );
  const aligned = fc
    .tuple(free, fc.constantFrom(1, -1, 8, -8, 64, -64, 1024, -1024))
    .map(([at, factor]): At => ({ ...at, w: along(subject, at.x, factor) }));
  return fc
    .oneof({ withCrossShrink: true }, { weight: 3, arbitrary: free }, { weight: 1, arbitrary: aligned })
    .filter((at) => normOf('l2', at.w) < 1e9 && normOf('l2', at.x) < 1e9 && isWithinReach(subject, at));
}

/** Margins from far below to far above zero, for every label. */
export const margins = (subject: Subject<'loss'>): readonly At[] =>
  [0, 0.1, 1, -1, 5, -5, 40, -40, 700, -700, 1e4, -1e4]
    .flatMap((margin) =>
      acceptedLabels(subject)
        .slice(0, 4)
        .map((label): At => ({
          w: onAxis(dimensionOf(subject), 0, margin),
          x: onAxis(columns, 0, 1),
          label,
        })),
    )
    .filter((at) => isWithinReach(subject, at));

export const recordAt = (subject: Labelled, { x, label }: Pick<At, 'x' | 'label'>): RecordView => {
  const entries = labelEntries(subject, label);
  return {
    features: Float64Array.from(x),
    label: entries[0],
    ...(entries.length === 1 ? {} : { labels: Float64Array.from(entries) }),
  };
};
export const valueAt = (
  { plugin, params }: Subject<'loss'>,
  w: ArrayLike<number>,
  record: RecordView,
): number => plugin.value(params, Float64Array.from(w), record);
export function gradientAt(
  { plugin, params }: Subject<'loss'>,
  w: ArrayLike<number>,
  record: RecordView,
): Vector {
  const out = new Float64Array(w.length).fill(Number.NaN);
  plugin.gradientInto(params, out, Float64Array.from(w), record);
  return out;
}
export const inner = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a).reduce((sum, value, j) => sum + value * b[j], 0);
export const norm = (a: ArrayLike<number>): number => normOf('l2', a);
/** The point `step` further in a direction. */
export const moved = (w: ArrayLike<number>, direction: ArrayLike<number>, step: number): readonly number[] =>
  Array.from(w, (value, j) => value + step * direction[j]);

const factsNear = (
  { plugin, params }: Subject<'loss'>,
  { w, x, label }: At,
  reach: number,
): ReturnType<Loss['facts']> =>
  plugin.facts(params, {
    columns: x.length,
    featureNorm: norm(x),
    labelBound: Math.abs(label),
    iterateNorm: norm(w) + reach,
  });

/**
 * Constant with which the gradients of a record change near a
 * point, where the loss states one of bounded records.
 */
export const stiffnessNear = (subject: Subject<'loss'>, at: At, reach: number): number | undefined =>
  factsNear(subject, at, reach)['smoothness']?.value;

/**
 * A loss that is smooth on bounded sets only may overflow outside: it is asked where it states a finite
 * constant of points and records of that size.
 */
export const isWithinReach = (subject: Subject<'loss'>, at: At): boolean =>
  subject.plugin.capabilities.smooth !== 'bounded' || stiffnessNear(subject, at, 8) !== undefined;

/** Why nothing is known of what the gradient of a loss must be. */
export const withoutShape = (subject: Subject<'loss'>): string | undefined => {
  const {
    capabilities: { convex, smooth },
  } = subject.plugin;
  return convex === true ||
    smooth === true ||
    stiffnessNear(subject, { w: onAxis(dimensionOf(subject), 0, 1), x: [1, 0, 0], label: 1 }, 1) !== undefined
    ? undefined
    : 'it is said to be neither convex nor smooth, not even on bounded sets; ' +
        'what its gradient must be is not known';
};

/** What a value may be off by, as a share of it and of 1: the contract of a loss says so. */
export const valueRounding = 2 ** -42;
