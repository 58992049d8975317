import { tauNice } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

export const s02 = defineMutant({
  id: 'sketch/shuffle-behind-random-subset-swaps-any-place',
  title: 'the shuffle behind a random subset swaps with any position (biased shuffle)',
  kind: 'sketch',
  source: 'classic',
  killedBy: ['sketch/unbiased', 'sketch/second-moment'],
  within: 40,
  plant: () =>
    plantedPlugin(tauNice, {
      draw({ tau }, dimension, random) {
        if (tau > dimension) return tauNice.draw({ tau }, dimension, random);
        const all = Uint32Array.from({ length: dimension }, (_, i) => i);
        for (let i = 0; i < tau; i++) {
          const j = random.integer(dimension);
          const held = all[i];
          all[i] = all[j];
          all[j] = held;
        }
        return { coordinates: all.slice(0, tau).toSorted() };
      },
    }),
});
