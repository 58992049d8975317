import type { Solution, SolverProblem } from '@lethe/core';
import { acceleratedGradient } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

const certifying = (
  change: (found: Solution, problem: SolverProblem, tolerance: number) => number,
): ReturnType<typeof plantedPlugin<typeof acceleratedGradient>> =>
  plantedPlugin(
    acceleratedGradient,
    {
      solve(params, problem, tolerance) {
        const found = acceleratedGradient.solve(params, problem, tolerance);
        return { ...found, distance: change(found, problem, tolerance) };
      },
    },
    { iterations: 60 },
  );

export const nearlyThere = defineMutant({
  id: 'solver/certifies-tolerance-when-near-it',
  title: 'certifies the tolerance that was asked for from ten times it on',
  kind: 'solver',
  source: 'generic',
  killedBy: ['solver/certified-distance'],
  within: 280,
  plant: () =>
    certifying(({ distance }, _problem, tolerance) =>
      distance > tolerance && distance < 10 * tolerance ? tolerance : distance,
    ),
});

export const illConditioned = defineMutant({
  id: 'solver/certificate-too-small-where-ill-conditioned',
  title: 'certifies a thirtieth of the distance from a condition number of 1000 on',
  kind: 'solver',
  source: 'generic',
  killedBy: ['solver/certified-distance'],
  within: 280,
  plant: () =>
    certifying(({ distance }, { smoothness, strongConvexity }) =>
      smoothness > 1000 * strongConvexity ? distance / 30 : distance,
    ),
});
