import { Unsupported, type Loss, type Resolved } from '@lethe/core';
import { type Domain, type Proximal } from '@lethe/numerics';
import { isDense, marginForm, type LabelledRows, type MarginForm } from '../labelled-rows.js';
import { l1Step } from './l1-step.js';
import { euclidean } from './euclidean.js';
import { multiOutputObjective } from './multi-output-objective.js';
import type { Objective } from './objective.js';
import { hessian, riskAndGradientInto } from './second-order.js';

/** A smooth loss of a linear model, as the solver sees it. */
export interface SmoothPart {
  readonly form: MarginForm;
  /** The largest second derivative in the margin; 0 if it is not known. */
  readonly curvature: number;
  /** One Hessian is that of every point. */
  readonly isQuadratic: boolean;
  readonly isNonNegative: boolean;
}

/**
 * The average of a loss of a linear model.
 * @throws {Unsupported} for a regulariser that is neither a ridge nor, over the whole space, ℓ1.
 */
export function objectiveOf(
  loss: Resolved<Loss>,
  data: LabelledRows,
  domain: Domain,
  regulariser: Proximal | undefined,
): Objective {
  const { plugin, params } = loss;
  const { nonNegative = false, quadratic = false } = plugin.capabilities;
  if (plugin.multiOutput !== null)
    return regularised(multiOutputObjective(loss, data, domain), domain, regulariser, nonNegative);
  const curvature =
    plugin.facts(params, { columns: 1, featureBounds: [1] })['coordinateSmoothness']?.value ?? 0;
  return objectiveFor(
    { form: marginForm(loss), curvature, isQuadratic: quadratic, isNonNegative: nonNegative },
    data,
    domain,
    regulariser,
  );
}

/** {@link objectiveOf}, of a loss that is no plugin. */
export function objectiveFor(
  { form, curvature, isQuadratic, isNonNegative }: SmoothPart,
  data: LabelledRows,
  domain: Domain,
  regulariser: Proximal | undefined,
): Objective {
  return regularised(
    {
      ...euclidean(domain),
      valueAndGradientInto: (gradient, w) => riskAndGradientInto(gradient, form, data, w),
      hessian: isDense(data)
        ? (w, { stride, floor }) => hessian(form, data, w, { stride, floor: floor * curvature })
        : null,
      isQuadratic,
    },
    domain,
    regulariser,
    isNonNegative,
  );
}

/**
 * Adds a public function.
 * @throws {Unsupported} for one that is neither a ridge nor, over the whole space, ℓ1.
 */
export function regularised(
  smooth: Objective,
  domain: Domain,
  regulariser: Proximal | undefined,
  isNonNegative: boolean,
): Objective {
  if (regulariser === undefined) return smooth;
  if (regulariser.ridge !== undefined) return withRidge(smooth, regulariser, regulariser.ridge);
  if (regulariser.lasso !== undefined && domain.unconstrained === true && smooth.hessian !== null)
    return withL1(smooth, regulariser, regulariser.lasso, isNonNegative);
  throw new Unsupported(
    'the reference solver takes a ridge over any domain, and of dense rows l1 over the whole space; ' +
      `not '${regulariser.name}' over '${domain.name}'`,
    { regulariser: regulariser.name, domain: domain.name },
  );
}

/** A ridge is smooth; by its strong convexity `‖∇F‖²` in the dual norm bounds the gap, over any domain. */
function withRidge(
  smooth: Objective,
  part: Proximal,
  { strength, centre }: NonNullable<Proximal['ridge']>,
): Objective {
  const { hessian: hessianOf } = smooth;
  return {
    ...smooth,
    valueAndGradientInto(gradient, w) {
      const value = smooth.valueAndGradientInto(gradient, w) + part.value(w);
      for (let j = 0; j < w.length; j++) gradient[j] += strength[j] * (w[j] - centre[j]);
      return value;
    },
    hessian:
      hessianOf === null
        ? null
        : (w, options) => {
            const matrix = hessianOf(w, options);
            for (let j = 0; j < w.length; j++) matrix[j * w.length + j] += strength[j];
            return matrix;
          },
    gap: (w, gradient, value) =>
      Math.min(
        smooth.gap(w, gradient, value),
        gradient.reduce((sum, entry, j) => sum + (entry * entry) / (2 * strength[j]), 0),
      ),
  };
}

/**
 * `F = f + λ‖·‖₁`. Where the loss is never negative, a minimiser has `λ‖w*‖₁ ≤ F(w)`; then
 * `F(w) − F* ≤ ⟨g, w⟩ + λ‖w‖₁ + max_v (−⟨g, v⟩ − λ‖v‖₁)` over
 * `‖v‖₁ ≤ F(w)/λ`, which is `(F(w)/λ) max(0, ‖g‖∞ − λ)`.
 */
function withL1(smooth: Objective, part: Proximal, lambda: number, isNonNegative: boolean): Objective {
  return {
    ...smooth,
    valueAndGradientInto: (gradient, w) => smooth.valueAndGradientInto(gradient, w) + part.value(w),
    step: (w, gradient, matrix) => l1Step(w, gradient, matrix, lambda),
    slopeTo: (w, gradient, target) =>
      smooth.slopeTo(w, gradient, target) + part.value(target) - part.value(w),
    gap(w, gradient, value) {
      const beyond = Math.max(
        0,
        gradient.reduce((most, entry) => Math.max(most, Math.abs(entry)), 0) - lambda,
      );
      let reach: number;
      if (beyond === 0) reach = 0;
      else if (isNonNegative) reach = (value / lambda) * beyond;
      else reach = Infinity;
      return (
        Math.max(
          0,
          gradient.reduce((sum, entry, j) => sum + entry * w[j] + lambda * Math.abs(w[j]), 0),
        ) + reach
      );
    },
    residual: (w, gradient) =>
      norm(
        gradient.map((entry, j) =>
          w[j] === 0 ? Math.max(0, Math.abs(entry) - lambda) : entry + lambda * Math.sign(w[j]),
        ),
      ),
  };
}

const norm = (v: Float64Array): number => Math.sqrt(v.reduce((sum, entry) => sum + entry * entry, 0));
