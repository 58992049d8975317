/**
 * The weights of accelerated stochastic approximation in round `t = 1, 2, …` at scale `η`, in closed form:
 * `α_t = 2/(t+1)`, `γ_t = ∏_{i=2}^t (1 − α_i) = 2/(t(t+1))`, `η_t = 2ηγ_t = 4η/(t(t+1))`. The step is `α_t/η_t = t/(2η)`.
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
}

/**
 * Bound on the expected excess risk of a convex, β-smooth `F` after `T` rounds: `2ηD²/(T(T+1)) + 4(Σ²+B²)(T+2)/(3η) + BD`.
 * Proposition 30 with these weights; the first term is half of what Eq. 30b prints, as its proof gives it.
 */
export const acSaExcessRisk = ({ rounds: T, eta, error, bias, diameter: D }: AcSaError): number =>
  (2 * eta * D ** 2) / (T * (T + 1)) + (4 * error ** 2 * (T + 2)) / (3 * eta) + bias * D;
