import { InvalidParameter, type NonPrivateOptimum, type OptimumOptions } from '@lethe/core';
import { type Domain } from '@lethe/numerics';

/** Final state of a descent. */
export interface Descent {
  readonly point: Float64Array;
  readonly risk: number;
  readonly gradient: Float64Array;
  /** Certified gap of the objective at the point. */
  readonly gap: number;
  /** Norm of the least (sub)gradient, the domain aside. */
  readonly residual: number;
  /** Passes over the data. */
  readonly passes: number;
}
/** When a descent stops. */
export interface DescentOptions {
  /** A point of the domain. */
  readonly start: Float64Array;
  readonly rows: number;
  readonly tolerance: number | undefined;
  /** Left out: what suits the method. */
  readonly maximalPasses: number | undefined;
}

/** Descents from the point of the domain nearest to zero. */
export const descentOptions = (
  rows: number,
  domain: Domain,
  { tolerance, maximalPasses }: OptimumOptions,
): DescentOptions => ({
  start: domain.projectInto(new Float64Array(domain.dimension), new Float64Array(domain.dimension)),
  rows,
  tolerance,
  maximalPasses,
});

/** Result of a descent. The gap of a risk that is never negative is at most the risk. */
export const foundBy = (
  { point, risk, gap, residual, passes }: Descent,
  isNonNegative: boolean,
): NonPrivateOptimum => ({
  point,
  risk,
  gradientNorm: residual,
  gap: isNonNegative ? Math.min(gap, risk) : gap,
  certified: 'gap',
  passes,
});

/** Target of a certified gap. */
export const toleranceFor = (risk: number, tolerance: number | undefined): number =>
  tolerance ?? 1e-10 * (1 + Math.abs(risk));

/** @throws {InvalidParameter} for a value at the start that is not finite. */
export function finite(risk: number): number {
  if (!Number.isFinite(risk))
    throw new InvalidParameter(
      `the risk at the start is ${risk}; features and labels must be finite and small enough to square`,
      { risk },
    );
  return risk;
}
