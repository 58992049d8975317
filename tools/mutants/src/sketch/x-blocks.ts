import { blockSketch } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

export const blockOfTheNext = defineMutant({
  id: 'sketch/draw-names-another-block',
  title: 'a draw has the number of the block after its own',
  kind: 'sketch',
  source: 'generic',
  killedBy: ['sketch/coordinates', 'sketch/enumerate', 'sketch/unbiased'],
  within: 40,
  plant: () =>
    plantedPlugin(blockSketch, {
      draw(params, dimension, random) {
        const drawn = blockSketch.draw(params, dimension, random);
        return { ...drawn, block: (drawn.block ?? 0) + 1 };
      },
    }),
});
