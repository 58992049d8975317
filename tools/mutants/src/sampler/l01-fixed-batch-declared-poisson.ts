import { fixedSize, poisson } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

export const l01 = defineMutant({
  id: 'sampler/batches-fixed-size-qn-declared-poisson-samples',
  title: 'batches of the fixed size ⌊qN⌋ are declared as Poisson samples',
  kind: 'sampler',
  source: 'Opacus #128',
  killedBy: ['sampler/marginals'],
  within: 1000,
  plant: () =>
    plantedPlugin(poisson, {
      draw: ({ rate }, slots, random) => fixedSize.draw({ size: Math.floor(rate * slots) }, slots, random),
    }),
});
