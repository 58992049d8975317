import { defineSketch, InvalidParameter, type Sketch } from '@lethe/core';
import { defined, sampleWithoutReplacement } from '@lethe/numerics';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { runLaws, subjectsOf, type Subject } from '../../law/index.js';
import { sketchLaws } from './index.js';
import { lawsAlone } from '../../../test/effort.js';
import { endAtFirstViolation } from '../../../test/first-violation.js';

endAtFirstViolation();

type Bug = Partial<Omit<Sketch, 'kind'>>;
const all = (count: number): readonly number[] => Array.from({ length: count }, (_, j) => j);
const atLeast = (dimension: number, least: number): void => {
  if (dimension < least) throw new InvalidParameter(`at least ${least} coordinates are needed`);
};

const inside = (dimension: number, ...given: readonly number[]): void => {
  if (given.some((j) => !Number.isInteger(j) || j < 0 || j >= dimension))
    throw new InvalidParameter('no such coordinate');
};

/** Two coordinates. */
const two = {
  name: 'two',
  summary: 'Two coordinates.',
  source: { id: 'test', item: 'definition' },
  params: z.strictObject({}),
  claims: [],
  draw: (_params: unknown, dimension: number, random: Parameters<Sketch['draw']>[2]) => {
    atLeast(dimension, 2);
    return { coordinates: sampleWithoutReplacement(random, dimension, 2).toSorted() };
  },
  marginals: (_params: unknown, dimension: number) => {
    atLeast(dimension, 2);
    return new Float64Array(dimension).fill(2 / dimension);
  },
  pairProbability: (_params: unknown, dimension: number, i: number, j: number) => {
    inside(dimension, i, j);
    return (2 / dimension) * (i === j ? 1 : 1 / (dimension - 1));
  },
  enumerate: (_params: unknown, dimension: number) =>
    dimension > 20
      ? null
      : all(dimension).flatMap((i) =>
          all(i).map((j) => ({
            drawn: { coordinates: Uint32Array.of(j, i) },
            probability: 2 / (dimension * (dimension - 1)),
          })),
        ),
};
/** Independent inclusion of each coordinate, without enumeration. */
const own: Bug = {
  draw: (_params, dimension, random) => ({
    coordinates: Uint32Array.from(all(dimension).filter((j) => random.uniform() <= 1 / (1 + (j % 3)))),
  }),
  marginals: (_params, dimension) => Float64Array.from({ length: dimension }, (_, j) => 1 / (1 + (j % 3))),
  pairProbability: (_params, dimension, i, j) => {
    inside(dimension, i, j);
    return 1 / (1 + (i % 3)) / (i === j ? 1 : 1 + (j % 3));
  },
  enumerate: () => null,
};
const halves: Bug = {
  draw: (_params, dimension, random) => {
    const block = random.integer(2);
    return { block, coordinates: Uint32Array.from(all(dimension).filter((j) => j % 2 === block)) };
  },
  marginals: (_params, dimension) => {
    atLeast(dimension, 2);
    return new Float64Array(dimension).fill(0.5);
  },
  pairProbability: (_params, dimension, i, j) => {
    atLeast(dimension, 2);
    inside(dimension, i, j);
    return (i - j) % 2 === 0 ? 0.5 : 0;
  },
  enumerate: (_params, dimension) =>
    [0, 1].map((block) => ({
      drawn: { block, coordinates: Uint32Array.from(all(dimension).filter((j) => j % 2 === block)) },
      probability: 0.5,
    })),
};

/** Refuses every invalid dimension, before any other test. */
const refusing = (sketch: Required<Bug>): Bug => {
  const valid = (dimension: number): void => {
    if (!(Number.isSafeInteger(dimension) && dimension > 0)) throw new InvalidParameter('no such dimension');
  };
  return {
    ...sketch,
    draw: (params, dimension, random) => {
      valid(dimension);
      return sketch.draw(params, dimension, random);
    },
    marginals: (params, dimension) => {
      valid(dimension);
      return sketch.marginals(params, dimension);
    },
    enumerate: (params, dimension) => {
      valid(dimension);
      return sketch.enumerate(params, dimension);
    },
  };
};

async function broken(bug: Bug, only?: string): Promise<ReadonlyMap<string, string>> {
  const reports = await runLaws(
    sketchLaws,
    subjectsOf(defineSketch(refusing({ ...two, ...bug } as never) as never))[0] as Subject<'sketch'>,
    lawsAlone(only),
  );
  return new Map(
    reports.flatMap(({ law, finding }) =>
      finding.verdict === 'fails' ? [[law, finding.violation.what]] : [],
    ),
  );
}

