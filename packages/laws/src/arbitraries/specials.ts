import fc, { type Arbitrary } from 'fast-check';
import { vectorOf, type Row, type VectorShape } from './vectors.js';

/** Numbers with special behaviour in arithmetic. For robustness only: bounds may not hold for them. */
export const specialNumbers: readonly number[] = [
  NaN,
  Infinity,
  -Infinity,
  -0,
  5e-324,
  -5e-324,
  Number.MAX_VALUE,
  -Number.MAX_VALUE,
];

/** One of {@link specialNumbers}. */
export const specialNumber: Arbitrary<number> = fc.constantFrom(...specialNumbers);

/** Vectors of {@link vectorOf} with special numbers at one or more positions; shrinks to NaN at the first. */
export const specialVectorOf = (shape: VectorShape): Arbitrary<Row> => {
  const places = fc.uniqueArray(fc.nat(shape.dimension - 1), {
    minLength: 1,
    maxLength: shape.dimension,
    size: 'max',
  });
  return fc
    .tuple(vectorOf(shape), places, specialNumber, specialNumber)
    .map(([row, at, one, another]) =>
      at.reduce<Row>((spoilt, j, i) => spoilt.with(j, i === 0 ? one : another), row),
    );
};

/** The same with at least one NaN or infinity, which a clip must replace by zero. */
export const notFiniteVectorOf = (shape: VectorShape): Arbitrary<Row> =>
  fc
    .tuple(specialVectorOf(shape), fc.nat(shape.dimension - 1), fc.constantFrom(NaN, Infinity, -Infinity))
    .map(([row, at, bad]) => row.with(at, bad));
