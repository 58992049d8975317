import { independentIncrements } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

export const freshNoiseClaimed = defineMutant({
  id: 'prefix-sum/fresh-noise-declared-noise-adds-up',
  title: 'declares fresh noise on running sums, and adds noise to increments',
  kind: 'prefixSum',
  source: 'dp-mu2-fl: Theorem R9',
  killedBy: ['prefixSum/fresh-noise'],
  within: 10,
  plant: () => plantedPlugin(independentIncrements, { freshNoise: true }),
});
