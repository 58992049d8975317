import { defineSolver, InvalidParameter, Unsupported, type SolverProblem, type Vector } from '@lethe/core';
import * as z from 'zod';

/**
 * Projected gradient descent with step `1/smoothness`: a contraction by `q = 1 − strongConvexity/smoothness`,
 * so that the last step `s` certifies a distance of `q/(1 − q) · s`. Say here why the certificate of yours
 * holds, and what of rounding it covers.
 *
 * @param params - `iterations`: a public number of gradients.
 */
export const templateSolver = defineSolver({
  name: 'template-solver',
  summary: 'Projected gradient descent with a certified distance from the minimiser.',
  source: { id: 'lethe', item: 'template' },
  params: z.strictObject({ iterations: z.int().positive().max(1e9) }),
  examples: [{ iterations: 5 }, { iterations: 400 }],
  claims: [
    { property: 'certified-distance', statement: '‖point − minimiser‖ ≤ distance, for exact gradients' },
    {
      property: 'worst-distance',
      statement:
        'distance ≤ 2 κ q^iterations D, κ = smoothness / strongConvexity, D ≥ ‖start − minimiser‖; above ' +
        'rounding',
    },
    { property: 'feasible', statement: 'point and every point at which F is evaluated lie in the domain' },
    { property: 'public-effort', statement: 'as many evaluations as iterations, whatever the objective' },
    { property: 'deterministic', statement: 'no memory and no randomness' },
    {
      property: 'typed-errors',
      statement:
        'constants and starts that describe no problem are refused; gradients that are not finite end ' +
        'the search and certify nothing',
    },
  ],
  worstDistance({ iterations }, { strongConvexity, smoothness, startDistance }) {
    const condition = Math.max(1, smoothness / strongConvexity);
    return 2 * condition * startDistance * Math.exp(iterations * Math.log1p(-1 / condition));
  },
  solve({ iterations }, problem) {
    assertSolvable(problem);
    const { domain, strongConvexity, smoothness, start } = problem;
    const x = domain.projectInto(new Float64Array(start.length), start);
    const gradient = new Float64Array(start.length);
    const next = new Float64Array(start.length);
    let distance = Infinity;
    for (let t = 0; t < iterations; t++) {
      problem.valueAndGradientInto(gradient, x);
      for (let j = 0; j < next.length; j++) next[j] = x[j] - gradient[j] / smoothness;
      if (!next.every(Number.isFinite)) return { point: x, distance: Infinity };
      domain.projectInto(next, next);
      const { moved, rounding } = lengthOf(x, next, gradient, smoothness);
      distance =
        (((smoothness - strongConvexity) / strongConvexity) * (moved + rounding) + rounding) * (1 + 2 ** -40);
      x.set(next);
    }
    return { point: x, distance };
  },
});

/** Length of a step, and what rounding may have done to it. */
function lengthOf(
  from: Vector,
  to: Vector,
  gradient: Vector,
  smoothness: number,
): { readonly moved: number; readonly rounding: number } {
  let moved = 0;
  let size = 0;
  for (let j = 0; j < from.length; j++) {
    moved = Math.hypot(moved, to[j] - from[j]);
    size = Math.hypot(size, Math.abs(from[j]) + Math.abs(gradient[j]) / smoothness);
  }
  return { moved, rounding: 8 * 2 ** -53 * size };
}

function assertSolvable({ strongConvexity, smoothness, start, domain }: SolverProblem): void {
  if (smoothness === Infinity)
    throw new Unsupported(
      "solver 'template-solver' needs a smooth objective; use a smooth loss or a subgradient solver",
      { smoothness },
    );
  if (!(strongConvexity > 0 && smoothness >= strongConvexity)) {
    throw new InvalidParameter(
      `strongConvexity is ${strongConvexity} and smoothness ${smoothness}; ` +
        'the first must be positive, the second finite and no smaller',
      { strongConvexity, smoothness },
    );
  }
  if (start.length !== domain.dimension || !start.every(Number.isFinite))
    throw new InvalidParameter(`the start must have ${domain.dimension} finite coordinates`, {
      length: start.length,
      dimension: domain.dimension,
    });
}
