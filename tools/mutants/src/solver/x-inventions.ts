import type { SolverProblem } from '@lethe/core';
import { acceleratedGradient } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

const iterations = 30;

export const xSolver1 = defineMutant({
  id: 'solver/certificate-forgets-condition-number',
  title: 'the certificate omits the condition number',
  kind: 'solver',
  source: 'generic',
  killedBy: ['solver/certified-distance'],
  within: 100,
  plant: () =>
    plantedPlugin(
      acceleratedGradient,
      {
        solve(params, problem, tolerance) {
          const { point, distance } = acceleratedGradient.solve(params, problem, tolerance);
          return { point, distance: (distance * problem.strongConvexity) / problem.smoothness };
        },
      },
      { iterations },
    ),
});

export const xSolver2 = defineMutant({
  id: 'solver/stops-once-tolerance-certified-tells-how-easy',
  title: 'the solver stops at the tolerance, so that its running time depends on the data',
  kind: 'solver',
  source: 'generic',
  killedBy: ['solver/public-effort'],
  within: 20,
  plant: () =>
    plantedPlugin(
      acceleratedGradient,
      {
        solve(params, problem, tolerance) {
          for (let count = 1; ; count *= 2) {
            const found = acceleratedGradient.solve(
              { iterations: Math.min(count, params.iterations) },
              problem,
              tolerance,
            );
            if (found.distance <= tolerance || count >= params.iterations) return found;
          }
        },
      },
      { iterations },
    ),
});

export const xSolver3 = defineMutant({
  id: 'solver/promise-forgets-condition-number-rate',
  title: 'worstDistance omits the condition number in the rate',
  kind: 'solver',
  source: 'generic',
  killedBy: ['solver/worst-distance'],
  within: 100,
  plant: () =>
    plantedPlugin(
      acceleratedGradient,
      {
        worstDistance: (params, promise) => 2 * promise.startDistance * Math.exp(-params.iterations / 2),
      },
      { iterations },
    ),
});

export const xSolver4 = defineMutant({
  id: 'solver/takes-gradient-steps-outside-domain-projects-once',
  title: 'gradient steps leave the domain, with one projection at the end',
  kind: 'solver',
  source: 'generic',
  killedBy: ['solver/feasible', 'solver/certified-distance'],
  within: 200,
  plant: () =>
    plantedPlugin(
      acceleratedGradient,
      {
        solve(params, problem, tolerance) {
          const free: SolverProblem = {
            ...problem,
            domain: {
              ...problem.domain,
              contains: () => true,
              projectInto: (out, point) => {
                out.set(point);
                return out;
              },
            },
          };
          const { point, distance } = acceleratedGradient.solve(params, free, tolerance);
          return { point: problem.domain.projectInto(point, point), distance };
        },
      },
      { iterations },
    ),
});

export const xSolver5 = defineMutant({
  id: 'solver/next-problem-starts-last-one-ended',
  title: 'the next problem starts at the last solution',
  kind: 'solver',
  source: 'generic',
  killedBy: ['solver/deterministic'],
  within: 40,
  plant() {
    let last: Float64Array | undefined;
    return plantedPlugin(
      acceleratedGradient,
      {
        solve(params, problem, tolerance) {
          const found = acceleratedGradient.solve(
            params,
            { ...problem, start: last?.length === problem.start.length ? last : problem.start },
            tolerance,
          );
          last = found.point.slice();
          return found;
        },
      },
      { iterations },
    );
  },
});

export const xSolver6 = defineMutant({
  id: 'solver/tolerance-asked-certified-whatever-reached',
  title: 'the certificate is the requested tolerance',
  kind: 'solver',
  source: 'generic',
  killedBy: ['solver/certified-distance'],
  within: 100,
  plant: () =>
    plantedPlugin(
      acceleratedGradient,
      {
        solve: (params, problem, tolerance) => ({
          ...acceleratedGradient.solve(params, problem, tolerance),
          distance: tolerance,
        }),
      },
      { iterations },
    ),
});
