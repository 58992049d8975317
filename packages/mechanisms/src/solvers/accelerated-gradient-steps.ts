import type { Solution, SolverProblem, Vector } from '@lethe/core';

/** Rounding of one projected gradient step, in units of the last place of the points involved. */
const roundingAllowance = 8 * 2 ** -53;

/**
 * The certified points of an accelerated run: one per gradient,
 * the first by a plain step from the start. `point` is reused.
 *
 * `y = (x + αv)/(1 + α)`, `x⁺ = Π(y − ∇F(y)/L)`, `v⁺ = Π((1 − α)v + αy − (α/λ)∇F(y))` with `α = √(λ/L)`:
 * convex combinations and projections only, so that all points are feasible. `F(x) − F* + (λ/2)‖v − x*‖²`
 * falls by the factor `1 − α`.
 */
export function* acceleratedGradientSteps(
  problem: SolverProblem,
  iterations: number,
): Generator<Solution, void> {
  const { domain, strongConvexity, smoothness, start } = problem;
  const alpha = Math.sqrt(strongConvexity / smoothness);
  const x = domain.projectInto(new Float64Array(start.length), start);
  const v = x.slice();
  const y = x.slice();
  const gradient = new Float64Array(start.length);
  const step = (out: Vector, from: (j: number) => number): boolean => {
    for (let j = 0; j < out.length; j++) out[j] = from(j);
    if (!out.every(Number.isFinite)) return false;
    domain.projectInto(out, out);
    return true;
  };
  for (let t = 0; t <= iterations; t++) {
    for (let j = 0; j < y.length; j++) y[j] = (x[j] + alpha * v[j]) / (1 + alpha);
    problem.valueAndGradientInto(gradient, y);
    if (!step(x, (j) => y[j] - gradient[j] / smoothness)) return;
    yield { point: x, distance: certifiedDistance(problem, y, x, gradient) };
    if (t === 0) v.set(x);
    else if (!step(v, (j) => (1 - alpha) * v[j] + alpha * y[j] - (alpha / strongConvexity) * gradient[j]))
      return;
  }
}

/** `(L/λ) √(1 − λ/L) ‖y − x‖`, with the rounding of `x` added to both the step and the result. */
function certifiedDistance(
  { strongConvexity, smoothness }: SolverProblem,
  y: Vector,
  x: Vector,
  gradient: Vector,
): number {
  let moved = 0;
  let size = 0;
  for (let j = 0; j < y.length; j++) {
    moved = Math.hypot(moved, y[j] - x[j]);
    size = Math.hypot(size, Math.abs(y[j]) + Math.abs(gradient[j]) / smoothness);
  }
  const rounding = roundingAllowance * size;
  const factor = (smoothness / strongConvexity) * Math.sqrt((smoothness - strongConvexity) / smoothness);
  return (factor * (moved + rounding) + rounding) * (1 + 2 ** -40);
}
