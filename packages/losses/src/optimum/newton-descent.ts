import { type Domain } from '@lethe/numerics';
import { finite, toleranceFor, type Descent, type DescentOptions } from './descent.js';
import type { Objective } from './objective.js';

const rowsForHessian = 2 ** 17;

/**
 * Projected (or proximal) Newton steps that never raise the objective,
 * until its gap is within the tolerance or rounding hides any descent.
 *
 * @throws {InvalidParameter} when the value at the start is not finite.
 */
export function newtonDescent(
  objective: Objective & { readonly hessian: NonNullable<Objective['hessian']> },
  domain: Domain,
  { start, rows, tolerance, maximalPasses = 60 }: DescentOptions,
): Descent {
  const d = start.length;
  let point = start;
  let gradient: Float64Array = new Float64Array(d);
  let risk = finite(objective.valueAndGradientInto(gradient, point));
  let gap = objective.gap(point, gradient, risk);
  let passes = 1;
  // The squared loss has one Hessian, so its exact one is worth
  // a pass; others start from a sample of the rows.
  let stride = objective.isQuadratic ? 1 : Math.max(1, Math.floor(rows / rowsForHessian));
  let matrix: Float64Array | null = null;
  // Raised where Newton's steps lead nowhere, and lowered again.
  let floor = 0;
  while (gap > toleranceFor(risk, tolerance) && passes < maximalPasses) {
    if (matrix === null || !objective.isQuadratic) {
      matrix = objective.hessian(point, { stride, floor });
      if (stride === 1) passes++;
    }
    const target = objective.step(point, gradient, matrix);
    const better = descend(point, risk, gradient, target);
    if (better === null) {
      if (stride === 1 && (floor >= 1 || objective.isQuadratic)) break;
      if (stride === 1) floor = Math.max(0.01, 10 * floor);
      else stride = Math.max(1, Math.floor(stride / 8));
      continue;
    }
    floor = floor > 0.01 ? floor / 10 : 0;
    const before = progress(gap, point, gradient);
    ({ point, risk, gradient } = better);
    gap = objective.gap(point, gradient, risk);
    if (progress(gap, point, gradient) > before / 4) stride = Math.max(1, Math.floor(stride / 8));
  }
  return { point, risk, gradient, gap, residual: objective.residual(point, gradient), passes };

  /**
   * The largest of the steps 1, ½, ¼ … to `target` that lowers the value as much as its slope lets expect;
   * `null` when rounding hides any descent.
   */
  function descend(
    from: Float64Array,
    height: number,
    slopeAt: Float64Array,
    target: Float64Array,
  ): { point: Float64Array; risk: number; gradient: Float64Array } | null {
    const expected = objective.slopeTo(from, slopeAt, target);
    if (!(expected < 0)) return null;
    for (let step = 1; step > 1e-6; step /= 2) {
      const candidate = domain.projectInto(
        new Float64Array(d),
        from.map((value, j) => value + step * (target[j] - value)),
      );
      const slope = new Float64Array(d);
      const value = objective.valueAndGradientInto(slope, candidate);
      passes++;
      if (
        value <= height + 1e-4 * step * expected ||
        (value <= height + 1e-15 * Math.abs(height) &&
          objective.residual(candidate, slope) < objective.residual(from, slopeAt))
      )
        return { point: candidate, risk: value, gradient: slope };
      if (passes >= maximalPasses) return null;
    }
    return null;
  }

  /** Measure of progress: the certified gap, or the gradient without a certificate. */
  function progress(certified: number, at: Float64Array, slope: Float64Array): number {
    return certified < Infinity ? certified : objective.residual(at, slope);
  }
}
