import {
  ask,
  seededRandom,
  Unsupported,
  type Answered,
  type Program,
  type Batch,
  type Curator,
  type Problem,
  type Query,
  type Run,
  type Vector,
} from '@lethe/core';
import { describe, expect, it } from 'vitest';
import { recordReplay, type RecordReplayOptions, type PreparedRun } from './record-replay.js';

type Data = readonly (readonly [number, number])[];
const D: Data = [
  [1, 2],
  [3, -1],
  [0.5, 0.25],
];
const E: Data = [
  [1, 2],
  [3, -1],
  [-4, 7],
];
const start = Float64Array.of(0.1, -0.2);
const options: RecordReplayOptions = { start, random: seededRandom('public') };

/** Answers every mean with the exact mean of the data, so that answers differ as much as possible. */
function curatorOf(data: Data): Curator<Answered> {
  let recorded = 0;
  const mean = (j: 0 | 1): number => data.reduce((sum, row) => sum + row[j], 0) / data.length;
  return {
    facts: { run: 'r', simulation: true, assumptions: [] },
    allRecords: { id: 'everyone', normaliser: data.length, size: 'exact', scope: null } as unknown as Batch,
    answer(index, query: Query) {
      recorded = index + 1;
      return {
        answer:
          query.ask === 'draw'
            ? ({ ...this.allRecords, id: `b${index}`, size: 'hidden' } as Batch)
            : Float64Array.of(mean(0) + index, mean(1)),
        digest: '',
      };
    },
    replay: () => undefined,
    recorded: () => recorded,
    spent: () => ({ kind: 'core/free', v: 1 }),
  };
}

const problem: Problem = {
  adjacency: 'replace-one',
  trust: { model: 'central' },
  dimension: 2,
  slots: [3],
  domain: { kind: 'domain', name: 'whole-space', params: {} },
  loss: { kind: 'loss', name: 'squared', params: {} },
  capabilities: {},
  facts: {},
};
const release = {
  mean: { kind: 'mean', name: 'clipped', params: { clip: { kind: 'clip', name: 'l2', params: 1 } } },
  target: { rho: 1 },
} as const;
const meanAt = (at: Vector, batch: Batch): Program<Vector> => ask.mean({ at, batch, ...release });
const makeRun = (steps: Run['steps'], gradients = 1): Run => ({
  name: 'x',
  problem,
  plan: { event: { kind: 'core/free', v: 1 }, utility: null, gradients },
  steps,
});
const judge = (make: (data: Data) => Run): ReturnType<typeof recordReplay> => {
  const prepared = (data: Data) => (): PreparedRun => ({ run: make(data), curator: curatorOf(data) });
  return recordReplay(prepared(D), prepared(E), options);
};

describe('correct optimizers', () => {
  const inPlace = makeRun(function* ({ start: w, allRecords }) {
    for (let t = 0; t < 4; t++) {
      const g = yield* meanAt(w, allRecords);
      for (let i = 0; i < w.length; i++) w[i] -= 0.1 * g[i];
      g.fill(0);
    }
    return w;
  });
  const publicCoins = makeRun(function* ({ start: w, allRecords, random, state, rounds }) {
    const now = state({ g: w.slice() });
    for (const _ of rounds(1 + random.fork('rounds').integer(5))) {
      const batch = yield* ask.draw({
        sampler: { kind: 'sampler', name: 'poisson', params: {} },
        from: allRecords,
      });
      const g = yield* meanAt(
        w.map((x) => x + random.uniform()),
        batch,
      );
      now.g.set(g);
    }
    return w;
  });
  const adaptive = makeRun(function* ({ start: w, allRecords }) {
    for (let t = 0, g = w; t < 20 && g[0] < 6; t++) g = yield* meanAt(g, allRecords);
    return w;
  });
  it.each(Object.entries({ inPlace, publicCoins, adaptive }))('%s', (_, run) =>
    expect(judge(() => run)).toBeUndefined(),
  );
});

