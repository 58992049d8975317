import { tauNice } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

export const xSketch8 = defineMutant({
  id: 'sketch/coordinates-kept-bytes',
  title: 'coordinates are stored in bytes',
  kind: 'sketch',
  source: 'classic',
  killedBy: ['sketch/frequencies'],
  within: 20_000,
  plant: () =>
    plantedPlugin(
      tauNice,
      {
        draw: ({ tau }, dimension, random) => ({
          coordinates: Uint32Array.from(
            Uint8Array.from(tauNice.draw({ tau }, dimension, random).coordinates),
          ),
        }),
      },
      { tau: 1 },
    ),
});

export const xSketch9 = defineMutant({
  id: 'sketch/last-coordinate-never-drawn-more-sixteen',
  title: 'the last coordinate is never drawn from more than sixteen',
  kind: 'sketch',
  source: 'generic',
  killedBy: ['sketch/frequencies'],
  within: 16_000,
  plant: () =>
    plantedPlugin(tauNice, {
      draw: (params, dimension, random) =>
        tauNice.draw(params, dimension > 16 ? dimension - 1 : dimension, random),
    }),
});

export const xSketch10 = defineMutant({
  id: 'sketch/marginal-last-coordinate-half',
  title: 'the marginal of the last coordinate is half the true one',
  kind: 'sketch',
  source: 'generic',
  killedBy: ['sketch/frequencies'],
  within: 16_000,
  plant: () =>
    plantedPlugin(tauNice, {
      marginals(params, dimension) {
        const all = tauNice.marginals(params, dimension);
        if (dimension > 20) all[dimension - 1] /= 2;
        return all;
      },
    }),
});

export const xSketch11 = defineMutant({
  id: 'sketch/every-draw-forks-source-same-label-next',
  title: 'every draw forks its source with the same label, so that the next draw is equal',
  kind: 'sketch',
  source: 'generic',
  killedBy: ['sketch/frequencies'],
  within: 5000,
  plant: () =>
    plantedPlugin(tauNice, {
      draw: (params, dimension, random) => tauNice.draw(params, dimension, random.fork('draw')),
    }),
});
