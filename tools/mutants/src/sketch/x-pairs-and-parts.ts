import {
  blockSketch,
  finiteSketch,
  independentCoordinates,
  singleCoordinate,
  tauNice,
} from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { defineMutant } from '../mutant.js';
import { plantedPlugin } from '../reference/planted-plugin.js';

export const xSketch12 = defineMutant({
  id: 'sketch/pairs-random-subset-drawn-coins-own',
  title: 'pair probabilities of a random subset are those of independent coordinates',
  kind: 'sketch',
  source: 'dp-skgd, Section 2.5',
  killedBy: ['sketch/pair-probability'],
  within: 20,
  plant: () =>
    plantedPlugin(tauNice, {
      pairProbability: ({ tau }, dimension, i, j) =>
        tauNice.pairProbability({ tau }, dimension, i, j) >= 0 && i === j
          ? tau / dimension
          : (tau / dimension) ** 2,
    }),
});

export const xSketch13 = defineMutant({
  id: 'sketch/coordinate-scaled-probability-next-block',
  title: 'a coordinate is scaled by the probability of the next block',
  kind: 'sketch',
  source: 'dp-skgd, property 3',
  killedBy: ['sketch/marginals', 'sketch/unbiased'],
  within: 20,
  plant: () =>
    plantedPlugin(
      blockSketch,
      {
        marginals: (params, dimension) => {
          const all = blockSketch.marginals(params, dimension);
          return all.map((_p, j) => all[(j + 1) % dimension]);
        },
      },
      { blocks: [[3], [0, 1, 2]], choice: { by: 'probabilities', probabilities: [0.25, 0.75] } },
    ),
});

export const xSketch14 = defineMutant({
  id: 'sketch/empty-set-drawn-again-until-not-empty',
  title: 'an empty set is redrawn',
  kind: 'sketch',
  source: 'dp-skgd, Section 2.5',
  killedBy: ['sketch/frequencies', 'sketch/coordinates'],
  within: 5000,
  plant: () =>
    plantedPlugin(
      independentCoordinates,
      {
        draw(params, dimension, random) {
          for (;;) {
            const drawn = independentCoordinates.draw(params, dimension, random);
            if (drawn.coordinates.length > 0) return drawn;
          }
        },
      },
      { probabilities: 0.3 },
    ),
});

export const xSketch15 = defineMutant({
  id: 'sketch/table-blocks-kept-parameters-whatever-dimension',
  title: 'a table of blocks is cached by parameters, without the dimension',
  kind: 'sketch',
  source: 'generic',
  killedBy: ['sketch/coins', 'sketch/enumerate', 'sketch/marginals'],
  within: 40,
  plant() {
    let table: ReturnType<typeof blockSketch.enumerate> | undefined;
    return plantedPlugin(
      blockSketch,
      {
        enumerate: (params, dimension) => (
          blockSketch.marginals(params, dimension),
          (table ??= blockSketch.enumerate(params, dimension))
        ),
      },
      { blocks: 2 },
    );
  },
});

export const xSketch16 = defineMutant({
  id: 'sketch/drawn-block-table-itself-caller-may-overwrite',
  title: 'a draw returns the cached table, which the caller may overwrite',
  kind: 'sketch',
  source: 'generic',
  killedBy: ['sketch/coins'],
  within: 40,
  plant() {
    const tables = new Map<string, Uint32Array>();
    return plantedPlugin(
      blockSketch,
      {
        draw(params, dimension, random) {
          const drawn = blockSketch.draw(params, dimension, random);
          const key = `${dimension} ${drawn.block}`;
          tables.set(key, tables.get(key) ?? drawn.coordinates);
          return { ...drawn, coordinates: defined(tables.get(key)) };
        },
      },
      { blocks: 2 },
    );
  },
});

export const xSketch17 = defineMutant({
  id: 'sketch/uniform-number-held-against-cumulative-probabilities-wrong',
  title: 'the comparison with cumulative probabilities is not strict: the first part gets one value too many',
  kind: 'sketch',
  source: 'classic',
  killedBy: ['sketch/unbiased', 'sketch/second-moment'],
  within: 60,
  plant: () =>
    plantedPlugin(
      singleCoordinate,
      {
        draw(params, dimension, random) {
          const all = singleCoordinate.marginals(params, dimension);
          let left = random.integer(8) - 1;
          const j = all.findIndex((p) => (left -= 8 * p) < 0);
          return { coordinates: Uint32Array.of(j < 0 ? dimension - 1 : j), block: j < 0 ? dimension - 1 : j };
        },
      },
      { choice: { by: 'probabilities', probabilities: [0.5, 0.125, 0.375] } },
    ),
});

export const xSketch18 = defineMutant({
  id: 'sketch/importance-goes-mean-smoothness-block-largest-listed',
  title: 'importance probabilities use the mean smoothness of a block instead of the largest',
  kind: 'sketch',
  source: 'dp-skgd, Section 4.2.1',
  killedBy: ['sketch/unbiased', 'sketch/second-moment', 'sketch/frequencies'],
  within: 10_000,
  plant: () =>
    plantedPlugin(
      blockSketch,
      {
        draw: (_params, dimension, random) =>
          blockSketch.draw(
            {
              blocks: [
                [0, 1],
                [2, 3],
              ],
              choice: { by: 'probabilities', probabilities: [5 / 8, 3 / 8] },
            },
            dimension,
            random,
          ),
      },
      {
        blocks: [
          [0, 1],
          [2, 3],
        ],
        choice: { by: 'importance', smoothness: [4, 1, 1.5, 1.5] },
      },
    ),
});

export const xSketch19 = defineMutant({
  id: 'sketch/large-sets-drawn-more-often-listed',
  title: 'large sets are drawn more often than listed',
  kind: 'sketch',
  source: 'generic',
  killedBy: ['sketch/unbiased', 'sketch/second-moment', 'sketch/frequencies'],
  within: 10_000,
  plant: () =>
    plantedPlugin(finiteSketch, {
      draw(params, dimension, random) {
        const list = defined(finiteSketch.enumerate(params, dimension)).flatMap(({ drawn }) =>
          Array.from(drawn.coordinates, () => drawn),
        );
        return { coordinates: list[random.integer(list.length)].coordinates.slice() };
      },
    }),
});

export const xSketch20 = defineMutant({
  id: 'sketch/neighbouring-coordinates-share-coin-each-own-probability',
  title: 'adjacent coordinates share a random number, each with its own probability',
  kind: 'sketch',
  source: 'generic',
  killedBy: ['sketch/frequencies', 'sketch/pair-frequencies'],
  within: 5000,
  plant: () =>
    plantedPlugin(
      independentCoordinates,
      {
        draw(params, dimension, random) {
          const pairs = independentCoordinates.draw(params, Math.ceil(dimension / 2), random).coordinates;
          return {
            coordinates: Uint32Array.from(
              [...pairs].flatMap((pair) => [2 * pair, 2 * pair + 1]).filter((j) => j < dimension),
            ),
          };
        },
      },
      { probabilities: 0.3 },
    ),
});
