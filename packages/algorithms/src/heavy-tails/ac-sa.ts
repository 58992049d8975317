import { InvalidParameter, plainLoops, type Loops, type Program, type Vector } from '@lethe/core';
import type { Domain } from '@lethe/numerics';
import type { ScheduleName } from './schedules/least-bound.js';

/** One run of {@link acSa}. */
export interface AcSaOptions {
  readonly rounds: number;
  /** `η ≥ 2β`, positive. */
  readonly eta: number;
  readonly domain: Domain;
  /** `w_0`, in the domain. */
  readonly start: Vector;
  /** A private mean gradient at `point` in round `t`. `point` is lent. */
  readonly oracle: (point: Vector, t: number) => Program<Vector>;
  /** Of the run. @defaultValue of one that is never stored */
  readonly loops?: Pick<Loops, 'state' | 'rounds'>;
}

/**
 * Algorithm 5: accelerated stochastic approximation with any oracle for the mean gradient.
 *
 * @returns `w_T^ag`.
 */
export function* acSa({
  rounds,
  eta,
  domain,
  start,
  oracle,
  loops = plainLoops(),
}: AcSaOptions): Program<Vector> {
  const { w, aggregate } = loops.state({ w: start.slice(), aggregate: start.slice() });
  const middle = new Float64Array(w.length);
  for (const t of loops.rounds(rounds)) {
    const alpha = momentumAt(t);
    for (let j = 0; j < w.length; j++) middle[j] = (1 - alpha) * aggregate[j] + alpha * w[j];
    const gradient = yield* oracle(middle, t);
    const step = alpha / proximityAt(eta, t);
    for (let j = 0; j < w.length; j++) w[j] -= step * gradient[j];
    domain.projectInto(w, w);
    for (let j = 0; j < w.length; j++) aggregate[j] = alpha * w[j] + (1 - alpha) * aggregate[j];
  }
  return aggregate;
}

/**
 * The weights of accelerated stochastic approximation in round `t = 1, 2, …` at scale `η`, in closed form:
 * `α_t = 2/(t+1)`, `γ_t = ∏_{i=2}^t (1 − α_i) = 2/(t(t+1))`,
 * `η_t = 2ηγ_t = 4η/(t(t+1))`. The step is `α_t/η_t = t/(2η)`.
 */
export const momentumAt = (t: number): number => 2 / (t + 1);
/** `γ_t` of {@link momentumAt}. */
export const productAt = (t: number): number => 2 / (t * (t + 1));
/** `η_t` of {@link momentumAt}. */
export const proximityAt = (eta: number, t: number): number => (4 * eta) / (t * (t + 1));

/** What the bound on the excess risk depends on. */
export interface AcSaError {
  readonly rounds: number;
  /** `η ≥ 2β`, positive. */
  readonly eta: number;
  /** `√(Σ² + B²)`: noise of variance at most `Σ²` and bias at most `B` in every round. */
  readonly error: number;
  /** `B`. */
  readonly bias: number;
  /** `D`: diameter of the domain. */
  readonly diameter: number;
  /** `R ≥ ‖w_0 − w*‖`. @defaultValue `diameter` */
  readonly startDistance?: number | undefined;
}

/**
 * Bound on the expected excess risk of a convex, β-smooth `F` after `T` rounds:
 * `2ηR²/(T(T+1)) + 4(Σ²+B²)(T+2)/(3η) + BD`. Proposition 30 with these weights; the first term is half of
 * what Eq. 30b prints, as its proof gives it. `printed` is as printed.
 */
export const acSaExcessRisk = (
  { rounds: T, eta, error, bias, diameter: D, startDistance: R = D }: AcSaError,
  schedule: ScheduleName = 'corrected',
): number =>
  ((schedule === 'printed' ? 4 : 2) * eta * R ** 2) / (T * (T + 1)) +
  (4 * error ** 2 * (T + 2)) / (3 * eta) +
  bias * D;

/** One run as it happened. */
export interface AcSaPath {
  readonly rounds: number;
  /** `η ≥ β`, positive. */
  readonly eta: number;
  /** `β`. */
  readonly smoothness: number;
  /** `‖w_0 − w‖`, of a point `w` of the domain. */
  readonly startDistance: number;
  /** In round `t = 1 … T`, of the error `e_t` of the gradient: `⟨e_t, w − w_{t−1}⟩`, and `‖e_t‖`. */
  readonly errors: readonly { readonly inner: number; readonly norm: number }[];
  /** Of the squared errors: 1 is as printed, ½ is enough. @defaultValue 0.5 */
  readonly factor?: number;
}

/**
 * What `F(w_T^ag) − F(w)` is at most on one path, for a convex, β-smooth `F` and any point `w` of the domain:
 * `γ_T (η_1/2)‖w_0 − w‖² + γ_T Σ_t (α_t⟨e_t, w − w_{t−1}⟩ + factor·α_t²‖e_t‖²/(η_t − βα_t²))/γ_t`.
 *
 * @throws {InvalidParameter} unless there is an error for each round, and `η ≥ β`.
 * @see Lowy & Razaviyayn, Eq. 42, which has factor 1; Ghadimi and Lan 2012.
 */
export function acSaPathwiseBound({
  rounds,
  eta,
  smoothness,
  startDistance,
  errors,
  factor = 0.5,
}: AcSaPath): number {
  if (errors.length !== rounds)
    throw new InvalidParameter(`${errors.length} errors were given for ${rounds} rounds; give one for each`, {
      errors: errors.length,
      rounds,
    });
  if (!(eta >= smoothness && eta > 0))
    throw new InvalidParameter(
      `eta is ${eta}; it must be positive, and at least the smoothness ${smoothness}`,
      { eta, smoothness },
    );
  let sum = (proximityAt(eta, 1) / 2) * startDistance ** 2;
  errors.forEach(({ inner, norm }, index) => {
    const t = index + 1;
    const alpha = momentumAt(t);
    sum +=
      (alpha * inner + (factor * (alpha * norm) ** 2) / (proximityAt(eta, t) - smoothness * alpha ** 2)) /
      productAt(t);
  });
  return productAt(rounds) * sum;
}
