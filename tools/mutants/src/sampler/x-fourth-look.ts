import { fixedSize, poisson } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

export const oneInAThousand = defineMutant({
  id: 'sampler/one-slot-in-a-thousand-never-drawn',
  title: 'of every thousand slots, one in the middle is never drawn',
  kind: 'sampler',
  source: 'generic: a bound of a loop over blocks',
  killedBy: ['sampler/every-slot'],
  within: 1000,
  plant: () =>
    plantedPlugin(
      poisson,
      {
        draw: (params, slots, random) =>
          poisson.draw(params, slots, random).filter((at) => at % 1000 !== 613),
      },
      { rate: 0.1 },
    ),
});

export const movedOffOneSlot = defineMutant({
  id: 'sampler/subset-moves-off-one-slot',
  title: 'a subset takes the slot after 777 in place of it',
  kind: 'sampler',
  source: 'generic: an index that is the mark of an empty cell',
  killedBy: ['sampler/every-slot'],
  within: 4000,
  plant: () =>
    plantedPlugin(
      fixedSize,
      {
        draw: (params, slots, random) =>
          Uint32Array.from(
            new Set(
              Array.from(fixedSize.draw(params, slots, random), (at) =>
                at === 777 && slots > 778 ? 778 : at,
              ),
            ),
          ),
      },
      { size: 64 },
    ),
});
