import fc, { type Arbitrary } from 'fast-check';
import { along, onAxis, vectorOf, type Row } from '../../arbitraries/vectors.js';
import type { RandomSource } from '@lethe/core';
import type { Subject } from '../../law/subject.js';
import { clipped, lengthsOf, radiusOf } from './apply.js';

/** Centre of the tested norms: the radius, limited to leave room on both sides. */
export const scaleOf = (subject: Subject<'clip'>): number =>
  Math.min(1e250, Math.max(1e-250, radiusOf(subject)));

/** Vectors of every length that the clip accepts, with norms around its radius. */
export const vectorsFor = (subject: Subject<'clip'>, most = Infinity): Arbitrary<Row> => {
  const { norm } = subject.plugin;
  return fc
    .constantFrom(...lengthsOf(subject, most))
    .chain((dimension) => vectorOf({ dimension, scale: scaleOf(subject), norm }));
};

const decimal = fc
  .tuple(fc.integer({ min: -9, max: 9 }), fc.integer({ min: -300, max: 300 }))
  .map(([digit, exponent]) => digit * 10 ** exponent);
const edge = fc.constantFrom(Number.MAX_VALUE, -Number.MAX_VALUE, 5e-324, -5e-324, 1e160, -1e160, 1e-160, 0);

/**
 * The same, with vectors whose norms or squares overflow or
 * vanish in doubles, or with entries of unrelated sizes.
 */
export const anyVectorsFor = (subject: Subject<'clip'>): Arbitrary<Row> => {
  const { norm } = subject.plugin;
  const filled =
    (entry: Arbitrary<number>) =>
    (length: number): Arbitrary<Row> =>
      fc.array(entry, { minLength: length, maxLength: length, size: 'max' });
  const length = fc.constantFrom(...lengthsOf(subject));
  const far = fc
    .tuple(length, fc.constantFrom(1e-240, 1e-160, 1e160, 1e240))
    .chain(([dimension, scale]) => vectorOf({ dimension, scale, norm }));
  return fc.oneof(
    { withCrossShrink: true },
    { weight: 6, arbitrary: vectorsFor(subject) },
    { weight: 2, arbitrary: far },
    { weight: 1, arbitrary: length.chain(filled(decimal)) },
    { weight: 1, arbitrary: length.chain(filled(edge)) },
  );
};

/**
 * An axis, a diagonal and a direction with distinct entries, of each length up to 17 that the clip accepts.
 */
const plainDirections = (subject: Subject<'clip'>): readonly Row[] =>
  lengthsOf(subject, 17).flatMap((length) => [
    onAxis(length, length - 1, -1),
    Array.from({ length }, () => 1),
    Array.from({ length }, (_, j) => j + 1),
  ]);

/** Vectors with norms of the given multiples of the radius. */
export const radiiLong = (subject: Subject<'clip'>, sizes: readonly number[]): readonly Row[] =>
  plainDirections(subject).flatMap((row) =>
    sizes.map((size) => along(row, size * radiusOf(subject), subject.plugin.norm)),
  );

/**
 * Clips of long vectors, longer than the radius by a quarter down
 * to 2^-48: only these show a tolerance in the test for "inside".
 */
export const justOutside = (subject: Subject<'clip'>): readonly Row[] =>
  radiiLong(subject, [2 ** 20]).flatMap((row) => {
    const clippedRow = clipped(subject, row);
    return Array.from({ length: 12 }, (_, i): Row =>
      Array.from(clippedRow, (x) => x * (1 + 2 ** (-4 * i - 2))),
    );
  });

/** All lengths that code in blocks of up to 64 entries may treat apart, and those around longer blocks. */
const everyLength: readonly number[] = [
  ...Array.from({ length: 130 }, (_, i) => i + 1),
  ...[8, 9, 10, 11, 12].flatMap((k) => [2 ** k - 1, 2 ** k, 2 ** k + 1]),
  1_003,
  70_001,
];

/**
 * Directions of every length that the clip accepts up to 130, of lengths around powers of 2, and of a dozen
 * drawn ones up to 4000, none of them above `most`: an axis, two entries, all of them equal, all of them
 * distinct.
 */
export function directionsOfEveryLength(
  subject: Subject<'clip'>,
  random: RandomSource,
  most = 70_001,
): readonly Row[] {
  const drawn = Array.from({ length: 12 }, () => 131 + random.integer(3_870));
  const only = subject.plugin.vectorLength?.(subject.params);
  return (
    only === undefined ? [...everyLength, ...drawn].filter((length) => length <= most) : [only]
  ).flatMap((length) => {
    const last = onAxis(length, length - 1, -1);
    const ones = Array.from({ length }, () => 1);
    return [last, onAxis(length, length >> 1, 1), last.with(0, 1), ones, ones.map((_, j) => j + 1)];
  });
}
