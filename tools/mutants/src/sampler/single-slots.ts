import { fixedSize, poisson, truncatedPoisson } from '@lethe/mechanisms';
import { logBinomial } from '@lethe/numerics';
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

export const tailOfSizesCounted = defineMutant({
  id: 'sampler/normaliser-counts-what-is-cut-off-once',
  title: 'the normaliser of a truncated sample takes off one record for each draw that is cut',
  kind: 'sampler',
  source: 'generic',
  killedBy: ['sampler/amplification'],
  within: 20,
  plant: () =>
    plantedPlugin(
      truncatedPoisson,
      {
        normaliser(params, slots) {
          const { rate, most } = params;
          let beyond = 0;
          for (let k = most + 1; k <= slots; k++)
            beyond += Math.exp(logBinomial(slots, k) + k * Math.log(rate) + (slots - k) * Math.log1p(-rate));
          return most <= slots * rate ? truncatedPoisson.normaliser(params, slots) : slots * rate - beyond;
        },
      },
      { rate: 0.5, most: 3 },
    ),
});