describe('leaks', () => {
  it('of data in a closure', () =>
    expect(
      judge((data) =>
        makeRun(function* ({ start: w, allRecords }) {
          const g = yield* meanAt(w, allRecords);
          yield* meanAt(
            g.map((x) => x * data[2][0]),
            allRecords,
          );
          return w;
        }),
      ),
    ).toMatchObject({ where: 'query 1', order: 'here, there' }));

  it('of data in the output only', () =>
    expect(
      judge((data) =>
        makeRun(function* ({ start: w, allRecords }) {
          yield* meanAt(w, allRecords);
          return w.map((x) => x + data[2][1]);
        }),
      ),
    ).toMatchObject({
      where: 'output',
      recorded: { output: start.map((x) => x + 0.25) },
      replayed: { output: start.map((x) => x + 7) },
    }));

  it('of data in the plan', () =>
    expect(
      judge((data) =>
        makeRun(function* ({ start: w, allRecords }) {
          yield* meanAt(w, allRecords);
          return w;
        }, Math.abs(data[2][0])),
      ),
    ).toMatchObject({ where: 'plan' }));

  it.each([1, -1])('of data in the stopping time, whichever run is longer', (sign) =>
    expect(
      judge((data) =>
        makeRun(function* ({ start: w, allRecords }) {
          for (let t = 0; t < 2 + Number(sign * data[2][0] > 0); t++) yield* meanAt(w, allRecords);
          return w;
        }),
      ),
    ).toMatchObject({ where: sign > 0 ? 'query 2' : 'output' }),
  );

  it('of one unit in the last place', () =>
    expect(
      judge((data) =>
        makeRun(function* ({ start: w, allRecords }) {
          yield* meanAt(
            w.map(() => 1 + (data === D ? Number.EPSILON : 0)),
            allRecords,
          );
          return w;
        }),
      ),
    ).toMatchObject({ where: 'query 0' }));

  it('of the sign of a zero', () =>
    expect(
      judge((data) =>
        makeRun(function* ({ start: w, allRecords }) {
          yield* meanAt(
            w.map(() => (data === D ? 0 : -0)),
            allRecords,
          );
          return w;
        }),
      ),
    ).toMatchObject({ where: 'query 0' }));

  it('in an array that is restored afterwards', () =>
    expect(
      judge((data) =>
        makeRun(function* ({ start: w, allRecords }) {
          for (let t = 0; t < 2; t++) {
            yield* meanAt(w, allRecords);
            w[0] = data[2][0];
          }
          w.fill(0);
          return w;
        }),
      ),
    ).toMatchObject({ where: 'query 1' }));

  it('in a state', () =>
    expect(
      judge((data) =>
        makeRun(function* ({ start: w, allRecords, state, rounds }) {
          const now = state({ seen: 0 as number });
          for (const _ of rounds(2)) {
            yield* meanAt(w, allRecords);
            now.seen = data[2][0];
          }
          return w;
        }),
      ),
    ).toMatchObject({ where: 'state before query 1' }));

  it('that occur in one order only: state that survives from the first data set', () => {
    const begun = new Set<Data>();
    expect(
      judge((data) => {
        begun.add(data);
        const scale = data === D && begun.has(E) ? 2 : 1;
        return makeRun(function* ({ start: w, allRecords }) {
          yield* meanAt(
            w.map((x) => x * scale),
            allRecords,
          );
          return w;
        });
      }),
    ).toMatchObject({ order: 'there, here' });
  });
});

it('a run that never ends is stopped', () => {
  const prepared = (): PreparedRun => ({
    run: makeRun(function* ({ start: w, allRecords }) {
      for (;;) yield* meanAt(w, allRecords);
    }),
    curator: curatorOf(D),
  });
  expect(() => recordReplay(prepared, prepared, { ...options, limit: 50 })).toThrow(Unsupported);
});

it('an optimizer that is not deterministic is detected on a single data set', () => {
  let calls = 0;
  expect(
    judge(() =>
      makeRun(function* ({ start: w, allRecords }) {
        yield* meanAt(
          w.map(() => calls++),
          allRecords,
        );
        return w;
      }),
    ),
  ).toMatchObject({ where: 'query 0', order: 'here, here' });
});

it('misses properties that both data sets share, such as the number of records', () => {
  const leaky = (data: Data): Run =>
    makeRun(function* ({ start: w, allRecords }) {
      yield* meanAt(
        w.map(() => data.length),
        allRecords,
      );
      return w;
    });
  expect(judge(leaky)).toBeUndefined();
  const prepared = (data: Data) => (): PreparedRun => ({ run: leaky(data), curator: curatorOf(data) });
  expect(recordReplay(prepared(D), prepared(D.slice(0, 2)), options)).toMatchObject({ where: 'query 0' });
});
