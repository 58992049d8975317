import type { PrivacyLossDistribution } from '@lethe/core';

/**
 * The pairs of one Gaussian release at every distance `μ`, or of one sampled alike. At every real ε the
 * profile grows with `v(μ) = Φ(μ/2) − ½` and is convex in it: for `N(μ, 1)` against `N(0, 1)`,
 * `∂²H/∂v² = 4 φ(μ/2 − ε/μ) ε² / (μ³ φ(μ/2)²) ≥ 0`, because `∂H/∂μ = φ(x)`,
 * `∂²H/∂μ² = φ(x)(ε²/μ³ − μ/4)` and `v″/v′ = −μ/4`. A Poisson sample maps profiles linearly, so that it keeps
 * both.
 *
 * The masses of two members with the loss `ℓ` of one release have the ratio
 * `(μ/μ′) e^{(μ² − μ′²)/8 − ℓ²(1/μ′² − 1/μ²)/2}`, under `P` and under `Q`; a sample maps the losses of all
 * members alike.
 */
export interface GaussianFamily {
  /** Equal for members of one family. */
  readonly key: string;
  readonly mu: number;
  member(mu: number): PrivacyLossDistribution;
}

/** By identity: a copy of a distribution, which may have another profile, is in no family. */
const families = new WeakMap<PrivacyLossDistribution, GaussianFamily>();

/** Freezes and returns the distribution, known as a member of a family from now on. */
export function inFamily(
  distribution: PrivacyLossDistribution,
  family: GaussianFamily,
): PrivacyLossDistribution {
  families.set(distribution, family);
  return Object.freeze(distribution);
}

/** The family of a distribution known as a member. What plugins return is copied, so it is in none. */
export const familyOf = (distribution: PrivacyLossDistribution): GaussianFamily | undefined =>
  families.get(distribution);
