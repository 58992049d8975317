import fc, { type Arbitrary } from 'fast-check';
import { vectorOf, type Row, type VectorShape } from './vectors.js';

/** Numbers that arithmetic treats unlike others. For robustness only: a bound may be void at them. */
export const specialNumbers: readonly number[] = [NaN, Infinity, -Infinity, -0, 5e-324, -5e-324, Number.MAX_VALUE, -Number.MAX_VALUE];

/** One of {@link specialNumbers}. */
export const specialNumber: Arbitrary<number> = fc.constantFrom(...specialNumbers);

/** Vectors of {@link vectorOf} with special numbers at one to all places; shrinks to NaN in the first. */
export const specialVectorOf = (shape: VectorShape): Arbitrary<Row> => {
  const places = fc.uniqueArray(fc.nat(shape.dimension - 1), { minLength: 1, maxLength: shape.dimension, size: 'max' });
  return fc.tuple(vectorOf(shape), places, specialNumber, specialNumber).map(([row, at, one, another]) => at.reduce<Row>((spoilt, j, i) => spoilt.with(j, i === 0 ? one : another), row));
};

/** The same with a NaN or an infinity for certain: what a clip must turn into zero. */
export const notFiniteVectorOf = (shape: VectorShape): Arbitrary<Row> =>
  fc.tuple(specialVectorOf(shape), fc.nat(shape.dimension - 1), fc.constantFrom(NaN, Infinity, -Infinity)).map(([row, at, bad]) => row.with(at, bad));
