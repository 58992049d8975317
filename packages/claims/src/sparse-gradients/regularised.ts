import type { SolverProblem, Vector } from '@lethe/core';
import { norm2, wholeSpace, type Domain } from '@lethe/numerics';
import { dot } from '../common/vectors.js';

/** Average of losses of a linear model, plus `(λ/2)‖x‖²`. */
export interface Regularised {
  /** Gradients at slope 1; of ℓ2 norm 1 at most. */
  readonly rows: readonly (readonly number[])[];
  readonly lambda: number;
  /** `√(1 + (m − 1)²)` of the margin, with slopes and curvature of 1 at most, or the margin itself. */
  readonly loss: 'curved' | 'linear';
  /** @defaultValue the whole space */
  readonly domain?: Domain;
}

const valueOf = (loss: Regularised['loss'], margin: number): number =>
  loss === 'linear' ? margin : Math.hypot(1, margin - 1);
const slopeOf = (loss: Regularised['loss'], margin: number): number =>
  loss === 'linear' ? 1 : (margin - 1) / Math.hypot(1, margin - 1);

/** The average loss alone. */
export const average = ({ rows, loss }: Pick<Regularised, 'rows' | 'loss'>, x: Vector): number =>
  rows.reduce((sum, row) => sum + valueOf(loss, dot(row, x)) / rows.length, 0);

/** Its gradient. */
export function gradientOf({ rows, loss }: Pick<Regularised, 'rows' | 'loss'>, x: Vector): Vector {
  const out = new Float64Array(x.length);
  for (const row of rows) {
    const slope = slopeOf(loss, dot(row, x)) / rows.length;
    for (let j = 0; j < x.length; j++) out[j] += slope * row[j];
  }
  return out;
}

/** The problem of a solver, from a start that is not the minimiser. */
export function problemOf({
  rows,
  lambda,
  loss,
  domain = wholeSpace(rows[0].length),
}: Regularised): SolverProblem {
  return {
    domain,
    strongConvexity: lambda,
    smoothness: lambda + (loss === 'linear' ? 0 : 1),
    start: new Float64Array(domain.dimension).fill(0.3),
    valueAndGradientInto(out, x) {
      const gradient = gradientOf({ rows, loss }, x);
      for (let j = 0; j < out.length; j++) out[j] = gradient[j] + lambda * x[j];
      return average({ rows, loss }, x) + (lambda / 2) * norm2(x) ** 2;
    },
  };
}
