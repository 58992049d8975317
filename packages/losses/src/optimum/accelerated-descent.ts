import type { Domain } from '@lethe/numerics';
import { finite, toleranceFor, type Descent, type DescentOptions } from './descent.js';
import type { Objective } from './objective.js';

/** Steps between two looks at the certified gap, which takes some projections. */
const between = 10;

/**
 * Accelerated projected gradient steps of a smooth convex objective, with a step size that is searched and
 * restarts where the value would rise, until the gap is within the tolerance or rounding hides any descent.
 *
 * @throws {InvalidParameter} when the value at the start is not finite.
 * @see Nesterov 1983; O'Donoghue and Candès 2015, for the restarts.
 */
export function acceleratedDescent(
  objective: Objective,
  domain: Domain,
  { start, tolerance, maximalPasses = 4000 }: DescentOptions,
): Descent {
  const d = start.length;
  let point = start;
  let ahead = start;
  let gradient: Float64Array = new Float64Array(d);
  let risk = finite(objective.valueAndGradientInto(gradient, point));
  let gap = objective.gap(point, gradient, risk);
  let passes = 1;
  let momentum = 1;
  let smoothness = 1e-3;
  const slope = new Float64Array(d);
  for (let step = 1; gap > toleranceFor(risk, tolerance) && passes < maximalPasses; step++) {
    const height = objective.valueAndGradientInto(slope, ahead);
    passes++;
    let next: Float64Array;
    const nextGradient = new Float64Array(d);
    let nextRisk: number;
    for (;;) {
      next = domain.projectInto(
        new Float64Array(d),
        ahead.map((value, j) => value - slope[j] / smoothness),
      );
      nextRisk = objective.valueAndGradientInto(nextGradient, next);
      passes++;
      if (nextRisk <= model(height, slope, ahead, next, smoothness) || passes >= maximalPasses) break;
      smoothness *= 2;
    }
    const rises = ahead.reduce((sum, value, j) => sum + (value - next[j]) * (next[j] - point[j]), 0) > 0;
    const following = rises ? 1 : (1 + Math.sqrt(1 + 4 * momentum * momentum)) / 2;
    const carry = rises ? 0 : (momentum - 1) / following;
    const isStuck = next.every((value, j) => Math.abs(value - ahead[j]) <= 1e-16 * (1 + Math.abs(value)));
    const before = point;
    if (nextRisk <= risk || !rises) {
      point = next;
      risk = nextRisk;
      gradient = nextGradient;
    }
    ahead = next.map((value, j) => value + carry * (value - before[j]));
    momentum = following;
    smoothness *= 0.95;
    if (step % between === 0 || isStuck) gap = objective.gap(point, gradient, risk);
    if (isStuck) break;
  }
  gap = objective.gap(point, gradient, risk);
  return { point, risk, gradient, gap, residual: objective.residual(point, gradient), passes };
}

/** The upper model of a function of this smoothness about `from`, at `to`, with room for rounding. */
function model(
  height: number,
  slope: Float64Array,
  from: Float64Array,
  to: Float64Array,
  smoothness: number,
): number {
  let linear = 0;
  let square = 0;
  for (let j = 0; j < to.length; j++) {
    const moved = to[j] - from[j];
    linear += slope[j] * moved;
    square += moved * moved;
  }
  return height + linear + (smoothness / 2) * square + 1e-14 * (1 + Math.abs(height));
}
