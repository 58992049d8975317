import { independentCoordinates } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

export const neverEmpty = defineMutant({
  id: 'sketch/third-coordinate-in-place-of-none',
  title: 'where nothing before it is drawn, the third coordinate is, so that no set is empty',
  kind: 'sketch',
  source: 'generic',
  killedBy: ['sketch/frequencies'],
  within: 10_000,
  plant: () =>
    plantedPlugin(
      independentCoordinates,
      {
        draw(params, dimension, random) {
          const { coordinates } = independentCoordinates.draw(params, dimension, random);
          return coordinates.some((j) => j <= 2) || dimension <= 2
            ? { coordinates }
            : { coordinates: Uint32Array.of(2, ...coordinates) };
        },
      },
      { probabilities: [0.5, 0.1, 0.02, 0.9, 0.25, 0.4] },
    ),
});
