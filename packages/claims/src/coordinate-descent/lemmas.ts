/**
 * One step `θ⁺ = θ − Γ C (∇f(θ) + η)` of sketched descent, in the notation of its lemmas. All vectors are
 * `[d]`.
 */
export interface StepTerms {
  /** `∇f(θ)`. */
  readonly gradient: ArrayLike<number>;
  /** `p`: sampling probability of each coordinate. */
  readonly marginals: ArrayLike<number>;
  /** `γ`: the diagonal of `Γ`. */
  readonly stepSizes: ArrayLike<number>;
  /** `M`. */
  readonly smoothness: ArrayLike<number>;
  /** `E‖C σ_S 1‖²_Q` for a diagonal `Q`. */
  readonly noise: (weights: Float64Array) => number;
}

const weighted = (vector: ArrayLike<number>, weight: (j: number) => number): number => {
  let sum = 0;
  for (let j = 0; j < vector.length; j++) sum += vector[j] * vector[j] * weight(j);
  return sum;
};
const diagonal = (dimension: number, entry: (j: number) => number): Float64Array =>
  Float64Array.from({ length: dimension }, (_, j) => entry(j));

/** Lemma E.3: `E f(θ⁺) − f(θ)` is at most this, for any step sizes. */
export function descentBound({
  gradient,
  marginals: p,
  stepSizes: gamma,
  smoothness: M,
  noise,
}: StepTerms): number {
  const first = weighted(gradient, (j) => gamma[j]);
  const second = weighted(gradient, (j) => (gamma[j] * gamma[j] * M[j]) / p[j]);
  return -first + (second + noise(diagonal(gradient.length, (j) => gamma[j] * gamma[j] * M[j]))) / 2;
}

/**
 * Additional terms of Lemmas E.4 and E.5: the squared distances of `θ` and, expected, of `θ⁺` from the
 * minimiser, in the norm of `Γ⁻¹`.
 */
export interface DistanceTerms extends StepTerms {
  readonly distance: number;
  readonly expectedDistance: number;
}

const distanceWith =
  (sign: number) =>
  ({
    gradient,
    marginals: p,
    stepSizes: gamma,
    smoothness: M,
    noise,
    distance,
    expectedDistance,
  }: DistanceTerms): number =>
    distance -
    expectedDistance +
    sign * weighted(gradient, (j) => gamma[j] / p[j] - 1 / M[j]) +
    noise(diagonal(gradient.length, (j) => gamma[j]));

/** Lemma E.4 as proved: `⟨θ − w*, ∇f(θ)⟩` is at most this, with `‖∇f‖²` weighed by `P⁻¹Γ − M⁻¹`. */
export const distanceBound = distanceWith(1);
/** Lemma E.4 as printed: weighed by `M⁻¹ − P⁻¹Γ`. */
export const printedDistanceBound = distanceWith(-1);

/** Terms of Lemma E.5, for `Γ = P M⁻¹`: the step enters only through its noise `N = E‖C σ_S 1‖²_{PM⁻¹}`. */
export interface GapTerms {
  /** `f(θ) − f*`. */
  readonly gap: number;
  readonly distance: number;
  readonly expectedDistance: number;
  readonly stepNoise: number;
  /** `α` in (0, 1). */
  readonly alpha: number;
}

/** Lemma E.5: `E f(θ⁺) − f*` is at most this. */
export const gapBound = ({ gap, distance, expectedDistance, stepNoise, alpha }: GapTerms): number =>
  (1 - alpha) * gap + alpha * (distance - expectedDistance) + ((2 * alpha + 1) / 2) * stepNoise;

/** The main text's number of steps in a round, `2 (1 + 1/(μ max_j M_j/p_j))`: the maximum is misplaced. */
export const printedRoundLength = ({
  strongConvexity,
  steepest,
}: {
  readonly strongConvexity: number;
  readonly steepest: number;
}): number => 2 * (1 + 1 / (strongConvexity * steepest));
/** The appendix's, `2 (1 + max_j (M_j/p_j)/μ)`. */
export const roundLength = ({
  strongConvexity,
  steepest,
}: {
  readonly strongConvexity: number;
  readonly steepest: number;
}): number => 2 * (1 + steepest / strongConvexity);

/**
 * Block probabilities that minimise `Σ_j M_j r_j²/p_j`: proportional to `(Σ_{j ∈ A} M_j r_j²)^½`. They
 * require the minimiser.
 */
export function bestConvexProbabilities({
  blocks,
  smoothness,
  offsets,
}: {
  readonly blocks: readonly (readonly number[])[];
  readonly smoothness: ArrayLike<number>;
  readonly offsets: ArrayLike<number>;
}): number[] {
  const roots = blocks.map((block) =>
    Math.sqrt(block.reduce((sum, j) => sum + smoothness[j] * offsets[j] * offsets[j], 0)),
  );
  const total = roots.reduce((sum, root) => sum + root, 0);
  return roots.map((root) => root / total);
}