describe('laws of sketches', () => {
  it.each([
    ['two coordinates', {}],
    ['independent inclusion', own],
    ['halves', halves],
  ])('hold for %s', async (_name, bug) => {
    expect(await broken(bug)).toEqual(new Map());
  });

  const list = two.enumerate;
  const bugs: readonly (readonly [string, Bug, string, RegExp])[] = [
    [
      'a repeated coordinate',
      {
        draw: (_params, dimension, random) => {
          atLeast(dimension, 2);
          const j = random.integer(dimension);
          return { coordinates: Uint32Array.of(j, j) };
        },
      },
      'sketch/coordinates',
      /ascend/u,
    ],
    [
      'a coordinate that is never drawn',
      {
        marginals: (params, dimension) => two.marginals(params, dimension).with(0, 0),
        enumerate: () => null,
      },
      'sketch/marginals',
      /cannot be scaled/u,
    ],
    [
      'marginals that contradict the enumerated sets',
      { marginals: (params, dimension) => two.marginals(params, dimension).map((p) => p / 2) },
      'sketch/marginals',
      /the listed sets that hold it/u,
    ],
    [
      'missing sets',
      { enumerate: (params, dimension) => list(params, dimension)?.slice(1) ?? null },
      'sketch/enumerate',
      /add up to/u,
    ],
    [
      'a set listed twice',
      {
        enumerate: (params, dimension) =>
          list(params, dimension)?.flatMap((one) => [
            { ...one, probability: one.probability / 2 },
            { ...one, probability: one.probability / 2 },
          ]) ?? null,
      },
      'sketch/enumerate',
      /listed twice/u,
    ],
    [
      'blocks that overlap',
      {
        ...halves,
        enumerate: (_params, dimension) =>
          [0, 1].map((block) => ({
            drawn: { block, coordinates: Uint32Array.of(0, dimension - 1) },
            probability: 0.5,
          })),
      },
      'sketch/enumerate',
      /in block 0 and in block 1/u,
    ],
    [
      'a list of other sets',
      { ...halves, draw: two.draw },
      'sketch/coordinates',
      /not one of the 2 listed sets/u,
    ],
    [
      'other pairs with the same marginals',
      {
        draw: (_params, dimension, random) => {
          atLeast(dimension, 2);
          const j = random.integer(dimension);
          return { coordinates: Uint32Array.of(j, (j + 1) % dimension).toSorted() };
        },
      },
      'sketch/second-moment',
      /drawn together with probability/u,
    ],
    [
      'no scaling',
      { marginals: (params, dimension) => two.marginals(params, dimension).fill(1), enumerate: () => null },
      'sketch/unbiased',
      /times what it should be/u,
    ],
    [
      'a favoured first coordinate, without enumeration',
      {
        ...own,
        draw: (_params, dimension, random) => ({
          coordinates: Uint32Array.from(
            all(dimension).filter((j) => random.uniform() <= (j === 1 ? 0.7 : 1 / (1 + (j % 3)))),
          ),
        }),
      },
      'sketch/frequencies',
      /not drawn as often/u,
    ],
    [
      'pair probabilities of independent coordinates',
      {
        pairProbability: (_params, dimension, i, j) => {
          inside(dimension, i, j);
          return i === j ? 2 / dimension : (2 / dimension) ** 2;
        },
      },
      'sketch/pair-probability',
      /the listed sets that hold both/u,
    ],
    [
      'pair probabilities that contradict the draws',
      {
        pairProbability: (_params, dimension, i, j) => {
          inside(dimension, i, j);
          return i === j ? 2 / dimension : (2 / dimension) ** 2;
        },
        enumerate: () => null,
      },
      'sketch/pair-probability',
      /by enumeration/u,
    ],
    [
      'pairs with a coordinate out of range',
      {
        pairProbability: (_params, dimension, i, j) =>
          i === j ? 2 / dimension : 2 / (dimension * (dimension - 1)),
      },
      'sketch/pair-probability',
      /must be refused/u,
    ],
    [
      'pair probabilities that depend on the order',
      {
        ...own,
        pairProbability: (params, dimension, i, j) =>
          defined(own.pairProbability)(params, dimension, i, j) * (i > j ? 0.99 : 1),
      },
      'sketch/pair-probability',
      /in the other order/u,
    ],
    [
      'pairs declared as never drawn together, without enumeration',
      {
        ...own,
        pairProbability: (params, dimension, i, j) =>
          i !== j && i % 3 > 0 && j % 3 > 0 ? 0 : defined(own.pairProbability)(params, dimension, i, j),
      },
      'sketch/pair-frequencies',
      /not drawn as often/u,
    ],
    [
      'memory',
      {
        draw: (params, dimension, random) => {
          atLeast(dimension, 2);
          last += 1;
          return last % 2 === 0 ? two.draw(params, dimension, random) : { coordinates: Uint32Array.of(0, 1) };
        },
      },
      'sketch/coins',
      /something else the second time/u,
    ],
    [
      'a shared array',
      {
        marginals: (_params, dimension) => {
          atLeast(dimension, 2);
          return (shared[dimension] ??= new Float64Array(dimension).fill(2 / dimension));
        },
      },
      'sketch/coins',
      /something else the second time/u,
    ],
  ];
  let last = 0;
  const shared: { [dimension: number]: Float64Array } = {};
  it.each(bugs)('find %s', async (_name, bug, law, words) => {
    expect((await broken(bug, law)).get(law)).toMatch(words);
  });
});
