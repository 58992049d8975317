import { type Batch, type Query, type StoredPlan } from '@lethe/core';
import { queryTable, type Example, type ExampleParts } from '@lethe/core/testing';
import { copyOf } from './hostile.js';
import {
  around,
  ball,
  drawAtEachStep,
  partition,
  descentFor,
  exponential,
  fixedSize,
  meanWithin,
  plannedBase,
  poisson,
  prefixSum,
  mechanismNamed,
  standIns,
} from './stand-ins/index.js';
import type { Fixture } from './fixture.js';

/** Columns of the records. */
export const dimension = 3;

/** A query of one kind, with the queries it needs before it, and queries that use its answer. */
export interface Asked {
  /** Sends the queries that the query needs; its result is the argument of `query`. */
  readonly before?: (fixture: Fixture) => unknown;
  /** A new object at every call, with writable fields. */
  readonly query: (fixture: Fixture, before: unknown) => Query;
  /** Queries that refer to objects in the answer. */
  readonly after?: (fixture: Fixture, answer: unknown, before: unknown) => readonly Query[];
}

const plans = new Map<string, StoredPlan>();
/** A plan to select from, made once for all fixtures with these public facts. */
function base({ allRecords, data, ledger }: Fixture): StoredPlan {
  const problem = {
    adjacency: ledger.adjacency,
    dimension: data.dimension,
    slots: [allRecords.normaliser],
    loss: data.lossRef,
  };
  const key = JSON.stringify(problem);
  const plan =
    plans.get(key) ??
    plannedBase('one-step', standIns(), problem, {
      mean: meanWithin({ by: 'clip', clip: ball(0.75) }, mechanismNamed('gaussian')),
      noiseMultiplier: 1.5,
    });
  plans.set(key, plan);
  return copyOf(plan);
}

const partsOf = (fixture: Fixture): ExampleParts => ({
  ...partsOn(fixture),
  get base() {
    return base(fixture);
  },
});
const partsOn = ({
  allRecords,
  data,
}: {
  readonly allRecords: Batch;
  readonly data: { readonly dimension: number };
}): Omit<ExampleParts, 'base'> => ({
  allRecords,
  dimension: data.dimension,
  steps: 3,
  sampler: poisson(0.5),
  exactSampler: fixedSize(2),
  dealer: partition(allRecords.size, 2),
  streamSampler: drawAtEachStep,
  clip: ball(0.75, 'opaque-ball'),
  mechanism: mechanismNamed('gaussian'),
  mean: meanWithin({ by: 'clip', clip: ball(0.75, 'opaque-ball') }, mechanismNamed('gaussian')),
  certified: meanWithin({ by: 'certificate', fact: 'lipschitz' }, mechanismNamed('gaussian')),
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
  const of = (fixture: Fixture): Example<object, unknown> => examples(partsOf(fixture))[name];
  return {
    before: (fixture) => {
      const { before } = of(fixture);
      return before === undefined ? undefined : fixture.ask(before as Query);
    },
    query: (fixture, before) => copyOf({ ask, ...of(fixture).query(before) }) as Query,
    after: (fixture, answer, before) => (of(fixture).after?.(answer, before) ?? []) as readonly Query[],
  };
}

const anyone = {
  id: 'everyone',
  normaliser: 1,
  size: 'exact',
  scope: null,
} as Batch;
/** Examples are named without a fixture to plan for. */
const noBase = {} as StoredPlan;
/** Every kind of query, in every form. */
export const everyQuery: readonly (readonly [string, Asked])[] = Object.entries(queryTable).flatMap(
  ([ask, { examples }]) =>
    Object.keys(examples({ ...partsOn({ allRecords: anyone, data: { dimension } }), base: noBase })).map(
      (name) => [name, asked(name, ask, examples as Parameters<typeof asked>[2])] as const,
    ),
);
