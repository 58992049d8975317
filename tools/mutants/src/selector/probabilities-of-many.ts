import { exponential } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

export const sharperAmongMany = defineMutant({
  id: 'selector/probabilities-of-many-are-of-a-larger-epsilon',
  title: 'the probabilities of more than 50 candidates are those of an ε that is 1 % larger',
  kind: 'selector',
  source: 'generic',
  killedBy: ['selector/event'],
  within: 200,
  plant: () =>
    plantedPlugin(exponential, {
      probabilities: (params, utilities, epsilon) =>
        exponential.probabilities(params, utilities, utilities.length > 50 ? 1.01 * epsilon : epsilon),
    }),
});
