import type { Vector } from '@lethe/core';
import fc, { type Arbitrary } from 'fast-check';
import { listOf, powers } from '../../common/inputs.js';
import { dot, minus } from '../../common/vectors.js';

/**
 * A convex quadratic `½ Σ λ_i ⟨q_i, w − centre⟩²`, with the `q_i` an
 * orthonormal basis: the reflection along `direction` of the axes.
 */
export interface QuadraticInput {
  readonly eigenvalues: readonly number[];
  readonly direction: readonly number[];
  readonly centre: readonly number[];
}

/** What a {@link QuadraticInput} describes. */
export interface Quadratic {
  readonly value: (w: ArrayLike<number>) => number;
  readonly gradient: (w: ArrayLike<number>) => Float64Array;
  /** The largest and the least eigenvalue. */
  readonly smoothness: number;
  readonly convexity: number;
}

/** Random quadratics; `least` is the smallest power of two among the eigenvalues, and `flat` allows zeros. */
export const quadraticInputs = (
  dimension: number,
  { least = -3, most = 3, flat = false } = {},
): Arbitrary<QuadraticInput> =>
  fc.record({
    eigenvalues: fc.array(flat ? fc.oneof(fc.constant(0), powers(least, most)) : powers(least, most), {
      minLength: dimension,
      maxLength: dimension,
    }),
    direction: listOf(dimension, -3, 3),
    centre: listOf(dimension, -8, 8).map((all) => all.map((k) => k / 4)),
  });

/** `w` in the reflected basis, or back. */
function reflected(direction: readonly number[], w: ArrayLike<number>): Float64Array {
  const length = dot(direction, direction);
  const part = length === 0 ? 0 : (2 * dot(direction, w)) / length;
  return Float64Array.from(w, (entry, j) => entry - part * direction[j]);
}

/** Builds the quadratic that an input describes. */
export function quadratic({ eigenvalues, direction, centre }: QuadraticInput): Quadratic {
  const turned = (w: ArrayLike<number>): Float64Array => reflected(direction, minus(w, centre));
  return {
    value: (w) => turned(w).reduce((sum, entry, i) => sum + eigenvalues[i] * entry * entry, 0) / 2,
    gradient: (w) =>
      reflected(
        direction,
        turned(w).map((entry, i) => eigenvalues[i] * entry),
      ),
    smoothness: Math.max(...eigenvalues),
    convexity: Math.min(...eigenvalues),
  };
}

/** Calls `visit` with every sequence of `length` choices among `count`. */
export function eachSequence(
  count: number,
  length: number,
  visit: (choices: readonly number[]) => void,
): void {
  const choices = Array.from({ length }, () => 0);
  for (;;) {
    visit(choices);
    let at = 0;
    while (at < length && ++choices[at] === count) choices[at++] = 0;
    if (at === length) return;
  }
}

/** A vector that its owner does not keep a reference to. */
export const kept = (vector: Vector): Float64Array => Float64Array.from(vector);
