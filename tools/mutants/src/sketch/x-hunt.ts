import { seededRandom } from '@lethe/core';
import { fullSketch, independentCoordinates, tauNice } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

export const xSketch60 = defineMutant({
  id: 'sketch/many-coordinates-drawn-window-around-ring',
  title: 'many coordinates are drawn as a cyclic window',
  kind: 'sketch',
  source: 'generic',
  killedBy: ['sketch/pair-frequencies'],
  within: 10_000,
  plant: () =>
    plantedPlugin(tauNice, {
      draw({ tau }, dimension, random) {
        if (dimension < 1000) return tauNice.draw({ tau }, dimension, random);
        const first = random.integer(dimension);
        return {
          coordinates: Uint32Array.from({ length: tau }, (_, k) => (first + k) % dimension).toSorted(),
        };
      },
    }),
});

export const xSketch61 = defineMutant({
  id: 'sketch/coordinates-256-apart-one-coin',
  title: 'coordinates 256 apart share one draw',
  kind: 'sketch',
  source: 'generic',
  killedBy: ['sketch/pair-frequencies'],
  within: 10_000,
  plant: () =>
    plantedPlugin(independentCoordinates, {
      draw({ probabilities }, dimension, random) {
        const uniforms = new Float64Array(dimension);
        const drawn: number[] = [];
        for (let j = 0; j < dimension; j++) {
          uniforms[j] = j < 256 ? random.uniform() : uniforms[j - 256];
          if (uniforms[j] < (typeof probabilities === 'number' ? probabilities : probabilities[j]))
            drawn.push(j);
        }
        return { coordinates: Uint32Array.from(drawn) };
      },
    }),
});

export const xSketch62 = defineMutant({
  id: 'sketch/last-more-64-coordinates-never-drawn',
  title: 'the last of more than 64 coordinates is never drawn',
  kind: 'sketch',
  source: 'generic',
  killedBy: ['sketch/frequencies'],
  within: 14_000,
  plant: () =>
    plantedPlugin(independentCoordinates, {
      draw: (params, dimension, random) =>
        independentCoordinates.draw(params, dimension > 64 ? dimension - 1 : dimension, random),
    }),
});

export const xSketch63 = defineMutant({
  id: 'sketch/coordinates-kept-16-bits',
  title: 'coordinates are stored in 16 bits',
  kind: 'sketch',
  source: 'generic',
  killedBy: ['sketch/frequencies'],
  within: 20_000,
  plant: () =>
    plantedPlugin(
      tauNice,
      {
        draw: (params, dimension, random) => ({
          coordinates: Uint32Array.from(
            Uint16Array.from(tauNice.draw(params, dimension, random).coordinates),
          ).toSorted(),
        }),
      },
      { tau: 5 },
    ),
});

export const xSketch64 = defineMutant({
  id: 'sketch/all-coordinates-first-65-536',
  title: 'only the first 65 536 coordinates are drawn',
  kind: 'sketch',
  source: 'generic',
  killedBy: ['sketch/frequencies'],
  within: 20_000,
  plant: () =>
    plantedPlugin(fullSketch, {
      draw: (params, dimension, random) => ({
        coordinates: fullSketch.draw(params, dimension, random).coordinates.slice(0, 65_536),
      }),
    }),
});

export const xSketch65 = defineMutant({
  id: 'sketch/draws-one-size-one-array',
  title: 'draws of the same size share one array',
  kind: 'sketch',
  source: 'generic',
  killedBy: ['sketch/coins'],
  within: 60,
  plant: () => {
    const kept = new Map<number, Uint32Array>();
    return plantedPlugin(tauNice, {
      draw(params, dimension, random) {
        const { coordinates } = tauNice.draw(params, dimension, random);
        const array = kept.get(coordinates.length) ?? coordinates;
        array.set(coordinates);
        kept.set(coordinates.length, array);
        return { coordinates: array };
      },
    });
  },
});

export const xSketch66 = defineMutant({
  id: 'sketch/dimension-0-nothing-drawn-nothing-refused',
  title: 'a draw in dimension 0 is empty instead of refused',
  kind: 'sketch',
  source: 'generic',
  killedBy: ['sketch/coordinates'],
  within: 1,
  plant: () =>
    plantedPlugin(tauNice, {
      draw: (params, dimension, random) =>
        dimension === 0
          ? { coordinates: new Uint32Array(0) }
          : tauNice.draw(params, dimension, random ?? seededRandom(0)),
    }),
});
