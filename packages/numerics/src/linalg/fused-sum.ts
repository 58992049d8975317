import { clippedGradient } from './clipped-gradient.js';
import type { WeightedPoint } from './clipped-query.js';
import { clippedTerms } from './clipped-terms.js';
import type { CoordinateGradient, CoordinateSpace } from './coordinate-gradient.js';
import type { Matrix, Rows } from './matrix.js';

/** One sum of clipped gradients over rows of a matrix. */
export interface ClippedSum {
  readonly X: Matrix;
  /** `[rows of X]`, or for vector labels `[rows of X, width]`, row-major. */
  readonly labels: Float64Array;
  /** `[rows of X]`: `‖x‖₂`. */
  readonly norms: Float64Array;
  /** The point, with as many entries as a gradient. */
  readonly w: Float64Array;
  readonly rows: Rows;
  /** ℓ2 bound of one row's gradient: positive, or Infinity for none. */
  readonly radius: number;
  /** As long as `w`. */
  readonly out: Float64Array;
}

/** One sum of weighted gradients at several points, each record's clipped once. */
export interface ClippedTermsSum extends Omit<ClippedSum, 'w'> {
  /** One or more, each point as long as a gradient. */
  readonly terms: readonly WeightedPoint[];
}

/** Gradients of few coordinates of a linear model, from margins that are kept between calls. */
export interface FusedCoordinates {
  /** Whether margins 10⁻¹³ apart may count as equal. */
  readonly coarse: boolean;
  /**
   * Writes what the kernel takes for labels; false where it
   * does not know a label. Rows flagged in `nulls` hold zeros.
   */
  targetsInto(out: Float64Array, labels: Float64Array, nulls: Uint8Array | null): boolean;
  /** The sum over rows of slope · x restricted to coordinates, each row's held to the radius. */
  gradient(space: CoordinateSpace, query: Omit<CoordinateGradient, 'slope'>): Float64Array;
}

/**
 * Sums of clipped gradients of a loss, computed without a gradient of each record. What a loss offers as
 * `fused`: a curator uses it where the clip is a projection onto an ℓ2 ball.
 */
export interface FusedSum {
  /**
   * `out += Σ clip(∇f(w; x, y))` over the chosen rows. A row whose gradient is not finite adds exactly
   * nothing, and neither does a row of zeros.
   */
  clippedSum(job: ClippedSum): void;
  /**
   * `out += Σ clip(Σ_k weight_k ∇f(at_k; x, y))` over the chosen rows, each read once. A row with a gradient
   * that is not finite adds exactly nothing, and neither does a row of zeros. Left out: a curator takes such
   * sums by the loss's own slopes.
   */
  clippedTerms?(job: ClippedTermsSum): void;
  /** For a loss of one margin, where its kernel works along coordinates too. */
  readonly coordinates?: FusedCoordinates;
}

/** {@link FusedSum} of the slope `−y / (1 + exp(y m))`, labels ±1. */
export const logisticSum: FusedSum = Object.freeze({
  clippedSum: ({ X, labels, norms, w, rows, radius, out }: ClippedSum) =>
    void clippedGradient({ X, labels, norms, w, rows, radius, slope: 'logistic', out }),
  clippedTerms: ({ X, labels, norms, terms, rows, radius, out }: ClippedTermsSum) =>
    void clippedTerms({ X, labels, norms, terms, rows, radius, slope: 'logistic', out }),
  coordinates: Object.freeze({
    coarse: true,
    targetsInto(out: Float64Array, labels: Float64Array, nulls: Uint8Array | null) {
      for (let i = 0; i < out.length; i++) {
        const label = labels[i];
        if (Math.abs(label) !== 1 && nulls?.[i] !== 1) return false;
        out[i] = (1 + label) / 2;
      }
      return true;
    },
    gradient: (space: CoordinateSpace, query: Omit<CoordinateGradient, 'slope'>) =>
      space.gradient({ ...query, slope: 'logistic' }),
  }),
});

/** {@link FusedSum} of the slope `m − y`. */
export const squaredSum: FusedSum = Object.freeze({
  clippedSum: ({ X, labels, norms, w, rows, radius, out }: ClippedSum) =>
    void clippedGradient({ X, labels, norms, w, rows, radius, slope: 'squared', out }),
  clippedTerms: ({ X, labels, norms, terms, rows, radius, out }: ClippedTermsSum) =>
    void clippedTerms({ X, labels, norms, terms, rows, radius, slope: 'squared', out }),
  coordinates: Object.freeze({
    coarse: false,
    targetsInto(out: Float64Array, labels: Float64Array) {
      out.set(labels);
      return true;
    },
    gradient: (space: CoordinateSpace, query: Omit<CoordinateGradient, 'slope'>) =>
      space.gradient({ ...query, slope: 'squared' }),
  }),
});
