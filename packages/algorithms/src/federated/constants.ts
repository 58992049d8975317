import { InvalidParameter } from '@lethe/core';

/** Constants of every record's loss on the domain. */
export interface LossConstants {
  /** `G`: bound on gradients. */
  readonly lipschitz: number;
  /** `L`: Lipschitz constant of gradients. */
  readonly smoothness: number;
  /** `D`: diameter of the domain. */
  readonly diameter: number;
}

/** How increments are bounded: about the origin, or about the centre that convexity allows. */
export type IncrementClip = 'lemma-4' | 'centred';

/**
 * Radius that cuts no increment: `S = G + 2LD` about the origin for any smooth loss (Lemma 4), `G + LD` about
 * `(t − 1)L(x_t − x_{t−1})/2` for convex ones.
 */
export const incrementRadius = (
  { lipschitz, smoothness, diameter }: LossConstants,
  clip: IncrementClip,
): number => lipschitz + (clip === 'centred' ? 1 : 2) * smoothness * diameter;

/**
 * Bound on the increment of round `t`, `‖s_t‖ ≤ G + 2LD(t − 1)/(t + 1)`, or of its distance from the centre,
 * with `LD` in place of `2LD`; attained in one dimension.
 */
export const incrementBound = (constants: LossConstants, clip: IncrementClip, t: number): number =>
  incrementRadius({ ...constants, diameter: (constants.diameter * (t - 1)) / (t + 1) }, clip);

/**
 * `ρ = √(2 ln(1/δ) + 2ε) − √(2 ln(1/δ))`: the level at which Lemma 2 gives (ε, δ). Noise of multiplier `1/ρ`
 * keeps the budget; exact calibration needs 10 to 36 % less.
 *
 * @throws {InvalidParameter} unless ε > 0 and 0 < δ < 1.
 */
export function printedLevel({
  epsilon,
  delta,
}: {
  readonly epsilon: number;
  readonly delta: number;
}): number {
  if (!(epsilon > 0 && epsilon < Infinity && delta > 0 && delta < 1))
    throw new InvalidParameter(
      `Lemma 2 turns epsilon ${epsilon} and delta ${delta} into no level; it needs epsilon > 0 and 0 < ` +
        "delta < 1. Use schedule: 'rebuilt'",
      { epsilon, delta },
    );
  const log = 2 * Math.log(1 / delta);
  // The difference of roots without cancellation.
  return (2 * epsilon) / (Math.sqrt(log + 2 * epsilon) + Math.sqrt(log));
}

/** `ρ²/2 + ρ√(2 ln(1/δ))`: the ε of Lemma 2 for Rényi divergences `αρ²/2` at every order. */
export const printedEpsilon = (level: number, delta: number): number =>
  level ** 2 / 2 + level * Math.sqrt(2 * Math.log(1 / delta));

/**
 * `max_τ √((T − τ + 1)) Δ_τ/σ` with `Δ_τ = 2(G + LD(τ − 1)/(τ + 1))`: the Gaussian level of a run without
 * clips on losses that keep their constants, by the round of the record. A stream has one radius for all
 * rounds, so that no certificate says this.
 *
 * @param deviation - `σ` of one entry of each released sum.
 */
export function exactLevel(rounds: number, constants: LossConstants, deviation: number): number {
  let most = 0;
  for (let t = 1; t <= rounds; t++)
    most = Math.max(
      most,
      (2 * incrementBound(constants, 'centred', t) * Math.sqrt(rounds - t + 1)) / deviation,
    );
  return most;
}
