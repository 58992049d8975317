import { acceleratedGradient } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

export const fasterThanPossible = defineMutant({
  id: 'solver/promises-more-than-any-method-can',
  title: 'worstDistance falls by e in every iteration, whatever the condition',
  kind: 'solver',
  source: 'generic: the root of the condition left out of the rate',
  killedBy: ['solver/worst-distance'],
  within: 1,
  plant: () =>
    plantedPlugin(
      acceleratedGradient,
      {
        worstDistance: ({ iterations }, { strongConvexity, smoothness, startDistance }) =>
          2 * (smoothness / strongConvexity) ** 1.5 * startDistance * Math.exp(-iterations),
      },
      { iterations: 60 },
    ),
});
