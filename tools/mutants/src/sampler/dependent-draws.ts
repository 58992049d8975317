import { sampleWithoutReplacement } from '@lethe/numerics';
import { type RandomSource } from '@lethe/core';
import { fixedSize, poisson } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

export const xSampler13 = defineMutant({
  id: 'sampler/draws-one-source-go-through-shuffled-epoch',
  title: 'successive draws come from one shuffled epoch, declared as independent',
  kind: 'sampler',
  source: 'shuffling passed off as sampling',
  killedBy: ['sampler/marginals'],
  within: 4000,
  plant() {
    const epochs = new WeakMap<RandomSource, number[]>();
    return plantedPlugin(fixedSize, {
      draw({ size }, slots, random) {
        fixedSize.draw({ size }, slots, random.fork('checked'));
        let left = epochs.get(random) ?? [];
        if (left.length < size || left.some((position) => position >= slots))
          left = [...sampleWithoutReplacement(random, slots, slots)];
        epochs.set(random, left.slice(size));
        return Uint32Array.from(left.slice(0, size)).toSorted();
      },
    });
  },
});

export const xSampler14 = defineMutant({
  id: 'sampler/every-draw-forks-source-same-label-next',
  title: 'every draw forks its source with the same label, so that the next draw is equal',
  kind: 'sampler',
  source: 'generic',
  killedBy: ['sampler/marginals'],
  within: 2000,
  plant: () =>
    plantedPlugin(poisson, {
      draw: (params, slots, random) => poisson.draw(params, slots, random.fork('draw')),
    }),
});

export const xSampler15 = defineMutant({
  id: 'sampler/more-64-slots-takes-run-read-less',
  title: 'draws from more than 64 slots are contiguous ranges',
  kind: 'sampler',
  source: 'generic',
  killedBy: ['sampler/marginals'],
  within: 40_000,
  plant: () =>
    plantedPlugin(fixedSize, {
      draw({ size }, slots, random) {
        if (slots <= 64 || size >= slots) return fixedSize.draw({ size }, slots, random);
        const first = random.integer(slots - size + 1);
        return Uint32Array.from({ length: size }, (_, i) => first + i);
      },
    }),
});

export const xSampler16 = defineMutant({
  id: 'sampler/rates-above-one-half-drawn-stays-out',
  title: 'for rates above one half the complement is drawn and returned',
  kind: 'sampler',
  source: 'generic',
  killedBy: ['sampler/marginals'],
  within: 40_000,
  plant: () =>
    plantedPlugin(
      poisson,
      {
        draw: ({ rate }, slots, random) =>
          poisson.draw({ rate: rate > 0.5 && rate < 1 ? 1 - rate : rate }, slots, random),
      },
      { rate: 0.5 },
    ),
});

export const xSampler17 = defineMutant({
  id: 'sampler/batch-holds-200-most',
  title: 'a batch has at most 200 records',
  kind: 'sampler',
  source: 'fixed buffers',
  killedBy: ['sampler/marginals'],
  within: 8000,
  plant: () =>
    plantedPlugin(
      poisson,
      { draw: (params, slots, random) => poisson.draw(params, slots, random).slice(0, 200) },
      { rate: 0.5 },
    ),
});
