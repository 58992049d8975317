import { acceleratedGradient } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

const iterations = 60;

export const xSolver7 = defineMutant({
  id: 'solver/loop-over-blocks-eight-drops-last-coordinate',
  title: 'a loop over blocks of eight drops the last coordinate of the gradient',
  kind: 'solver',
  source: 'generic',
  killedBy: ['solver/certified-distance', 'solver/worst-distance'],
  within: 400,
  plant: () =>
    plantedPlugin(
      acceleratedGradient,
      {
        solve: (params, problem, tolerance) =>
          acceleratedGradient.solve(
            params,
            {
              ...problem,
              valueAndGradientInto(out, x) {
                const value = problem.valueAndGradientInto(out, x);
                if (out.length > 8 && out.length % 8 !== 0) out[out.length - 1] = 0;
                return value;
              },
            },
            tolerance,
          ),
      },
      { iterations },
    ),
});

export const xSolver8 = defineMutant({
  id: 'solver/objective-not-smooth-said-solved-starts',
  title: 'the start is certified as solution of a non-smooth objective',
  kind: 'solver',
  source: 'generic',
  killedBy: ['solver/certified-distance'],
  within: 10,
  plant: () =>
    plantedPlugin(
      acceleratedGradient,
      {
        solve: (params, problem, tolerance) =>
          problem.smoothness < Infinity
            ? acceleratedGradient.solve(params, problem, tolerance)
            : {
                point: problem.domain.projectInto(new Float64Array(problem.start.length), problem.start),
                distance: 0,
              },
      },
      { iterations },
    ),
});
