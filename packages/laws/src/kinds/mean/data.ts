import fc, { type Arbitrary } from 'fast-check';
import { dataOf, type Data } from '../../arbitraries/vectors.js';
import { declaredNorm, scaleAt, shapesOf, type CentralSubject, type Shape } from './release.js';

/** Records for every slot of a release of one of the shapes the mean takes. */
export interface Batch {
  readonly shape: Shape;
  readonly data: Data;
}

/** Full batches around the scale of the mean, null records among them. */
export const batchesFor = (subject: CentralSubject, nulls = true): Arbitrary<Batch> =>
  fc.constantFrom(...shapesOf(subject)).chain((shape) =>
    dataOf({
      dimension: shape.dimension,
      scale: scaleAt(subject, shape),
      norm: declaredNorm(subject),
      rows: shape.slots,
      fewest: shape.slots,
      nulls,
    }).map((data) => ({ shape, data })),
  );

/** Two full batches of one shape. */
export const batchPairsFor = (subject: CentralSubject): Arbitrary<readonly [Batch, Batch]> =>
  batchesFor(subject).chain((first) => {
    const { shape } = first;
    return dataOf({
      dimension: shape.dimension,
      scale: scaleAt(subject, shape),
      norm: declaredNorm(subject),
      rows: shape.slots,
      fewest: shape.slots,
      nulls: true,
    }).map((data): readonly [Batch, Batch] => [first, { shape, data }]);
  });

/** The same bits, length included. */
export const same = (a: ArrayLike<number>, b: ArrayLike<number>): boolean =>
  a.length === b.length && Array.from(a).every((x, j) => Object.is(x, b[j]));

/** A few entries, for messages. */
export const few = (vector: ArrayLike<number>): string =>
  `[${Array.from(vector).slice(0, 8).join(', ')}${vector.length > 8 ? ', …' : ''}]`;
