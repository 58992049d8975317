import { requireCounts, requireNonNegative, requirePositive } from '../common/require.js';

/** What bounds the differences that a run of the accelerated method sums. */
export interface DifferenceSetting {
  /** `T` */
  readonly rounds: number;
  /** `β`: the inverse of the step size. */
  readonly beta: number;
  /** `L`: largest norm of a gradient of a record. */
  readonly lipschitz: number;
  /** `M`: smoothness of the loss of a record. */
  readonly smoothness: number;
  /** `D`: diameter of the domain. */
  readonly diameter: number;
}

/**
 * Bound on `‖η_t ∇f(x_t) − η_{t−1} ∇f(x_{t−1})‖` for every record and step, where noise moves no iterate by
 * more than `noise`: `(M·noise + 2MD + L)/(1 − θ)`, `θ = M(T − 1)²/((T + 1)β)`. Losses need not be convex.
 * Lemma 11 has `2(M·noise + 2MD + L)`, for `β ≥ 2MT`.
 *
 * @param noise - Bound on `‖b_t‖`, in units of the iterates.
 * @returns infinity unless `θ < 1`.
 */
export function differenceBound(setting: DifferenceSetting, noise: number): number {
  assertSetting(setting);
  requireNonNegative({ noise });
  const { lipschitz: L, smoothness: M, diameter: D } = setting;
  const room = 1 - pull(setting);
  return room > 0 ? (M * noise + 2 * M * D + L) / room : Infinity;
}

/**
 * The least clip norm that {@link differenceBound} says cuts nothing, where noise is proportional to the clip
 * norm: `K = (2MD + L)/(1 − θ − M·noisePerClip)`.
 *
 * @param noisePerClip - Bound on `‖b_t‖` over the clip norm.
 * @returns `null` where no clip norm is large enough.
 */
export function certifiedClip(setting: DifferenceSetting, noisePerClip: number): number | null {
  assertSetting(setting);
  requireNonNegative({ noisePerClip });
  const { lipschitz: L, smoothness: M, diameter: D } = setting;
  const room = 1 - pull(setting) - M * noisePerClip;
  return room > 0 ? (2 * M * D + L) / room : null;
}

/** The clip norm of Theorem 14: `(8 c_M + 4) L` with `c_M = MD/L`. */
export const literalClip = ({
  lipschitz,
  smoothness,
  diameter,
}: Pick<DifferenceSetting, 'lipschitz' | 'smoothness' | 'diameter'>): number =>
  8 * smoothness * diameter + 4 * lipschitz;

/** `θ`: how much of the largest difference so far comes back in the next. */
const pull = ({ rounds: T, beta, smoothness: M }: DifferenceSetting): number =>
  (M * (T - 1) ** 2) / ((T + 1) * beta);

function assertSetting({ rounds, beta, lipschitz, smoothness, diameter }: DifferenceSetting): void {
  requireCounts({ rounds });
  requirePositive({ beta, lipschitz, diameter });
  requireNonNegative({ smoothness });
}
