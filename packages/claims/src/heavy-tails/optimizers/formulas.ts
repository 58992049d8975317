/** `γ_t` from `γ_{t−1}`: `(1 − α_t) γ_{t−1}`. */
export const nextProduct = ({
  momentum,
  before,
}: {
  readonly momentum: number;
  readonly before: number;
  readonly now: number;
}): number => (1 - momentum) * before;
/** The same as Proposition 30 prints it, with `γ_t` on both sides. */
export const printedNextProduct = ({
  momentum,
  now,
}: {
  readonly momentum: number;
  readonly before: number;
  readonly now: number;
}): number => (1 - momentum) * now;

/** The parameters of Theorem 31, with the paper's `ε`. */
export interface SmoothConvexSetting {
  readonly records: number;
  readonly dimension: number;
  readonly epsilon: number;
  readonly order: number;
  readonly moment: number;
  readonly secondMoment: number;
  readonly diameter: number;
  readonly smoothness: number;
}

/**
 * `T` of Theorem 31 as a real number: the branch of the noise, and that of the sample, in which `r_2` is to
 * stand.
 */
export function smoothConvexRounds(
  {
    records: n,
    dimension: d,
    epsilon,
    order: k,
    moment,
    secondMoment,
    diameter: D,
    smoothness: beta,
  }: SmoothConvexSetting,
  schedule: 'corrected' | 'printed' = 'corrected',
): number {
  const noisy =
    ((beta * D) / moment) ** ((2 * k) / (5 * k - 1)) *
    ((epsilon * n) / Math.sqrt(d)) ** ((2 * k - 2) / (5 * k - 1));
  return Math.min(
    noisy,
    Math.sqrt((beta * D) / (schedule === 'corrected' ? secondMoment : moment)) * n ** 0.25,
  );
}

/** One step of Algorithm 7 from `w` to `w⁺`, seen from a point `v` of the domain. */
export interface GradientStep {
  readonly stepSize: number;
  readonly convexity: number;
  readonly smoothness: number;
  /** `‖w − v‖²`. */
  readonly distance: number;
  /** `F(w⁺) − F(v)`. */
  readonly gap: number;
  /** `⟨e, w⁺ − v⟩`. */
  readonly inner: number;
  /** `‖w − w⁺‖²`, which is `η²‖g(w)‖²`. */
  readonly moved: number;
}

/** The bound on `‖w⁺ − v‖²`: Eq. 48 with the term that it omits. */
export const gradientStepBound = ({
  stepSize,
  convexity,
  smoothness,
  distance,
  gap,
  inner,
  moved,
}: GradientStep): number =>
  (1 - convexity * stepSize) * distance - 2 * stepSize * (gap + inner) + (smoothness * stepSize - 1) * moved;
/** Eq. 48 as printed: once more `−η²‖g(w)‖²`. */
export const printedGradientStepBound = (step: GradientStep): number => gradientStepBound(step) - step.moved;

/** One step of Algorithm 3. */
export interface SubgradientStep {
  readonly stepSize: number;
  readonly strength: number;
  /** `‖w − ŵ‖²`. */
  readonly distance: number;
  /** `‖∇̃‖²`, the regulariser's part included. */
  readonly length: number;
  /** `⟨b + N, w − ŵ⟩`. */
  readonly inner: number;
  /** `F̂_λ(w) − F̂_λ(ŵ)`. */
  readonly gap: number;
}

/** The bound on `‖w⁺ − ŵ‖²` in the proof of Lemma 14, for every realisation. */
export const subgradientStepBound = ({
  stepSize,
  strength,
  distance,
  length,
  inner,
  gap,
}: SubgradientStep): number =>
  (1 - strength * stepSize) * distance + stepSize ** 2 * length - 2 * stepSize * (inner + gap);

/** Eq. 51: the recursion behind Lemma 14. */
export interface SubgradientRecursion {
  readonly stepSize: number;
  readonly strength: number;
  readonly distance: number;
  readonly diameter: number;
  readonly moment: number;
  readonly bias: number;
  readonly noiseVariance: number;
}
/** The bound on `E‖w_{t+1} − ŵ‖²` of Eq. 51. */
export const subgradientRecursion = ({
  stepSize,
  strength,
  distance,
  diameter,
  moment,
  bias,
  noiseVariance,
}: SubgradientRecursion): number =>
  (1 - (strength * stepSize) / 2) * distance +
  4 * stepSize ** 2 * (moment ** 2 + (strength * diameter) ** 2 + bias ** 2 + noiseVariance) +
  (2 * stepSize * bias ** 2) / strength;

/** The quantities of a phase of Algorithm 4 on which its number of rounds depends. */
export interface PhaseContraction {
  readonly stepSize: number;
  readonly strength: number;
  readonly distance: number;
  readonly noiseVariance: number;
}
/** `ln(D²λ/(dσ²η))`, of which the number of rounds is a multiple. */
const rest = ({ stepSize, strength, distance, noiseVariance }: PhaseContraction): number =>
  Math.log((distance ** 2 * strength) / (noiseVariance * stepSize));
/**
 * Number of rounds after which the contribution of the start is at most that of the noise:
 * `(2/λη) ln(D²λ/(dσ²η))`, since Lemma 14 contracts by `exp(−λη/2)`.
 */
export const phaseRounds = (phase: PhaseContraction): number =>
  (2 * rest(phase)) / (phase.strength * phase.stepSize);
/** `T_i` in the proof of Theorem 41: half of them. */
export const printedPhaseRounds = (phase: PhaseContraction): number =>
  rest(phase) / (phase.strength * phase.stepSize);

