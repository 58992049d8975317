import { defineMutant } from '../mutant.js';
import { noising, optioned, withPlugins } from './wrap.js';
import type { Mechanism, Sampler } from '@lethe/core';

export const m22 = defineMutant({
  id: 'curator/scale-follows-number-records-not-public-normaliser',
  title: 'the scale depends on the number of records instead of the public normaliser',
  kind: 'curator',
  source: 'Opacus #571, #819; Re:cord-play',
  killedBy: ['curator/public-size', 'curator/only-mechanisms-tell', 'curator/scale'],
  within: 60,
  plant: () =>
    noising(
      (add, { data, publicSlots }) =>
        (params, value, scale, random) =>
          add(params, value, scale * ((publicSlots ?? data.slots) / data.slots), random),
    ),
});

export const o01 = defineMutant({
  id: 'curator/noise-divided-batch-size-twice',
  title: 'noise is divided by the batch size twice',
  kind: 'curator',
  source: 'tensorflow/privacy #153',
  killedBy: ['curator/noise', 'curator/scale', 'curator/audit'],
  within: 200,
  plant: () =>
    noising(
      (add, { data, publicSlots }) =>
        (params, value, scale, random) =>
          add(params, value, scale / (publicSlots ?? data.slots), random),
    ),
});

export const l04 = defineMutant({
  id: 'curator/empty-batch-skipped-without-noise',
  title: 'an empty batch is skipped, without noise',
  kind: 'curator',
  source: 'Opacus #164',
  killedBy: ['curator/empty-batch'],
  within: 10,
  plant: () =>
    optioned((options) => {
      let isEmpty = false;
      const drawn = withPlugins<Sampler>(options, 'sampler', ({ draw }) => ({
        draw: (params, slots, random) => {
          const rows = draw(params, slots, random);
          isEmpty = rows.length === 0;
          return rows;
        },
      }));
      return withPlugins<Mechanism>(drawn, 'mechanism', ({ addNoise }) => ({
        addNoise: (params, value, scale, random) => {
          if (!isEmpty) addNoise(params, value, scale, random);
          isEmpty = false;
        },
      }));
    }),
});
