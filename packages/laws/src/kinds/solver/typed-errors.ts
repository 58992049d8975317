import type { SolverProblem } from '@lethe/core';
import { fails, holds } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import { notRefused, type Refusal } from '../sampler/declined.js';
import { solvable } from './objectives.js';

/**
 * Invalid problems are refused, and gradients that are not finite certify nothing; for solvers that claim it.
 */
export const typedErrors = defineLaw<'solver'>({
  id: 'solver/typed-errors',
  kind: 'solver',
  tier: 'exact',
  onClaim: true,
  statement:
    'invalid constants and starts throw a typed error; ' +
    'gradients that are not finite give a finite point and no false certificate',
  power:
    'any of 9 invalid problems that returns a solution or another error, ' +
    'and 6 objectives with non-finite gradients',
  check({ plugin, params }) {
    const { problem, minimiser, resolution } = solvable({
      domain: 'ball',
      shape: 'quadratic',
      radius: 1,
      strongConvexity: 1,
      condition: 4,
      shares: [0, 0.5, 1],
      mirror: [1, 1, 0],
      target: [2, 0, 0],
      slope: 1,
      start: [0, 3, 0],
    });
    const refusal = (change: Partial<SolverProblem>): Refusal => ({
      call: `solve with ${Object.entries(change)
        .map(([name, value]) => `${name} ${String(value)}`)
        .join(', ')}`,
      run: () => plugin.solve(params, { ...problem, ...change }, 1e-3),
    });
    const bad = [
      ...[0, -1, NaN, Infinity].map((strongConvexity) => refusal({ strongConvexity })),
      ...[0.5, NaN].map((smoothness) => refusal({ smoothness })),
      refusal({ start: new Float64Array(2) }),
      refusal({ start: Float64Array.of(0, NaN, 0) }),
      refusal({ start: Float64Array.of(0, 0, Infinity) }),
    ];
    const answered = notRefused(bad);
    if (answered !== undefined) return fails(bad.length, answered);
    for (const [index, from] of [0, 1, 3].entries())
      for (const special of [NaN, Infinity]) {
        let evaluations = 0;
        const { point, distance } = plugin.solve(
          params,
          {
            ...problem,
            valueAndGradientInto: (out, x) => {
              if (evaluations++ < from) return problem.valueAndGradientInto(out, x);
              out.fill(special);
              return special;
            },
          },
          1e-3,
        );
        const away = Math.hypot(...point.map((x, j) => x - minimiser[j]));
        if (!(away <= distance + resolution))
          return fails(bad.length + index, {
            what:
              `with gradients of ${special} after the first ${from}, it certifies ${distance} for ` +
              `[${Array.from(point).join(', ')}]`,
            measured: distance,
          });
      }
    return holds(bad.length + 6);
  },
});
