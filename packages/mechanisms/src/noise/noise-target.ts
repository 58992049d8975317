import { divideUp, multiplyDown, sqrtDown } from '@lethe/numerics';
import { InvalidParameter } from '@lethe/core';

/** @throws {InvalidParameter} unless ρ is positive and finite. */
export function assertRho(rho: number): void {
  if (!(rho > 0) || !Number.isFinite(rho)) {
    throw new InvalidParameter(`a target of rho = ${rho} was given; rho must be positive and finite`, {
      rho,
    });
  }
}

/**
 * `1/√(2ρ)`, rounded up: the noise multiplier at which
 * `D_α ≤ α / (2 multiplier²)`, or pure `1/multiplier`, is ρ-zCDP.
 *
 * @throws {InvalidParameter} unless ρ is positive and finite.
 */
export function multiplierForRho(rho: number): number {
  assertRho(rho);
  return divideUp(1, sqrtDown(multiplyDown(2, rho)));
}

/** @throws {InvalidParameter} unless ε is positive and finite and δ in [0, 1). */
export function assertEpsilonDelta(epsilon: number, delta: number): void {
  if (!(epsilon > 0) || !Number.isFinite(epsilon)) {
    throw new InvalidParameter(
      `a target of epsilon = ${epsilon} was given; epsilon must be positive and finite`,
      { epsilon },
    );
  }
  if (!(delta >= 0) || !(delta < 1)) {
    throw new InvalidParameter(`a target of delta = ${delta} was given; delta must be in [0, 1)`, { delta });
  }
}

/** @throws {InvalidParameter} unless the scale is positive and finite. */
export function assertScale(scale: number): void {
  if (!(scale > 0) || !Number.isFinite(scale)) {
    throw new InvalidParameter(
      `noise of scale ${scale} was asked for; the scale must be positive and finite`,
      { scale },
    );
  }
}
