import { theoremNoiseScale } from '@lethe/algorithms';
import { logSumExp } from '@lethe/numerics';

/** `C x`, with `C = I_S P⁻¹`: `x_j / p_j` where `j` is drawn, 0 elsewhere (Definition 3.2). */
export function scaled(
  vector: Float64Array,
  coordinates: Uint32Array,
  marginals: Float64Array,
): Float64Array {
  const out = new Float64Array(vector.length);
  for (const j of coordinates) out[j] = vector[j] / marginals[j];
  return out;
}

/**
 * The diagonal of `C`, entry by entry: `c_j = 1/p_j` where
 * `j` is drawn, 0 elsewhere (the equation in Definition 3.2).
 */
export const sketchDiagonal = (coordinates: Uint32Array, marginals: Float64Array): Float64Array =>
  marginals.map((p, j) => (coordinates.includes(j) ? 1 / p : 0));

/**
 * `E[C A C]` when every subset of `tau` coordinates is equally
 * likely, in closed form. `matrix` is `[d, d]`, by rows.
 */
export function niceSecondMoment(matrix: Float64Array, dimension: number, tau: number): Float64Array {
  const share = dimension === 1 ? 0 : (tau - 1) / (dimension - 1);
  return matrix.map(
    (entry, at) => (dimension / tau) * entry * (Math.floor(at / dimension) === at % dimension ? 1 : share),
  );
}

/**
 * `Σ_S²` when every subset of `tau` coordinates is equally
 * likely and `L_U² = Σ_{j ∈ U} L_j²`, in closed form.
 */
export function niceNoise({
  squares,
  smoothness,
  tau,
}: {
  readonly squares: Float64Array;
  readonly smoothness: Float64Array;
  readonly tau: number;
}): number {
  const dimension = squares.length;
  const share = dimension === 1 ? 0 : (tau - 1) / (dimension - 1);
  const apart = squares.reduce((sum, square, j) => sum + square / smoothness[j], 0);
  const together =
    squares.reduce((sum, square) => sum + square, 0) *
    smoothness.reduce((sum, constant) => sum + 1 / constant, 0);
  return (1 - share) * apart + share * together;
}

/**
 * `L_U` of a linear model whose loss has slopes up to 1, over
 * finitely many feature vectors: the longest of their parts in `U`.
 */
export const lipschitzAlong = (
  features: readonly (readonly number[])[],
  coordinates: Iterable<number>,
): number => {
  const set = [...coordinates];
  return features.reduce((most, x) => Math.max(most, Math.hypot(...set.map((j) => x[j]))), 0);
};

/** Required noise variance of each entry of a step, by Theorem 4.1 and the right side of Lemma E.2. */
export const noiseVariance = (scale: number): number => scale * scale;

/** Lemma D.3: the Rényi divergence of `N(shift, deviation²)` and `N(0, deviation²)`. */
export const gaussianRenyi = ({
  alpha,
  shift,
  deviation,
}: {
  readonly alpha: number;
  readonly shift: number;
  readonly deviation: number;
}): number => (alpha * shift * shift) / (2 * deviation * deviation);

/** One set of coordinates: its probability, the shift between neighbours, and the noise scale. */
export interface SketchedShift {
  readonly probability: number;
  readonly shift: number;
  readonly deviation: number;
}

/** Rényi divergence of a drawn set together with the release along it. */
export function sketchedRenyi(alpha: number, parts: readonly SketchedShift[]): number {
  return (
    logSumExp(
      parts.map(
        ({ probability, shift, deviation }) =>
          Math.log(probability) + (alpha - 1) * gaussianRenyi({ alpha, shift, deviation }),
      ),
    ) /
    (alpha - 1)
  );
}

/** One step of Algorithm 1, entry by entry. */
export interface SketchedStep {
  readonly gradient: Float64Array;
  readonly noise: Float64Array;
  /** Diagonal of `Γ`. */
  readonly steps: Float64Array;
  readonly coordinates: Uint32Array;
  readonly marginals: Float64Array;
}

/** `Γ C (∇f(θ) + η)`, the decrement of `θ` in a step of Algorithm 1. */
export const sketchedStep = ({
  gradient,
  noise,
  steps,
  coordinates,
  marginals,
}: SketchedStep): Float64Array =>
  scaled(
    gradient.map((slope, j) => slope + noise[j]),
    coordinates,
    marginals,
  ).map((entry, j) => steps[j] * entry);

/** `Γ = P M⁻¹`, the step sizes of Theorem 4.2. */
export const canonicalSteps = (marginals: Float64Array, smoothness: Float64Array): Float64Array =>
  marginals.map((p, j) => p / smoothness[j]);

/** `σ_U` of a run of `K` steps in each of `T` rounds, by Theorem 4.1. */
export const runNoiseScale = ({
  innerSteps,
  rounds,
  ...rest
}: {
  readonly lipschitz: number;
  readonly records: number;
  readonly innerSteps: number;
  readonly rounds: number;
  readonly epsilon: number;
  readonly delta: number;
}): number => theoremNoiseScale({ ...rest, steps: innerSteps * rounds });
