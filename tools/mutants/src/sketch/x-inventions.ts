import {
  blockSketch,
  finiteSketch,
  independentCoordinates,
  singleCoordinate,
  tauNice,
} from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

export const xSketch1 = defineMutant({
  id: 'sketch/coordinates-drawn-replacement-repeats-dropped',
  title: 'coordinates are drawn with replacement, and repeats are dropped',
  kind: 'sketch',
  source: 'generic',
  killedBy: ['sketch/unbiased', 'sketch/second-moment', 'sketch/coordinates'],
  within: 60,
  plant: () =>
    plantedPlugin(tauNice, {
      draw: ({ tau }, dimension, random) =>
        tau > dimension
          ? tauNice.draw({ tau }, dimension, random)
          : {
              coordinates: Uint32Array.from(
                new Set(Array.from({ length: tau }, () => random.integer(dimension))),
              ).toSorted(),
            },
    }),
});

export const xSketch2 = defineMutant({
  id: 'sketch/weighty-coordinates-listed-more-often-drawn-like',
  title: 'the declared probabilities are weighted, the draws uniform',
  kind: 'sketch',
  source: 'generic',
  killedBy: ['sketch/unbiased', 'sketch/second-moment'],
  within: 20,
  plant: () =>
    plantedPlugin(
      singleCoordinate,
      {
        draw(_params, dimension, random) {
          const j = random.integer(dimension);
          return { coordinates: Uint32Array.of(j), block: j };
        },
      },
      { choice: { by: 'importance', smoothness: [5, 1, 2] } },
    ),
});

export const xSketch3 = defineMutant({
  id: 'sketch/last-coordinate-never-drawn',
  title: 'the last coordinate is never drawn',
  kind: 'sketch',
  source: 'generic',
  killedBy: ['sketch/frequencies'],
  within: 4000,
  plant: () =>
    plantedPlugin(independentCoordinates, {
      draw: (params, dimension, random) => ({
        coordinates: independentCoordinates
          .draw(params, dimension, random)
          .coordinates.filter((j) => j < dimension - 1),
      }),
    }),
});

export const xSketch4 = defineMutant({
  id: 'sketch/blocks-drawn-right-marginals-two-time-every',
  title: 'blocks have the right marginals, but two are drawn at a time in half of the draws',
  kind: 'sketch',
  source: 'generic',
  killedBy: ['sketch/coordinates', 'sketch/second-moment'],
  within: 200,
  plant: () =>
    plantedPlugin(
      blockSketch,
      {
        draw(params, dimension, random) {
          blockSketch.marginals(params, dimension);
          if (random.integer(2) === 0) return { coordinates: new Uint32Array() };
          return { coordinates: Uint32Array.from({ length: dimension }, (_, j) => j) };
        },
      },
      { blocks: 2 },
    ),
});

export const xSketch5 = defineMutant({
  id: 'sketch/coordinates-no-set-get-marginal-0',
  title: 'coordinates that are in no set get the marginal 0',
  kind: 'sketch',
  source: 'generic',
  killedBy: ['sketch/marginals'],
  within: 20,
  plant: () =>
    plantedPlugin(finiteSketch, {
      draw: (_params, _dimension, random) => ({ coordinates: Uint32Array.of(random.integer(3)) }),
      marginals: (_params, dimension) =>
        Float64Array.from({ length: dimension }, (_, j) => (j < 3 ? 1 / Math.min(dimension, 3) : 0)),
      enumerate: () => null,
    }),
});

export const xSketch6 = defineMutant({
  id: 'sketch/byte-modulo-dimension-chooses-coordinate',
  title: 'a byte modulo the dimension chooses the coordinate',
  kind: 'sketch',
  source: 'classic',
  killedBy: ['sketch/unbiased'],
  within: 2000,
  plant: () =>
    plantedPlugin(
      tauNice,
      {
        draw: (_params, dimension, random) => ({
          coordinates: Uint32Array.of(random.bytes(1)[0] % dimension),
        }),
      },
      { tau: 1 },
    ),
});

export const xSketch7 = defineMutant({
  id: 'sketch/coordinates-come-order-drawn',
  title: 'coordinates are in the order of the draw',
  kind: 'sketch',
  source: 'generic',
  killedBy: ['sketch/coordinates'],
  within: 40,
  plant: () =>
    plantedPlugin(tauNice, {
      draw(params, dimension, random) {
        const { coordinates } = tauNice.draw(params, dimension, random);
        return { coordinates: random.integer(2) === 0 ? coordinates : coordinates.toReversed() };
      },
    }),
});
