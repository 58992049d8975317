import { largestEigenvalueUp } from '@lethe/mechanisms';
import fc, { type Arbitrary } from 'fast-check';
import { listOf } from '../common/inputs.js';
import type { ConvergenceSubject } from './convergence-subject.js';
import {
  sketchCase,
  sketchInputs,
  type DrawnSet,
  type SketchCase,
  type SketchInput,
} from './sketch-inputs.js';

/** A random quadratic `½ (w − w*)ᵀA(w − w*)` with a sketch and noise, as plain data. */
export interface QuadraticInput {
  /** Rows of `F`, with `A = D FᵀF D`, to which a ridge may be added. */
  readonly factor: readonly (readonly number[])[];
  /** The diagonal of `D`, as powers of 2. */
  readonly columns: readonly number[];
  /** Added to the diagonal of `A`, as a power of 2; none: nothing. */
  readonly ridge?: number;
  /**
   * Weights, as powers of 2: the tight smoothness is a multiple of them. @defaultValue `componentSmoothness`
   * of the diagonal of `A`
   */
  readonly weights?: readonly number[];
  /** `θ⁰ − w*`. */
  readonly start: readonly number[];
  /** Noise of each set, by its bits. */
  readonly noise: readonly number[];
  readonly sketch: SketchInput;
}

/** The problem of an input. Matrices by rows. */
export interface Quadratic extends SketchCase {
  readonly dimension: number;
  readonly hessian: Float64Array;
  /** `M`, with `A ≼ Diag(M)`. */
  readonly smoothness: Float64Array;
  readonly start: Float64Array;
  readonly noiseScale: (coordinates: ArrayLike<number>) => number;
}

/** Random quadratics up to four dimensions, of any rank, with any sketch; `sketches` narrows them. */
export const quadraticInputs = (
  sketches: (dimension: number) => Arbitrary<SketchInput> = sketchInputs,
): Arbitrary<QuadraticInput> =>
  fc.integer({ min: 1, max: 4 }).chain((dimension) =>
    fc.record(
      {
        factor: fc.array(listOf(dimension, -3, 3), { minLength: 1, maxLength: dimension + 1 }),
        columns: listOf(dimension, -3, 3),
        ridge: fc.integer({ min: -3, max: 3 }),
        weights: listOf(dimension, -3, 3),
        start: listOf(dimension, -8, 8).map((all) => all.map((k) => k / 4)),
        noise: fc.array(fc.constantFrom(0, 0.01, 0.25, 1, 4), {
          minLength: 2 ** dimension,
          maxLength: 2 ** dimension,
        }),
        sketch: sketches(dimension),
      },
      { requiredKeys: ['factor', 'columns', 'start', 'noise', 'sketch'] },
    ),
  );

/** A set of coordinates as bits. */
export const bitsOf = (coordinates: ArrayLike<number>): number => {
  let bits = 0;
  for (let k = 0; k < coordinates.length; k++) bits |= 1 << coordinates[k];
  return bits;
};

/** `A = D FᵀF D`, and the ridge. */
export function hessianOf({
  factor,
  columns,
  ridge,
}: Pick<QuadraticInput, 'factor' | 'columns' | 'ridge'>): Float64Array {
  const d = columns.length;
  const out = Float64Array.from({ length: d * d }, (_, at) =>
    ridge !== undefined && at % (d + 1) === 0 ? 2 ** ridge : 0,
  );
  for (const row of factor)
    for (let i = 0; i < d; i++)
      for (let j = 0; j < d; j++) out[i * d + j] += row[i] * row[j] * 2 ** (columns[i] + columns[j]);
  return out;
}

/**
 * Lower bound of the smallest eigenvalue of a matrix in the norm of `weights`: `A ≽ μ Diag(weights)`. May be
 * negative.
 */
export function convexityOf(hessian: Float64Array, weights: ArrayLike<number>): number {
  const d = weights.length;
  const scaled = hessian.map((entry, at) => entry / Math.sqrt(weights[Math.floor(at / d)] * weights[at % d]));
  const trace = scaled.reduce((sum, entry, at) => sum + (at % (d + 1) === 0 ? entry : 0), 0);
  return trace - largestEigenvalueUp(scaled.map((entry, at) => (at % (d + 1) === 0 ? trace : 0) - entry));
}

/**
 * The least multiple of `weights` that bounds a matrix:
 * `λ_max(W^{−½} A W^{−½}) W`, a little more; `weights` itself for the zero matrix.
 */
