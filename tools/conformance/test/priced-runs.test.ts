import { dpSgd } from '@lethe/algorithms';
import {
  ask,
  Corrupt,
  driveSync,
  IncompatiblePlugins,
  memoryStore,
  sameEvent,
  seededRandom,
  Unsupported,
  type Adjacency,
  type Loops,
  type MeanQuery,
  type Problem,
  type Program,
  type Run,
  type Vector,
} from '@lethe/core';
import { attachData, centralCurator, defineOptimizer, openLedger, storedPlan } from '@lethe/curator';
import { squared } from '@lethe/losses';
import {
  clippedMean,
  fixedSize,
  certifiedMean,
  gaussian,
  l2BallDomain,
  l2Clip,
  poisson,
  shuffledEpochs,
} from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { dimension, records, registry } from './world.js';
import { cheapAccountant, rememberingCalibrator } from './calibrating.js';

/** Noise to a thousandth: what is compared is the same run. */
const calibrate = rememberingCalibrator([cheapAccountant], 1e-3);

const n = 24;
const problemOf = (adjacency: Adjacency): Problem<typeof squared.capabilities> => ({
  adjacency,
  trust: { model: 'central' },
  dimension,
  slots: [n],
  domain: l2BallDomain({ radius: 5 }),
  loss: squared({}),
  capabilities: squared.capabilities,
  facts: {},
});
const context = {
  registry,
  budget: { epsilon: 2, delta: 1e-5 },
  calibrate,
  random: seededRandom('plan'),
};

type Context = Loops & {
  readonly allRecords: Parameters<Run['steps']>[0]['allRecords'];
  readonly start: Vector;
  release(factor?: number): Pick<MeanQuery, 'mean' | 'target'>;
};

/** An optimizer of these steps, with a noise that is calibrated. */
const optimizerOf = (
  name: string,
  steps: (context: Context) => Program<Vector>,
  adjacencies: readonly Adjacency[] = ['replace-one', 'zero-out'],
) =>
  defineOptimizer({
    name,
    summary: 'Tries what loops can be.',
    source: { id: 'test', item: 'own' },
    params: z.strictObject({}),
    claims: [],
    needs: {},
    adjacencies,
    trustModels: ['central'],
    privacyRestsOn: 'clip',
    stopping: 'fixed',
    facts: {},
    plan: ({ noiseFor }) => ({ noise: noiseFor((noise) => ({ noise })), utility: null }),
    steps: ({ plan, ...rest }) =>
      steps({
        ...rest,
        release: (factor = 1) => ({
          mean: clippedMean({ clip: l2Clip({ radius: 1 }), mechanism: gaussian({}) }),
          target: { noiseMultiplier: factor * plan.noise },
        }),
      }),
  });

function driven(run: Run): {
  readonly spent: ReturnType<ReturnType<typeof openLedger>['spentBy']>;
  readonly output: Vector;
  readonly queries: number;
} {
  const { features, labels } = records(n);
  const { adjacency } = run.problem;
  const ledger = openLedger({ adjacency, store: memoryStore() });
  const data = attachData({
    features: {
      data: features,
      rows: n,
      columns: dimension,
      offset: 0,
      rowStride: dimension,
      columnStride: 1,
    },
    labels,
    loss: squared({}),
    registry,
    ledger,
  });
  const curator = centralCurator({
    data,
    registry,
    run: 'run',
    random: seededRandom('curator'),
    planned: run.plan.event,
    ...(adjacency === 'add-remove' ? { publicSlots: n } : {}),
  });
  const { output, queries } = driveSync(run, curator, {
    start: new Float64Array(dimension),
    random: seededRandom('public'),
  });
  curator.end();
  return { spent: ledger.spentBy('run'), output, queries };
}

