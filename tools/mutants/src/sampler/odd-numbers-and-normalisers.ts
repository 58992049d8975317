import { poisson } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

export const lastOfOdd = defineMutant({
  id: 'sampler/last-of-an-odd-number-always-drawn',
  title: 'of an odd number of slots above 100 the last is always drawn',
  kind: 'sampler',
  source: 'generic',
  killedBy: ['sampler/marginals'],
  within: 20_000,
  plant: () =>
    plantedPlugin(poisson, {
      draw(params, slots, random) {
        const drawn = poisson.draw(params, slots, random);
        return slots > 100 && slots % 2 === 1 && drawn.at(-1) !== slots - 1
          ? Uint32Array.of(...drawn, slots - 1)
          : drawn;
      },
    }),
});
export const roundedNormaliser = defineMutant({
  id: 'sampler/large-normaliser-rounded',
  title: 'a normaliser above 20 is rounded',
  kind: 'sampler',
  source: 'generic',
  killedBy: ['sampler/amplification'],
  within: 100,
  plant: () =>
    plantedPlugin(poisson, {
      normaliser(params, slots) {
        const exact = poisson.normaliser(params, slots);
        return exact > 20 ? Math.round(exact) : exact;
      },
    }),
});
