import { fixedSize, poisson } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

export const lastSlotLeftOut = defineMutant({
  id: 'sampler/last-of-many-slots-never-drawn',
  title: 'the last of more than 5 000 slots is never drawn',
  kind: 'sampler',
  source: 'generic',
  killedBy: ['sampler/marginals'],
  within: 200,
  plant: () =>
    plantedPlugin(poisson, {
      draw: (params, slots, random) =>
        poisson.draw(params, slots, random).filter((at) => slots <= 5000 || at < slots - 1),
    }),
});

export const blockOfManySlots = defineMutant({
  id: 'sampler/consecutive-slots-of-many-for-a-subset',
  title: 'from 3 000 slots on, a run of consecutive slots passes for a random subset',
  kind: 'sampler',
  source: 'generic: the memory of a shuffle saved',
  killedBy: ['sampler/marginals'],
  within: 200,
  plant: () =>
    plantedPlugin(fixedSize, {
      draw({ size }, slots, random) {
        if (slots <= 3000) return fixedSize.draw({ size }, slots, random);
        const first = random.integer(slots - size + 1);
        return Uint32Array.from({ length: size }, (_, i) => first + i);
      },
    }),
});