/** With how many gradients it takes, counted by hand. */
const nasty: readonly (readonly [string, number, ReturnType<typeof optimizerOf>])[] = [
  [
    'rounds inside rounds, of a draw each that the next one ends',
    3 * (n + 4 * 2 * 6),
    optimizerOf('nested', function* ({ start, allRecords, release, rounds }) {
      for (const _ of rounds(3)) {
        yield* ask.mean({ at: start, batch: allRecords, ...release(3) });
        for (const step of rounds(4)) {
          expect(step).toBeLessThan(5);
          const batch = yield* ask.draw({ sampler: fixedSize({ size: 6 }), from: allRecords });
          yield* ask.mean({
            terms: [
              { weight: 1, at: start },
              { weight: -1, at: start },
            ],
            batch,
            ...release(),
          });
        }
      }
      return start;
    }),
  ],
  [
    'kinds of rounds, one of which splits',
    2 * (n + 8 + 8 + 4) + 3 * n,
    optimizerOf('kinds', function* ({ start, allRecords, release, rounds, parts }) {
      for (const t of rounds(5, (round) => (round % 2 === 0 ? 'even' : 'odd'))) {
        yield* ask.mean({ at: start, batch: allRecords, ...release(t % 2 === 0 ? 1 : 2) });
        if (t % 2 !== 0) continue;
        const batches = yield* ask.split({
          of: allRecords,
          order: 'shuffled',
          parts: { by: 'size', sizes: [8, 8, 4] },
        });
        for (const [, batch] of parts(batches)) yield* ask.mean({ at: start, batch, ...release() });
      }
      return start;
    }),
  ],
  [
    'parts in stored order, drawn from and split again, with all records between',
    4 * (n + 2 * 6 + 2 * 3),
    optimizerOf('parts', function* ({ start, allRecords, release, rounds, parts }) {
      const batches = yield* ask.split({
        of: allRecords,
        order: 'stored',
        parts: { by: 'size', sizes: [6, 6, 6, 6] },
      });
      for (const [, batch] of parts(batches)) {
        yield* ask.mean({ at: start, batch: allRecords, ...release(4) });
        for (const _ of rounds(2)) {
          const drawn = yield* ask.draw({ sampler: poisson({ rate: 0.5 }), from: batch });
          yield* ask.mean({ at: start, batch: drawn, ...release() });
          yield* ask.close(drawn);
        }
        const halves = yield* ask.split({
          of: batch,
          order: 'shuffled',
          parts: { by: 'size', sizes: [3, 3] },
        });
        for (const [, half] of parts(halves)) yield* ask.mean({ at: start, batch: half, ...release(0.5) });
      }
      return start;
    }),
  ],
  [
    'parts of two kinds, and parts with another one between them',
    6 * 4 + 2 * 4 + 4,
    optimizerOf('sorts', function* ({ start, allRecords, release, parts }) {
      const batches = yield* ask.split({
        of: allRecords,
        order: 'stored',
        parts: { by: 'size', sizes: [4, 4, 4, 4, 4, 4] },
      });
      for (const [t, batch] of parts(batches, (part) => (part === 1 ? 'first' : 'later')))
        yield* ask.mean({ at: start, batch, ...release(t === 1 ? 1 : 2) });
      for (const [, batch] of parts([batches[0], batches[2]]))
        yield* ask.mean({ at: start, batch, ...release(3) });
      yield* ask.mean({ at: start, batch: batches[1], ...release(0.5) });
      return start;
    }),
  ],
  [
    'a scope that is ended inside a loop it was opened before',
    n + 5 * n,
    optimizerOf(
      'scope',
      function* ({ start, allRecords, release, rounds }) {
        const before = yield* ask.draw({ sampler: poisson({ rate: 0.25 }), from: allRecords });
        yield* ask.mean({ at: start, batch: before, ...release() });
        for (const _ of rounds(5)) {
          const batch = yield* ask.draw({ sampler: poisson({ rate: 0.25 }), from: allRecords });
          yield* ask.mean({ at: start, batch, ...release() });
        }
        return start;
      },
      ['replace-one', 'add-remove', 'zero-out'],
    ),
  ],
  [
    'epochs of batches that a sampler deals',
    2 * n,
    optimizerOf('dealt', function* ({ start, allRecords, release, rounds, parts }) {
      for (const _ of rounds(2)) {
        const batches = yield* ask.split({
          of: allRecords,
          order: 'shuffled',
          parts: { by: 'sampler', sampler: shuffledEpochs({ size: 6 }) },
        });
        for (const [, batch] of parts(batches)) yield* ask.mean({ at: start, batch, ...release() });
      }
      return start;
    }),
  ],
  [
    'nothing at all in loops without iterations',
    n,
    optimizerOf('empty', function* ({ start, allRecords, release, rounds, parts }) {
      for (const _ of rounds(0)) yield* ask.mean({ at: start, batch: allRecords, ...release() });
      for (const [, batch] of parts([])) yield* ask.mean({ at: start, batch, ...release() });
      yield* ask.mean({ at: start, batch: allRecords, ...release() });
      return start;
    }),
  ],
];

describe.each(nasty)('%s', (_, gradients, optimizer) => {
  test.each(optimizer.adjacencies)(
    'costs the same by kinds of iterations, one by one, and in the ledger, under %s',
    (adjacency) => {
      const run = optimizer.prepare({ ...context, problem: problemOf(adjacency), params: {} });
      const each = defined(defined(run.price)({ unrolled: true }));
      const { spent, queries } = driven(run);
      expect(sameEvent(each.event, run.plan.event)).toBe(true);
      expect(sameEvent(spent, run.plan.event)).toBe(true);
      expect(run.plan.gradients).toBe(gradients);
      expect({ gradients: each.gradients, queries: each.queries }).toEqual({ gradients, queries });
      expect(defined(defined(run.price)()).queries).toBe(queries);
    },
  );
});

