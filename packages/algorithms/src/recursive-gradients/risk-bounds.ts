import { stepWeight, weightSum } from './weights.js';

/**
 * Scale `s` of the mirror step: 1 as printed; 1/2 is the listing with `η_t = (t + 1)/2`; 1/4 the paper's own
 * condition.
 */
export type ZScale = 1 | 0.5 | 0.25;

/** A run of the accelerated method, as its bounds see it. */
export interface AcceleratedRun {
  /** `T` */
  readonly rounds: number;
  /** `B` */
  readonly batchSize: number;
  readonly beta: number;
  readonly zScale: ZScale;
  /** `K`: bound on the differences of every record, which is not reached by the clip. */
  readonly clipNorm: number;
  /** `M`, of the population risk. */
  readonly smoothness: number;
  /** `D`: diameter of the domain. */
  readonly diameter: number;
  /** Bound on the distance from the start to the minimiser. */
  readonly startDistance: number;
}

/**
 * What divides the squared error of a gradient in the drop of the potential: `β − M` for `s ≤ 1/2`; for `s =
 * 1`, `2β/(t + 2) − M`, which needs `β > M(t + 2)/2`. Not positive where the potential need not drop.
 *
 * @see The specification's (M). With `v` the point that the mirror step leads to, `ω = η_{0:t}/η_t²` and `s =
 * 1` what is left of it is `(β/2)η_{0:t}[(1 − ω)‖v − x‖² − ‖v − y‖² − (1 − M/β)‖y − x‖²]`, and `‖v − x‖² ≤ ‖v
 * − y‖²/(1 − ω) + ‖y − x‖²/ω`.
 */
export const potentialDrop = (
  { beta, smoothness, zScale }: Pick<AcceleratedRun, 'beta' | 'smoothness' | 'zScale'>,
  t: number,
): number => (zScale === 1 ? (2 * beta) / (t + 2) - smoothness : beta - smoothness);

/** What {@link riskAfter} may take for granted. */
export interface RiskOptions {
  /**
   * Bound on the norm of the mean error of a step given those before, which is what counts in the second term
   * of an expectation. @defaultValue `e_t`
   */
  readonly bias?: number;
  /** Larger bounds need not be summed to the end: a search has found this one. @defaultValue infinity */
  readonly atMost?: number;
}

/**
 * Bound on the excess risk after `T` steps, from bounds on the errors of the gradients: `F(y_T) − F(x) ≤ [Σ_t
 * η_{0:t} e_t²/(2 C_t) + η_t e_t D + β‖z₀ − x‖²/(2s)] / η_{0:T−1}`, `C_t` of {@link potentialDrop}. With
 * roots of mean squares for `e_t` it is one of the expectation; with bounds, it holds of every run that keeps
 * them.
 *
 * @param errorAt - `e_t ≥ ‖∇̃_t − ∇F(x_t)‖`.
 * @returns infinity where `β` is too small for the smoothness, and for bounds above `atMost`.
 */
export function riskAfter(
  run: Omit<AcceleratedRun, 'batchSize' | 'clipNorm'>,
  errorAt: (t: number) => number,
  { bias, atMost = Infinity }: RiskOptions = {},
): number {
  const { rounds, beta, zScale, diameter, startDistance } = run;
  // The drop does not grow with the step.
  if (!(potentialDrop(run, rounds - 1) > 0)) return Infinity;
  const weights = weightSum(rounds - 1);
  // The sum only grows. Room for the rounding of the quotient: no bound up to `atMost` is lost.
  const most = atMost * weights * (1 + 2 ** -40);
  let sum = (beta * startDistance ** 2) / (2 * zScale);
  for (let t = 0; t < rounds; t++) {
    if (sum > most) return Infinity;
    const error = errorAt(t);
    sum += (weightSum(t) * error ** 2) / (2 * potentialDrop(run, t));
    sum += stepWeight(t) * (bias ?? error) * diameter;
  }
  return sum / weights;
}

/**
 * Bound on the expected excess risk where the clip cuts nothing. Given the noise, which does not depend on
 * the records, errors of batches are martingale differences, so that mean squares add up: `K²/(B(t + 1)) +
 * d·Var(N_t)/η_t²`.
 *
 * @param noise - `deviations`: `scale` times these are of an entry of the noise `N_t` of the running sums.
 * @param atMost - As for {@link riskAfter}.
 */
