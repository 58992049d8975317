import { InvalidParameter, Unsupported, type Domain, type Loss, type ProximalReference, type Resolved } from '@lethe/core';
import { assertRows, type LabelledRows } from '../labelled-rows.js';
import { objectiveOf } from './objective.js';

/** A minimiser of the average risk, plus the regulariser if there is one, and how good it is. */
export interface NonPrivateOptimum {
  readonly point: Float64Array;
  /** Regulariser included. */
  readonly risk: number;
  /** `‖∇F‖₂` at `point`, or of the least subgradient; not small where the constraint holds the point back. */
  readonly gradientNorm: number;
  /**
   * Certified: `risk − minimal risk ≤ gap`, up to rounding; `Infinity` on an unbounded domain, unless there is a ridge, or ℓ1 and
   * a loss that is never negative.
   */
  readonly gap: number;
  /** Passes over the data. */
  readonly passes: number;
}
/** What {@link nonPrivateOptimum} adds to the risk, and when it stops. */
export interface OptimumOptions {
  /** A public convex function added to the average risk: a ridge (`l2-squared`), or over the whole space `l1`. */
  readonly regulariser?: ProximalReference;
  /** Stops once the certified gap is at most this. @defaultValue 1e-10 × (1 + |risk|) */
  readonly tolerance?: number;
  /** @defaultValue 60 */
  readonly maximalPasses?: number;
}

const rowsForHessian = 2 ** 17;

/**
 * The minimiser of the average risk of a convex, smooth linear model over a domain, by projected (or proximal) Newton steps: **not private**, the
 * baseline of evaluations. Meant for up to a few million rows and some tens of columns; about one pass over the data per step.
 *
 * @throws {Unsupported} when the loss is not convex, smooth and linear, or the regulariser is none of the above.
 * @throws {InvalidParameter} when shapes disagree or the risk is not finite.
 */
export function nonPrivateOptimum(loss: Resolved<Loss>, data: LabelledRows, domain: Domain, { regulariser, tolerance, maximalPasses = 60 }: OptimumOptions = {}): NonPrivateOptimum {
  assertRows(data);
  assertSolvable(loss, data, domain);
  const objective = objectiveOf(loss, data, domain, regulariser);
  const d = data.columns;
  let point: Float64Array = domain.projectInto(new Float64Array(d), new Float64Array(d));
  let gradient: Float64Array = new Float64Array(d);
  let risk = finite(objective.valueAndGradientInto(gradient, point));
  let gap = objective.gap(point, gradient, risk);
  let passes = 1;
  // The squared loss has one Hessian, so its exact one is worth a pass; others start from a sample of the rows.
  let stride = objective.isQuadratic ? 1 : Math.max(1, Math.floor(data.rows / rowsForHessian));
  let matrix: Float64Array | null = null;
  // Raised where Newton's steps lead nowhere, and lowered again.
  let floor = 0;
  while (gap > (tolerance ?? 1e-10 * (1 + Math.abs(risk))) && passes < maximalPasses) {
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
  return { point, risk, gradientNorm: objective.residual(point, gradient), gap, passes };

  /** The largest of the steps 1, ½, ¼ … to `target` that lowers the risk as a convex function must; `null` when rounding hides any descent. */
  function descend(from: Float64Array, height: number, slopeAt: Float64Array, target: Float64Array): { point: Float64Array; risk: number; gradient: Float64Array } | null {
    const expected = objective.slopeTo(from, slopeAt, target);
    if (!(expected < 0)) return null;
    for (let step = 1; step > 1e-6; step /= 2) {
      const candidate = domain.projectInto(new Float64Array(d), from.map((value, j) => value + step * (target[j] - value)));
      const slope = new Float64Array(d);
      const value = objective.valueAndGradientInto(slope, candidate);
      passes++;
      if (value <= height + 1e-4 * step * expected || (value <= height + 1e-15 * Math.abs(height) && objective.residual(candidate, slope) < objective.residual(from, slopeAt))) return { point: candidate, risk: value, gradient: slope };
      if (passes >= maximalPasses) return null;
    }
    return null;
  }

  /** What must shrink: the certified gap, or the gradient where no gap can be certified. */
  function progress(certified: number, at: Float64Array, slope: Float64Array): number {
    return certified < Infinity ? certified : objective.residual(at, slope);
  }
}

function finite(risk: number): number {
  if (!Number.isFinite(risk)) throw new InvalidParameter(`the risk at the start is ${risk}; features and labels must be finite and small enough to square`, { risk });
  return risk;
}

function assertSolvable({ plugin }: Resolved<Loss>, { columns }: LabelledRows, domain: Domain): void {
  const { convex, smooth, linear } = plugin.capabilities;
  if (convex !== true || smooth !== true || linear !== true) {
    throw new Unsupported(`loss '${plugin.name}' is not declared convex, smooth and linear; the reference solver needs all three`, { loss: plugin.name });
  }
  if (domain.dimension !== columns) throw new InvalidParameter(`the domain has dimension ${domain.dimension}, the data have ${columns} columns`, { dimension: domain.dimension, columns });
}
