import type { Moment, Norm } from '@lethe/core';
import fc, { type Arbitrary } from 'fast-check';
import { along, onAxis, vectorOf, type Row, type VectorShape } from '../../arbitraries/vectors.js';
import { normOf } from '../../engines/norms.js';

/** A law on finitely many vectors: every expectation under it is a finite sum. Weights add up to 1, up to rounding. */
export interface FiniteLaw { readonly points: readonly Row[]; readonly weights: readonly number[] }

export const expectation = ({ points, weights }: FiniteLaw, of: (point: Row) => number): number => points.reduce((sum, point, i) => sum + weights[i]! * of(point), 0);

/** Expectation of vectors, one for each point, all of one length. */
export function meanOf(images: readonly ArrayLike<number>[], weights: readonly number[]): Float64Array {
  const mean = new Float64Array(images[0]!.length);
  images.forEach((image, i) => { for (let j = 0; j < mean.length; j++) mean[j]! += weights[i]! * image[j]!; });
  return mean;
}

/** `E‖image − E image‖²` in the norm. */
function varianceOf(images: readonly ArrayLike<number>[], weights: readonly number[], norm: Norm): number {
  const mean = meanOf(images, weights);
  return images.reduce((sum, image, i) => sum + weights[i]! * normOf(norm, mean.map((m, j) => image[j]! - m)) ** 2, 0);
}

/**
 * `E‖z‖^order`, rounded up, in the declared norm or in ℓ2, whichever is larger: where the two differ the contract leaves open in which
 * a moment is given, and a claim is held to the weaker reading.
 */
export function momentOf(law: FiniteLaw, order: number, norm: Norm): number {
  const inNorm = (of: Norm): number => expectation(law, (point) => normOf(of, point) ** order);
  return Math.max(inNorm(norm), norm === 'l2' ? 0 : inNorm('l2')) * (1 + 2 ** -40);
}

/** {@link varianceOf} in the declared norm or in ℓ2, whichever is smaller, for the same reason. */
export const leastVariance = (images: readonly ArrayLike<number>[], weights: readonly number[], norm: Norm): number =>
  Math.min(varianceOf(images, weights, norm), norm === 'l2' ? Infinity : varianceOf(images, weights, 'l2'));

const normalised = (weights: readonly number[]): readonly number[] => {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
};

/** One to three points of every size, and laws with a tail like that of Pareto's: sizes in powers of two whose weights fall geometrically. */
export function finiteLaws(shape: VectorShape): Arbitrary<FiniteLaw> {
  const vector = vectorOf(shape), weight = fc.oneof(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 0, max: 12 }).map((k) => 2 ** k));
  const few = fc.array(fc.tuple(vector, weight), { minLength: 1, maxLength: 3, size: 'max' })
    .map((atoms): FiniteLaw => ({ points: atoms.map(([point]) => point), weights: normalised(atoms.map(([, share]) => share)) }));
  const opposite = fc.tuple(vector, fc.constantFrom(1, 0.5, 2)).map(([point, by]): FiniteLaw => ({ points: [point, point.map((x) => -x * by + 0)], weights: normalised([by, 1]) }));
  const tail = fc.tuple(vector, fc.constantFrom(1, 1.5, 2, 2.5, 3, 4, 5), fc.integer({ min: 2, max: 24 })).map(([point, index, count]): FiniteLaw => ({
    points: Array.from({ length: count }, (_, i) => point.map((x) => x * 2 ** i)), weights: normalised(Array.from({ length: count }, (_, i) => 2 ** (-index * i))),
  }));
  return fc.oneof({ withCrossShrink: true }, { weight: 4, arbitrary: few }, { weight: 1, arbitrary: opposite }, { weight: 2, arbitrary: tail });
}

/** Orders of moments that are tried. */
export const orders = [2, 2.5, 3, 4, 8] as const;

/** Directions in which bounds are tried: an axis, the corner of the cube, and one with all entries different. */
export const directionsOf = (dimension: number): readonly Row[] => (dimension === 1 ? [[1], [-1]]
  : [onAxis(dimension, 0, 1), onAxis(dimension, dimension - 1, -1), Array.from({ length: dimension }, () => 1), Array.from({ length: dimension }, (_, j) => (j + 1) * (j % 2 === 0 ? 1 : -1))]);

/** Laws of one moment. */
export interface Extremal {
  /** In the declared norm. */
  readonly moment: Moment;
  /** In the declared norm or ℓ2, whichever is larger. */
  readonly safeMoment: Moment;
  readonly laws: readonly FiniteLaw[];
}

/**
 * Laws that are worst for truncations: all mass on 0 and one more norm, or on 0 and two opposite points, with `E‖z‖^order` exactly
 * `root^order`, for every norm from `root` on in steps of a 32nd of an octave, up to 2⁴ times the larger of root and scale.
 */
export function extremalLaws({ dimension, scale, norm = 'l2' }: VectorShape, order: number, root: number): Extremal {
  const most = 16 * Math.max(root, scale);
  const sizes = Array.from({ length: 1 + Math.floor(32 * Math.log2(most / root)) }, (_, i) => root * 2 ** (i / 32));
  const lawsOf = (direction: Row, size: number): readonly FiniteLaw[] => {
    const far = along(direction, size, norm), opposite = far.map((x) => -x), zero = far.map(() => 0), weight = Math.min(1, (root / size) ** order);
    if (weight === 1) return [{ points: [far], weights: [1] }, { points: [far, opposite], weights: [0.5, 0.5] }];
    return [{ points: [zero, far], weights: [1 - weight, weight] }, { points: [zero, far, opposite], weights: [1 - weight, weight / 2, weight / 2] }];
  };
  const inL2 = Math.max(1, ...directionsOf(dimension).map((direction) => normOf('l2', along(direction, 1, norm))));
  const moment = (size: number): Moment => ({ order, value: size ** order * (1 + 2 ** -40) });
  return { moment: moment(root), safeMoment: moment(root * inL2), laws: directionsOf(dimension).flatMap((direction) => sizes.flatMap((size) => lawsOf(direction, size))) };
}
