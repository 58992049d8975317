import { tauNice } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

export const lastNeverDrawn = defineMutant({
  id: 'sketch/last-of-many-never-drawn',
  title: 'of more than 100 coordinates the last is never drawn',
  kind: 'sketch',
  source: 'generic',
  killedBy: ['sketch/frequencies'],
  within: 40_000,
  plant: () =>
    plantedPlugin(tauNice, {
      draw: (params, dimension, random) =>
        tauNice.draw(params, dimension > 100 ? dimension - 1 : dimension, random),
    }),
});
export const notAll = defineMutant({
  id: 'sketch/all-but-the-first-in-place-of-all',
  title: 'where all of more than three coordinates are drawn, the first is left out',
  kind: 'sketch',
  source: 'generic',
  killedBy: ['sketch/coordinates'],
  within: 2_000,
  plant: () =>
    plantedPlugin(tauNice, {
      draw(params, dimension, random) {
        const { coordinates } = tauNice.draw(params, dimension, random);
        return {
          coordinates: coordinates.length === dimension && dimension > 3 ? coordinates.slice(1) : coordinates,
        };
      },
    }),
});
