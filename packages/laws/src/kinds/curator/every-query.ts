import { queryTable, type Example, type ExampleParts, type Query } from '@lethe/core';
import { copyOf } from './hostile.js';
import {
  around,
  ball,
  partition,
  descentFor,
  exponential,
  fixedSize,
  meanWithin,
  poisson,
  prefixSum,
  voice,
} from './stand-ins/index.js';
import type { World } from './world.js';

/** Columns of the records. */
export const dimension = 3;

/** A query of one kind, with the queries it needs before it, and queries that use its answer. */
export interface Asked {
  /** Sends the queries that the query needs; its result is the argument of `query`. */
  readonly before?: (world: World) => unknown;
  /** A new object at every call, with writable fields. */
  readonly query: (world: World, before: never) => Query;
  /** Queries that refer to objects in the answer. */
  readonly after?: (world: World, answer: never, before: never) => readonly Query[];
}

const partsOf = ({ allRecords, data }: World): ExampleParts => ({
  allRecords,
  dimension: data.dimension,
  steps: 3,
  sampler: poisson(0.5),
  exactSampler: fixedSize(2),
  dealer: partition(allRecords.size, 2),
  clip: ball(0.75, 'opaque-ball'),
  mechanism: voice('gaussian'),
  mean: meanWithin({ by: 'clip', clip: ball(0.75, 'opaque-ball') }, voice('gaussian')),
  certified: meanWithin({ by: 'certificate', fact: 'lipschitz' }, voice('gaussian')),
  shuffled: { kind: 'mean', name: 'laws/shuffled', params: {} },
  prefixSum: prefixSum('increments'),
  domain: around(100),
  solver: descentFor(2),
  selector: exponential,
});

/** A named example, created anew for each fixture. */
function asked(
  name: string,
  ask: string,
  examples: (parts: ExampleParts) => Readonly<Record<string, Example<object, unknown>>>,
): Asked {
  const of = (world: World): Example<object, unknown> => examples(partsOf(world))[name];
  return {
    before: (world) => {
      const { before } = of(world);
      return before === undefined ? undefined : world.ask(before as Query);
    },
    query: (world, before) => copyOf({ ask, ...of(world).query(before) }) as Query,
    after: (world, answer, before) => (of(world).after?.(answer, before) ?? []) as readonly Query[],
  };
}

const anyone = {
  id: 'everyone',
  normaliser: 1,
  size: 'exact',
  scope: null,
} as unknown as World['allRecords'];
/** Every kind of query, in every form. */
export const everyQuery: readonly (readonly [string, Asked])[] = Object.entries(queryTable).flatMap(
  ([ask, { examples }]) =>
    Object.keys(examples(partsOf({ allRecords: anyone, data: { dimension } } as World))).map(
      (name) => [name, asked(name, ask, examples as Parameters<typeof asked>[2])] as const,
    ),
);