export function tightSmoothness(hessian: Float64Array, weights: ArrayLike<number>): Float64Array {
  const d = weights.length;
  const most = largestEigenvalueUp(
    hessian.map((entry, at) => entry / Math.sqrt(weights[Math.floor(at / d)] * weights[at % d])),
  );
  return Float64Array.from(weights, (weight) => weight * (most > 0 ? most : 1));
}

/**
 * What {@link ConvergenceSubject.componentSmoothness} makes of
 * the diagonal of a matrix; where that is 0, of 1.
 */
export function componentSmoothnessOf(
  { componentSmoothness }: Pick<ConvergenceSubject, 'componentSmoothness'>,
  hessian: Float64Array,
  blocks?: readonly ArrayLike<number>[],
): Float64Array {
  const d = Math.sqrt(hessian.length);
  const facts = Object.fromEntries(
    Array.from({ length: d }, (_, j) => [
      `coordinateSmoothness.${j}`,
      { value: hessian[j * d + j] || 1, scope: 'population' as const, provenance: 'declared' as const },
    ]),
  );
  return componentSmoothness(facts, d, blocks === undefined ? {} : { blocks });
}

/** Builds the problem of an input from the parts of the subject. */
export function quadratic(subject: ConvergenceSubject, input: QuadraticInput): Quadratic {
  const hessian = hessianOf(input);
  const smoothness =
    input.weights === undefined
      ? componentSmoothnessOf(subject, hessian)
      : tightSmoothness(
          hessian,
          input.weights.map((k) => 2 ** k),
        );
  return {
    dimension: input.columns.length,
    hessian,
    smoothness,
    start: Float64Array.from(input.start),
    noiseScale: (coordinates) => input.noise[bitsOf(coordinates)],
    ...sketchCase(subject, input.sketch, smoothness),
  };
}

/** `A e`. */
export const gradientOf = (hessian: Float64Array, e: ArrayLike<number>): Float64Array =>
  Float64Array.from(e, (_, i) => {
    let sum = 0;
    for (let j = 0; j < e.length; j++) sum += hessian[i * e.length + j] * e[j];
    return sum;
  });
/** `½ eᵀA e`. */
export const riskOf = (hessian: Float64Array, e: ArrayLike<number>): number =>
  gradientOf(hessian, e).reduce((sum, g, j) => sum + g * e[j], 0) / 2;
/** `Σ_j e_j² q_j`. */
export const squared = (e: ArrayLike<number>, weight: (j: number) => number): number =>
  Array.from(e).reduce((sum, x, j) => sum + x * x * weight(j), 0);

/** Expected squares after one step `e⁺ = e − Γ C (A e + η)`, over all sets. */
export interface StepMoments {
  /** `E ½ (e⁺)ᵀA e⁺`. */
  readonly risk: number;
  /** `E‖e⁺‖²_Q`. */
  readonly distance: (weights: ArrayLike<number>) => number;
  /** `E‖C σ_S 1‖²_Q`. */
  readonly noise: (weights: ArrayLike<number>) => number;
}

/** One step by enumeration, for any step sizes `γ`. */
export function stepMoments(
  {
    hessian,
    law,
    marginals,
    noiseScale,
    start,
  }: Pick<Quadratic, 'hessian' | 'law' | 'marginals' | 'noiseScale' | 'start'>,
  stepSizes: ArrayLike<number>,
): StepMoments {
  const d = start.length;
  const gradient = gradientOf(hessian, start);
  const moved = law.map(({ coordinates }) => {
    const e = start.slice();
    for (const j of coordinates) e[j] -= (stepSizes[j] / marginals[j]) * gradient[j];
    return e;
  });
  const over = (value: (set: DrawnSet, k: number) => number): number =>
    law.reduce((sum, set, k) => sum + set.probability * value(set, k), 0);
  const noise = (weights: ArrayLike<number>): number =>
    over(
      ({ coordinates }) =>
        noiseScale(coordinates) ** 2 *
        coordinates.reduce((sum, j) => sum + weights[j] / marginals[j] ** 2, 0),
    );
  return {
    risk:
      over((_, k) => riskOf(hessian, moved[k])) +
      noise(start.map((_, j) => hessian[j * d + j] * stepSizes[j] ** 2)) / 2,
    distance: (weights) =>
      over((_, k) => squared(moved[k], (j) => weights[j])) +
      noise(start.map((_, j) => weights[j] * stepSizes[j] ** 2)),
    noise,
  };
}
