import { InvalidParameter } from '@lethe/core';
import { requireNonNegative, requirePositive } from '../common/require.js';

/** What strengths of the regulariser of output perturbation are chosen by. */
export interface PerturbationSetting {
  /** `n`. */
  readonly records: number;
  readonly dimension: number;
  /** `s`. */
  readonly sparsity: number;
  /** `L`. */
  readonly lipschitz: number;
  /** `H`; 0 for linear losses. */
  readonly smoothness: number;
  /** `D`: bound on the distance from the centre of the regulariser to the minimiser. */
  readonly distance: number;
}

/** Privacy and failure as the theorems have them. */
export interface PerturbationTarget {
  /** `ε`. */
  readonly epsilon: number;
  /** `δ`; 0 for noise that is calibrated in ℓ1. */
  readonly delta: number;
  /** `β`: the bounds of the theorems fail with this probability. */
  readonly failure: number;
}

/** @throws {InvalidParameter} for numbers outside their domains. */
function assertSetting(setting: PerturbationSetting, { epsilon, delta, failure }: PerturbationTarget): void {
  const { smoothness, ...positive } = setting;
  requirePositive({ ...positive, epsilon });
  requireNonNegative({ smoothness });
  if (!(delta >= 0 && delta < 1))
    throw new InvalidParameter(`delta is ${delta}; it must be at least 0 and below 1`, { delta });
  if (!(failure > 0 && failure < 1))
    throw new InvalidParameter(`failure is ${failure}; it must be between 0 and 1`, { failure });
}

/**
 * `λ` of Theorem 7.1: `((L²H/D²)·s ln(d/β)/(εn))^(1/3)` for δ = 0, else
 * `(L/D)·(s ln(1/δ) ln(d/β))^(1/4)/√(εn)`.
 *
 * @throws {InvalidParameter} for numbers outside their domains.
 * @see Ghazi and others 2024, Theorem 7.1.
 */
export function empiricalStrength(setting: PerturbationSetting, target: PerturbationTarget): number {
  assertSetting(setting, target);
  const { records, dimension, sparsity, lipschitz, smoothness, distance } = setting;
  const { epsilon, delta, failure } = target;
  const logarithm = Math.log(dimension / failure);
  if (delta === 0) requirePositive({ smoothness });
  return delta === 0
    ? Math.cbrt(
        ((lipschitz ** 2 * smoothness) / distance ** 2) * ((sparsity * logarithm) / (epsilon * records)),
      )
    : ((lipschitz / distance) * (sparsity * Math.log(1 / delta) * logarithm) ** 0.25) /
        Math.sqrt(epsilon * records);
}

/**
 * `λ` of Theorem 7.6: for δ = 0 that of Theorem 7.1, else
 * `(L/D)·√(ln n ln(1/β)/n + √(s ln(1/δ) ln(d/β))/(εn))`.
 *
 * @throws {InvalidParameter} for numbers outside their domains.
 * @see Ghazi and others 2024, Theorem 7.6.
 */
export function populationStrength(setting: PerturbationSetting, target: PerturbationTarget): number {
  if (target.delta === 0) return empiricalStrength(setting, target);
  assertSetting(setting, target);
  const { records, dimension, sparsity, lipschitz, distance } = setting;
  const { epsilon, delta, failure } = target;
  return (
    (lipschitz / distance) *
    Math.sqrt(
      (Math.log(records) * Math.log(1 / failure)) / records +
        Math.sqrt(sparsity * Math.log(1 / delta) * Math.log(dimension / failure)) / (epsilon * records),
    )
  );
}

/** Noise of a minimiser, as a multiple of how far a record moves it. */
export interface PerturbationNoise {
  /** In which it is calibrated. */
  readonly norm: 1 | 2;
  /** Expectation of the largest entry in size, over the ℓ2 or ℓ1 sensitivity. */
  readonly largest: number;
  /** 2 where a record is replaced, 1 where it becomes null. */
  readonly changes: 1 | 2;
  /** 1 on the whole space, where the noised point stays as it is; else 2. */
  readonly projections: 1 | 2;
}

/**
 * The strength at which {@link perturbationRisk} is least: the bound is `a/λ + b/λ² + λD²/2`, so that
 * `D²λ³/2 = aλ + 2b`, by Newton's method from above.
 *
 * @throws {InvalidParameter} for numbers outside their domains.
 */
export function leastBoundStrength(setting: PerturbationSetting, noise: PerturbationNoise): number {
  const { smoothness, ...positive } = setting;
  requirePositive({ ...positive, largest: noise.largest });
  requireNonNegative({ smoothness });
  const { records, dimension, sparsity, lipschitz, distance } = positive;
  const { norm, largest, changes, projections } = noise;
  const perUnit = (projections * Math.sqrt(sparsity) * lipschitz * largest * changes * lipschitz) / records;
  const a = perUnit * (norm === 1 ? Math.sqrt(sparsity) : 1) + (2 * lipschitz ** 2) / records;
  const b = norm === 1 ? perUnit * Math.sqrt(Math.min(2 * sparsity, dimension)) * smoothness : 0;
  let lambda = Math.max((2 * Math.sqrt(a)) / distance, Math.cbrt((8 * b) / distance ** 2));
  for (let step = 0; step < 60; step++) {
    const excess = (distance ** 2 * lambda ** 3) / 2 - a * lambda - 2 * b;
    lambda -= excess / (1.5 * distance ** 2 * lambda ** 2 - a);
  }
  return lambda;
}

/**
 * Bound on the excess empirical risk of a noised minimiser: `c√s·L·(ξ + ρ) + λD²/2`.
 *
 * @param largest - `ξ`: a bound on the largest entry of the noise in size, or on its expectation.
 * @param tolerance - `ρ`: of the solver.
 * @see Ghazi and others 2024, Theorem 7.1, with constants, and 2√s for its √(2s).
 */
export const empiricalRisk = (
  { sparsity, lipschitz, distance }: Pick<PerturbationSetting, 'sparsity' | 'lipschitz' | 'distance'>,
  {
    lambda,
    largest,
    projections,
    tolerance = 0,
  }: {
    readonly lambda: number;
    readonly largest: number;
    readonly projections: 1 | 2;
    readonly tolerance?: number;
  },
): number =>
  Math.sqrt(sparsity) * lipschitz * (projections * largest + tolerance) + (lambda * distance ** 2) / 2;

/**
 * Bound on the expected excess population risk: {@link empiricalRisk} and `2L²/(λn)`, by which a minimiser
 * that moves by `2L/(λn)` with a record does better on its own records.
 *
 * @see Ghazi and others 2024, Remark 7.7, with constants.
 */
export const perturbationRisk = (
  setting: Pick<PerturbationSetting, 'sparsity' | 'lipschitz' | 'distance' | 'records'>,
  at: Parameters<typeof empiricalRisk>[1],
): number => empiricalRisk(setting, at) + (2 * setting.lipschitz ** 2) / (at.lambda * setting.records);