describe('a price is refused', () => {
  const prepare = (steps: (context: Context) => Program<Vector>) => () =>
    optimizerOf('own', steps).prepare({ ...context, problem: problemOf('replace-one'), params: {} });
  test.each<readonly [string, (context: Context) => Program<Vector>, RegExp]>([
    [
      'of rounds that are left early',
      function* ({ start, rounds, allRecords, release }) {
        for (const _ of rounds(3)) {
          const g = yield* ask.mean({ at: start, batch: allRecords, ...release() });
          if (g[0] === 0) break;
        }
        return start;
      },
      /left early.*return event and gradients from plan/u,
    ],
    [
      'of what a limit has room for',
      function* ({ start, allRecords }) {
        yield* ask.afford({ ask: 'draw', sampler: poisson({ rate: 0.5 }), from: allRecords });
        return start;
      },
      /what it can afford/u,
    ],
    [
      'of a part of one of many parts',
      function* ({ start, allRecords, release, parts }) {
        const batches = yield* ask.split({
          of: allRecords,
          order: 'stored',
          parts: { by: 'size', sizes: [6, 6] },
        });
        for (const [, batch] of parts(batches)) {
          const [half] = yield* ask.split({ of: batch, order: 'stored', parts: { by: 'size', sizes: [3] } });
          yield* ask.mean({ at: start, batch: half, ...release() });
        }
        return start;
      },
      /part of one of the parts/u,
    ],
  ])('%s', (_, steps, message) => {
    expect(prepare(steps)).toThrow(Unsupported);
    expect(prepare(steps)).toThrow(message);
  });
});

test('a million steps are planned like ten, and stored plans start the same run', () => {
  const run = dpSgd.prepare({
    ...context,
    problem: problemOf('add-remove'),
    params: { steps: 1e6, rate: 0.01, clipNorm: 1, stepSize: 0.1, noiseMultiplier: 50 },
  });
  expect(run.plan.gradients).toBe(1e6 * n);
  expect(defined(defined(run.price)()).queries).toBe(1e6);
});

describe('a stored plan', () => {
  const problem = problemOf('replace-one');
  const run = dpSgd.prepare({
    ...context,
    problem,
    params: { steps: 4, rate: 0.5, clipNorm: 1, stepSize: 0.1 },
  });
  const stored = JSON.parse(JSON.stringify(storedPlan(run))) as ReturnType<typeof storedPlan>;
  const start = (changes: object, optimizer = dpSgd) =>
    optimizer.fromPlan({ plan: { ...stored, ...changes }, registry, random: context.random });

  test('starts the run it came from, without planning it again', () => {
    const again = start({});
    expect(again.plan).toEqual(run.plan);
    expect(driven(again)).toEqual(driven(run));
    expect(storedPlan(again)).toEqual(storedPlan(run));
  });

  test.each<readonly [string, object, new (...args: never[]) => Error, RegExp]>([
    [
      'of another version of the optimizer',
      { mark: '00' },
      IncompatiblePlugins,
      /another version of optimizer 'dp-sgd'/u,
    ],
    ['of another version of Lethe', { lethe: '0.0.0' }, IncompatiblePlugins, /version 0\.0\.0 of Lethe/u],
    [
      'of another optimizer',
      { optimizer: 'dp-svrg' },
      IncompatiblePlugins,
      /optimizer 'dp-svrg', not of 'dp-sgd'/u,
    ],
    [
      'with less noise than its event',
      { plan: { ...stored.plan, noiseMultiplier: 0.5 } },
      Corrupt,
      /cost another event/u,
    ],
    [
      'with more steps than its event',
      { plan: { ...stored.plan, steps: 5 } },
      Corrupt,
      /cost another event/u,
    ],
    [
      'with less noise than its event, which says that it was not priced',
      { priced: false, plan: { ...stored.plan, noiseMultiplier: 0.5 } },
      Corrupt,
      /cost another event/u,
    ],
    [
      'with a mean that rests on facts of the records',
      { plan: { ...stored.plan, mean: certifiedMean({ mechanism: gaussian({}) }) } },
      IncompatiblePlugins,
      /mean 'certified' rests on every-record constants, and that of 'dp-sgd' on clipping alone/u,
    ],
    [
      'with a bound that is none',
      { plan: { ...stored.plan, utility: { bound: NaN, source: 'nobody' } } },
      Corrupt,
      /utility/u,
    ],
    ['without a trust model', { problem: { ...stored.problem, trust: undefined } }, Corrupt, /trust/u],
    ['of half a record', { problem: { ...stored.problem, slots: [0.5] } }, Corrupt, /slots/u],
    ['with other gradients', { plan: { ...stored.plan, gradients: 1 } }, Corrupt, /other gradients/u],
    ['with a text for a number', { plan: { ...stored.plan, stepSize: 'much' } }, Corrupt, /stepSize/u],
    ['without a field', { plan: { ...stored.plan, average: 'most' } }, Corrupt, /average/u],
    [
      'of a problem with more slots',
      { problem: { ...stored.problem, slots: [48] } },
      Corrupt,
      /other gradients/u,
    ],
    ['that is none', { plan: 3 }, Corrupt, /no plan that 'dp-sgd' made/u],
    ['of another format', { format: 2 }, Corrupt, /no plan that 'dp-sgd' made/u],
  ])('is refused: one %s', (_, changes, type, message) => {
    expect(() => start(changes)).toThrow(type);
    expect(() => start(changes)).toThrow(message);
  });

  test('is refused of a run that no optimizer prepared', () => {
    const { mark: _, ...rest } = run;
    expect(() => storedPlan(rest)).toThrow(/was not prepared by an optimizer/u);
  });
});
