import {
  defineSolver,
  InvalidParameter,
  Unsupported,
  type Solution,
  type SolverProblem,
  type Vector,
} from '@lethe/core';
import * as z from 'zod';
import { acceleratedGradientSteps } from './accelerated-gradient-steps.js';

/**
 * Projected accelerated gradient descent for λ-strongly convex, L-smooth objectives, run for exactly
 * `iterations` gradients after the first. Every point at which the objective is evaluated lies in the domain.
 *
 * The certificate. Let `x⁺ = Π(y − ∇F(y)/L)` for a feasible `y`, and `g = L (y − x⁺)`. Smoothness at `x⁺`,
 * strong convexity at `y` and the projection's inequality give, for every feasible `u`,
 * `F(u) ≥ F(x⁺) + ⟨g, u − y⟩ + ‖g‖²/(2L) + (λ/2) ‖u − y‖²`. At the minimiser `u = x*`, the right-hand side is
 * least over all distances `‖x* − y‖` when that is `‖g‖/λ`, hence `F(x⁺) − F(x*) ≤ ‖g‖² (1/λ − 1/L) / 2`;
 * strong convexity at `x*` turns that into `‖x⁺ − x*‖ ≤ (‖g‖/λ) √(1 − λ/L)`. On the whole space `g` is the
 * gradient itself.
 *
 * `distance` is the least such bound over the run, with an allowance for the rounding of the step (not of the
 * gradient, which is taken as exact). A gradient that is not finite ends the search: `distance` is then what
 * was certified before, `Infinity` at first.
 *
 * @param params - `iterations`: a public number;
 * {@link acceleratedGradientIterations} gives one that
 * suffices.
 */
export const acceleratedGradient = defineSolver({
  name: 'accelerated-gradient',
  summary: 'Projected accelerated gradient descent with a certified distance from the minimiser.',
  source: { id: 'nesterov-2004', item: 'Section 2.2' },
  params: z.strictObject({ iterations: z.int().positive().max(1e9) }),
  claims: [
    { property: 'certified-distance', statement: '‖point − minimiser‖ ≤ distance, for exact gradients' },
    {
      property: 'worst-distance',
      statement:
        'distance ≤ 2 κ^(3/2) D e^(−(iterations − 1)/(2√κ)), κ = smoothness / strongConvexity, ' +
        'D ≥ ‖start − minimiser‖; above rounding',
    },
    { property: 'feasible', statement: 'point and every point at which F is evaluated lie in the domain' },
    { property: 'public-effort', statement: 'iterations + 1 evaluations, whatever the objective' },
    { property: 'deterministic', statement: 'no memory and no randomness' },
    {
      property: 'typed-errors',
      statement:
        'constants and starts that describe no problem are refused; gradients that are not finite end ' +
        'the search and certify nothing',
    },
  ],
  examples: [{ iterations: 5 }, { iterations: 60 }, { iterations: 400 }],
  worstDistance({ iterations }, { strongConvexity, smoothness, startDistance }) {
    const condition = Math.max(1, smoothness / strongConvexity);
    return 2 * condition ** 1.5 * startDistance * Math.exp(-(iterations - 1) / (2 * Math.sqrt(condition)));
  },
  evaluations: ({ iterations }) => iterations + 1,
  solve({ iterations }, problem) {
    assertSolvable(problem);
    let best: Solution = {
      point: problem.domain.projectInto(new Float64Array(problem.start.length), problem.start),
      distance: Infinity,
    };
    for (const candidate of acceleratedGradientSteps(problem, iterations)) {
      if (candidate.distance < best.distance)
        best = { point: candidate.point.slice(), distance: candidate.distance };
    }
    return best;
  },
});

/**
 * Iterations after which {@link acceleratedGradient} certifies `tolerance`: the potential falls by
 * `1 − √(λ/L)` per iteration from at most `(L/2) D²`, and the step `‖y − x⁺‖` is at most twice the distance
 * of `y` from the minimiser.
 *
 * @param condition - `κ = smoothness / strongConvexity`, at least 1.
 * @param ratio - `D / tolerance`, where `D` bounds the distance from the start to the minimiser; positive.
 * @throws {InvalidParameter} outside these ranges.
 */
export function acceleratedGradientIterations(condition: number, ratio: number): number {
  if (!(condition >= 1) || !Number.isFinite(condition))
    throw new InvalidParameter(`the condition number is ${condition}; it must be finite and at least 1`, {
      condition,
    });
  if (!(ratio > 0) || !Number.isFinite(ratio))
    throw new InvalidParameter(
      `the ratio of distance to tolerance is ${ratio}; it must be positive and finite`,
      { ratio },
    );
  const logarithm = Math.log(2) + 1.5 * Math.log(condition) + Math.log(ratio);
  return 1 + Math.max(1, Math.ceil(2 * Math.sqrt(condition) * logarithm));
}

function assertSolvable({ strongConvexity, smoothness, start, domain }: SolverProblem): void {
  if (!(strongConvexity > 0) || !Number.isFinite(strongConvexity)) {
    throw new InvalidParameter(`strongConvexity is ${strongConvexity}; it must be positive and finite`, {
      strongConvexity,
    });
  }
  if (smoothness === Infinity) {
    throw new Unsupported(
      "solver 'accelerated-gradient' needs a smooth objective; use a smooth loss or a subgradient solver",
      { smoothness },
    );
  }
  if (!(smoothness >= strongConvexity)) {
    throw new InvalidParameter(
      `smoothness is ${smoothness}; it must be finite and at least strongConvexity, ${strongConvexity}`,
      { smoothness, strongConvexity },
    );
  }
  if (start.length !== domain.dimension || !isFinite(start)) {
    throw new InvalidParameter(`the start must have ${domain.dimension} finite coordinates`, {
      length: start.length,
      dimension: domain.dimension,
    });
  }
}

const isFinite = (vector: Vector): boolean => vector.every(Number.isFinite);