export function expectedRisk(
  run: AcceleratedRun,
  {
    deviations,
    scale = 1,
    dimension,
  }: { readonly deviations: ArrayLike<number>; readonly scale?: number; readonly dimension: number },
  atMost = Infinity,
): number {
  const { batchSize, clipNorm } = run;
  return riskAfter(
    run,
    (t) =>
      Math.sqrt(
        clipNorm ** 2 / (batchSize * (t + 1)) + dimension * ((deviations[t] * scale) / stepWeight(t)) ** 2,
      ),
    { atMost },
  );
}

/** `Σ_t η_t e_t` and `Σ_t η_{0:t} e_t²`, with the errors of {@link expectedRisk} at clip norm 1. */
export interface ErrorSums {
  readonly ofSizes: number;
  readonly ofSquares: number;
}

/** The sums for so many rounds and batches of that size. */
export function errorSums(
  { rounds, batchSize }: Pick<AcceleratedRun, 'rounds' | 'batchSize'>,
  { deviations, dimension }: { readonly deviations: ArrayLike<number>; readonly dimension: number },
): ErrorSums {
  let ofSizes = 0;
  let ofSquares = 0;
  for (let t = 0; t < rounds; t++) {
    const square = 1 / (batchSize * (t + 1)) + dimension * (deviations[t] / (batchSize * stepWeight(t))) ** 2;
    ofSizes += stepWeight(t) * Math.sqrt(square);
    ofSquares += weightSum(t) * square;
  }
  return { ofSizes, ofSquares };
}

/**
 * {@link expectedRisk} from sums, whose errors are proportional to the clip norm: up to rounding where the
 * drop is the same for all steps, as for mirror scales below 1; no more than it for mirror scale 1.
 */
export function expectedRiskBySums(run: AcceleratedRun, { ofSizes, ofSquares }: ErrorSums): number {
  const { rounds, beta, zScale, clipNorm, diameter, startDistance } = run;
  if (!(potentialDrop(run, rounds - 1) > 0)) return Infinity;
  const sum =
    (beta * startDistance ** 2) / (2 * zScale) +
    (clipNorm ** 2 * ofSquares) / (2 * potentialDrop(run, 0)) +
    clipNorm * ofSizes * diameter;
  return sum / weightSum(rounds - 1);
}

/** What bounds all errors of gradients of a run, with high probability. */
export interface LikelyErrors {
  /** `ρ`: errors of batches are at most `ρ/√(t + 1)`. */
  readonly sampling: number;
  /** `b`: noise moves no iterate by more. */
  readonly noise: number;
}

/**
 * `ρ`, with probability `1 − failure` for all steps, of differences of norm at most `clipNorm`:
 * `2K√(2 ln(2T/γ)/B)`; as printed `2K√(3 ln(6T/γ)/B)`.
 *
 * @see Pinelis 1994, Theorem 3.5; Hayes 2005 as printed.
 */
export function likelySamplingError(
  { rounds, batchSize, clipNorm }: Pick<AcceleratedRun, 'rounds' | 'batchSize' | 'clipNorm'>,
  failure: number,
  constant: 'pinelis' | 'printed' = 'pinelis',
): number {
  const spread =
    constant === 'pinelis' ? 2 * Math.log((2 * rounds) / failure) : 3 * Math.log((6 * rounds) / failure);
  return 2 * clipNorm * Math.sqrt(spread / batchSize);
}

/**
 * `E(t)`: bound on the excess risk of `y_t` for mirror steps of scale 1/2, `β ≥ 2M`, in closed form: `ρ²(t +
 * 3)/((t + 1)β) + 2βb²(1 + H_t/t)/(t + 1) + (4/3)ρD√(t + 1)/t + 2βbD/(t + 1) + 2βD²/(t(t + 1))`.
 *
 * @param t - At least 1.
 */
export function likelyRisk(
  { beta, diameter: D }: Pick<AcceleratedRun, 'beta' | 'diameter'>,
  { sampling, noise }: LikelyErrors,
  t: number,
): number {
  return (
    (sampling ** 2 * (t + 3)) / ((t + 1) * beta) +
    (2 * beta * noise ** 2 * (1 + harmonic(t) / t)) / (t + 1) +
    ((4 / 3) * sampling * D * Math.sqrt(t + 1)) / t +
    (2 * beta * noise * D) / (t + 1) +
    (2 * beta * D ** 2) / (t * (t + 1))
  );
}

/** `H_t`, to 1e-12: the sum for short ones, and its expansion. */
function harmonic(t: number): number {
  if (t > 256) {
    const euler = 0.577_215_664_901_532_9;
    return Math.log(t) + euler + 1 / (2 * t) - 1 / (12 * t ** 2) + 1 / (120 * t ** 4);
  }
  let sum = 0;
  for (let i = t; i >= 1; i--) sum += 1 / i;
  return sum;
}