/** `Σ_i n F̂_{X^i}(w)` from `n F̂_X(w)` and `n F̂_{X'}(w)`. */
export const swappedRiskSum = ({
  records,
  sum,
  otherSum,
}: {
  readonly records: number;
  readonly sum: number;
  readonly otherSum: number;
}): number => (records - 1) * sum + otherSum;
/**
 * The left side of Eq. 53 over its right side: `E (F − F̂)(A(X))` is `n` times the mean loss that a swap
 * costs.
 */
export const swapGap = ({ records, gap }: { readonly records: number; readonly gap: number }): number =>
  gap / records;

/** The parameters of Propositions 16, 39 and 40. */
export interface StableRun {
  readonly secondMoment: number;
  readonly strength: number;
  readonly records: number;
}
/** Proposition 39: bound on `α²` of the exact minimiser. */
export const stabilityBound = ({ secondMoment, strength, records }: StableRun): number =>
  (4 * secondMoment) / (strength * records) ** 2;
/** Proposition 39: bound on `E (F − F̂)(A(X))`. */
export const generalisationBound = ({ secondMoment, strength, records }: StableRun): number =>
  (2 * secondMoment) / (strength * records);
/** Proposition 16, at `ζ`. */
export const stableGapBound = ({
  secondMoment,
  stability,
  zeta,
}: {
  readonly secondMoment: number;
  readonly stability: number;
  readonly zeta: number;
}): number => secondMoment / (2 * zeta) + (zeta * stability) / 2;
/** Proposition 40: bound on `E F(ŵ) − F(y)`. */
export const regularisedExcessBound = ({
  distance,
  ...run
}: StableRun & { readonly distance: number }): number =>
  generalisationBound(run) + (run.strength / 2) * distance;

/** The quantities of a block of Appendix G.3 on which its error depends; `moment` is `R̃_{2k,N}`. */
export interface BlockError {
  readonly records: number;
  readonly dimension: number;
  readonly epsilon: number;
  readonly order: number;
  readonly moment: number;
  readonly convexity: number;
}
/** `E_j` with `a = 1`. */
export const blockError = ({
  records: n,
  dimension,
  epsilon,
  order: k,
  moment,
  convexity,
}: BlockError): number =>
  (2 / convexity) *
  (moment * (1 / Math.sqrt(n) + (Math.sqrt(dimension * Math.log(n)) / (epsilon * n)) ** ((k - 1) / k))) ** 2;
/** `Δ_{j+1}` from `Δ_j`, by Eq. 58. */
export const nextBlockGap = ({ error, gap }: { readonly error: number; readonly gap: number }): number =>
  Math.sqrt(error * gap);
/** The size of the block that follows one of `records`: twice as many. */
export const nextBlock = (records: number): number => 2 * records;
/** The same where the proof of Theorem 43 writes `N_j = 2 N_{j+1}`. */
export const printedNextBlock = (records: number): number => records / 2;

/**
 * The right side of Definition 19, from the least value of its model:
 * `−β min_y [⟨∇F⁰(w), y − w⟩ + (β/2)‖y − w‖² + f¹(y) − f¹(w)]`.
 */
export const proximalDecrease = ({
  least,
  curvature,
}: {
  readonly least: number;
  readonly curvature: number;
}): number => -curvature * least;

/** An error of the gradient in one proximal step, and a bound on its effect. */
export interface ProximalError {
  readonly error: number;
  readonly smoothness: number;
}
/** Lemma 47 for `h = ⟨u, ·⟩` and a `2β`-strongly convex `H`: the distance between the minimisers. */
export const proximalShift = ({ error, smoothness }: ProximalError): number => error / (2 * smoothness);
/** The increase of `H` due to the error: `‖u‖²/(4β)`, half of what Eq. 63 states. */
export const proximalCost = ({ error, smoothness }: ProximalError): number => error ** 2 / (4 * smoothness);

/** One step of Algorithm 9 under the Proximal-PL condition. */
export interface ProximalPlStep {
  readonly gap: number;
  readonly error: number;
  readonly smoothness: number;
  readonly convexity: number;
  readonly stepSize: 'half' | 'whole';
}
/** The bound on `F(w⁺) − F*` for the step sizes `1/(2β)` and `1/β`, for every realisation. */
export const proximalPlStepBound = ({
  gap,
  error,
  smoothness,
  convexity,
  stepSize,
}: ProximalPlStep): number => {
  const share = stepSize === 'half' ? 2 : 1;
  return (1 - convexity / (share * smoothness)) * gap + error ** 2 / (2 * share * smoothness);
};
/**
 * Eq. 65: bound on the least value of the perturbed model by that of the model, which leaves out
 * `⟨b, y_* − w⟩`.
 */
export const printedModelBound = ({
  least,
  error,
  smoothness,
}: ProximalError & { readonly least: number }): number => least + error ** 2 / smoothness;

/** `dσ²` of Gaussian noise that makes a clipped mean of `n/T` records `ε²/2`-concentrated DP. */
export interface StepNoise {
  readonly dimension: number;
  readonly clipNorm: number;
  readonly rounds: number;
  readonly epsilon: number;
  readonly records: number;
}
/** `4dC²T²/(ε²n²)`. */
export const stepNoise = ({ dimension, clipNorm, rounds, epsilon, records }: StepNoise): number =>
  dimension * ((2 * clipNorm * rounds) / (epsilon * records)) ** 2;
/** The `2dC²T²/(ε²n²)` in the proof of Theorem 48. */
export const printedStepNoise = (noise: StepNoise): number => stepNoise(noise) / 2;
