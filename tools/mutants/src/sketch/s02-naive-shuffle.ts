import { defineMutant } from '../mutant.ts';
import { plantedPlugin } from '../reference/planted-plugin.ts';
import { randomSubset } from '../reference/sketches.ts';

export const s02 = defineMutant({
  id: 'S02', title: 'the shuffle behind a random subset swaps with any place', kind: 'sketch', source: 'classic',
  killedBy: ['sketch/unbiased', 'sketch/second-moment'], within: 40,
  plant: () => plantedPlugin(randomSubset, {
    draw({ size }, dimension, random) {
      if (size > dimension) return randomSubset.draw({ size }, dimension, random);
      const all = Uint32Array.from({ length: dimension }, (_, i) => i);
      for (let i = 0; i < size; i++) { const j = random.integer(dimension), held = all[i]!; all[i] = all[j]!; all[j] = held; }
      return { coordinates: all.slice(0, size).toSorted() };
    },
  }),
});
