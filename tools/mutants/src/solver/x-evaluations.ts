import { acceleratedGradient } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

export const oneEvaluationFewer = defineMutant({
  id: 'solver/evaluates-once-more-than-it-says',
  title: 'the number of evaluations leaves one out',
  kind: 'solver',
  source: 'generic',
  killedBy: ['solver/public-effort'],
  within: 5,
  plant: () =>
    plantedPlugin(acceleratedGradient, {
      evaluations: (params) => (acceleratedGradient.evaluations?.(params) ?? 1) - 1,
    }),
});
