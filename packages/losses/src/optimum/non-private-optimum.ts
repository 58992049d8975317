import { InvalidParameter, Unsupported, type Domain, type Loss, type Resolved } from '@lethe/core';
import { assertRows, marginForm, type LabelledRows } from '../labelled-rows.js';
import { optimalityGap } from './optimality-gap.js';
import { quadraticStep } from './quadratic-model.js';
import { hessian, riskAndGradientInto } from './second-order.js';

/** A minimiser of the average risk and how good it is. */
export interface NonPrivateOptimum {
  readonly point: Float64Array;
  readonly risk: number;
  /** `‖∇F‖₂` at `point`; not small where the constraint holds the point back. */
  readonly gradientNorm: number;
  /** Certified: `risk − minimal risk ≤ gap`, up to rounding; `Infinity` on an unbounded domain. */
  readonly gap: number;
  /** Passes over the data. */
  readonly passes: number;
}
/** When {@link nonPrivateOptimum} stops. */
export interface OptimumOptions {
  /** Stops once the certified gap is at most this. @defaultValue 1e-10 × (1 + |risk|) */
  readonly tolerance?: number;
  /** @defaultValue 60 */
  readonly maximalPasses?: number;
}

const rowsForHessian = 2 ** 17;

/**
 * The minimiser of the average risk of a convex, smooth linear model over a domain, by projected Newton steps: **not private**, the
 * baseline of evaluations. Meant for up to a few million rows and some tens of columns; about one pass over the data per step.
 *
 * @throws {Unsupported} when the loss is not convex, smooth and linear.
 * @throws {InvalidParameter} when shapes disagree or the risk is not finite.
 */
export function nonPrivateOptimum(loss: Resolved<Loss>, data: LabelledRows, domain: Domain, { tolerance, maximalPasses = 60 }: OptimumOptions = {}): NonPrivateOptimum {
  assertRows(data);
  assertSolvable(loss, data, domain);
  const form = marginForm(loss);
  const d = data.columns;
  let point: Float64Array = domain.projectInto(new Float64Array(d), new Float64Array(d));
  let gradient: Float64Array = new Float64Array(d);
  let risk = finite(riskAndGradientInto(gradient, form, data, point));
  let gap = optimalityGap(point, gradient, domain);
  let passes = 1;
  // The squared loss has one Hessian, so its exact one is worth a pass; others start from a sample of the rows.
  let stride = form.kernel === 'squared' ? 1 : Math.max(1, Math.floor(data.rows / rowsForHessian));
  let matrix: Float64Array | null = null;
  while (gap > (tolerance ?? 1e-10 * (1 + Math.abs(risk))) && passes < maximalPasses) {
    if (matrix === null || form.kernel !== 'squared') {
      matrix = hessian(form, data, point, stride);
      if (stride === 1) passes++;
    }
    const target = quadraticStep(point, gradient, matrix, domain);
    const better = descend(point, risk, gradient, target);
    if (better === null) {
      if (stride === 1) break;
      stride = Math.max(1, Math.floor(stride / 8));
      continue;
    }
    const before = progress(gap, gradient);
    ({ point, risk, gradient } = better);
    gap = optimalityGap(point, gradient, domain);
    if (progress(gap, gradient) > before / 4) stride = Math.max(1, Math.floor(stride / 8));
  }
  return { point, risk, gradientNorm: norm(gradient), gap, passes };

  /** The largest of the steps 1, ½, ¼ … to `target` that lowers the risk as a convex function must; `null` when rounding hides any descent. */
  function descend(from: Float64Array, height: number, slopeAt: Float64Array, target: Float64Array): { point: Float64Array; risk: number; gradient: Float64Array } | null {
    const expected = slopeAt.reduce((sum, entry, j) => sum + entry * (target[j] - from[j]), 0);
    if (!(expected < 0)) return null;
    for (let step = 1; step > 1e-6; step /= 2) {
      const candidate = domain.projectInto(new Float64Array(d), from.map((value, j) => value + step * (target[j] - value)));
      const slope = new Float64Array(d);
      const value = riskAndGradientInto(slope, form, data, candidate);
      passes++;
      if (value <= height + 1e-4 * step * expected || (value <= height + 1e-15 * Math.abs(height) && norm(slope) < norm(slopeAt))) return { point: candidate, risk: value, gradient: slope };
      if (passes >= maximalPasses) return null;
    }
    return null;
  }
}

/** What must shrink: the certified gap, or the gradient where no gap can be certified. */
const progress = (gap: number, gradient: Float64Array): number => (gap < Infinity ? gap : norm(gradient));
const norm = (v: Float64Array): number => Math.sqrt(v.reduce((sum, entry) => sum + entry * entry, 0));

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
