import { accountants, bestOf, calibrator, renyiLimit } from '@lethe/accountants';
import { adaptiveDpSgd, dpSgd } from '@lethe/algorithms';
import {
  BudgetExceeded,
  driveSync,
  IncompatiblePlugins,
  InvalidParameter,
  memoryStore,
  reservationFor,
  sameEvent,
  seededRandom,
  Unsupported,
  type Adjacency,
  type DriveOptions,
  type Ref,
  type Store,
} from '@lethe/core';
import { attachData, centralCurator, openLedger, type Ledger } from '@lethe/curator';
import { logistic, losses } from '@lethe/losses';
import {
  automaticClip,
  certifiedMean,
  clippedMean,
  coordinateMedianOfMeans,
  fixedSize,
  full,
  gaussian,
  l1Clip,
  l2BallDomain,
  l2Clip,
  latticeMean,
  mechanisms,
  poisson,
  skellamLatticeMean,
} from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { describe, expect, it } from 'vitest';

const n = 2000;
const d = 4;
const budget = { epsilon: 1, delta: 1e-6 };
const registry = [...mechanisms, ...losses];
const accountant = bestOf(accountants);
const features = seededRandom('records').gaussianInto(new Float64Array(n * d));
const labels = Float64Array.from({ length: n }, (_, i) => (features[i * d] > 0 ? 1 : -1));
const params = {
  steps: 2000,
  rate: 0.05,
  clipNorm: 1,
  stepSize: 0.5,
  noiseMultiplier: 4,
  leastMultiplier: 1,
  lookEvery: 10,
  lookMultiplier: 30,
};
const prepare = (adjacency: Adjacency = 'replace-one', changed = {}) =>
  adaptiveDpSgd.prepare({
    registry: mechanisms,
    problem: {
      adjacency,
      trust: { model: 'central' },
      dimension: d,
      slots: [n],
      domain: l2BallDomain({ radius: 5 }),
      loss: logistic({}),
      capabilities: logistic.capabilities,
      facts: {},
    },
    budget,
    params: { ...params, ...changed },
    calibrate: calibrator(accountants),
    filter: renyiLimit(),
    random: seededRandom('plan'),
  });
const open = (store?: Store, adjacency: Adjacency = 'replace-one'): Ledger =>
  openLedger({
    adjacency,
    limit: { epsilon: 1.6, delta: 1e-5, accountant, filter: renyiLimit() },
    ...(store === undefined ? {} : { store }),
  });
const curatorOf = (ledger: Ledger, run: ReturnType<typeof prepare>, randomness: string, name = 'run') =>
  centralCurator({
    data: attachData({
      features: { data: features, rows: n, columns: d, offset: 0, rowStride: d, columnStride: 1 },
      labels,
      loss: logistic({}),
      registry,
      ledger,
    }),
    registry,
    run: name,
    random: seededRandom(randomness),
    ...reservationFor(run),
    ...(ledger.adjacency === 'add-remove' ? { publicSlots: n } : {}),
  });
const drive = (
  run: ReturnType<typeof prepare>,
  curator: ReturnType<typeof curatorOf>,
  more: Partial<DriveOptions> = {},
) => driveSync(run, curator, { start: new Float64Array(d), random: seededRandom('public'), ...more });

describe('adaptive-dp-sgd', () => {
  it.each(['replace-one', 'add-remove', 'zero-out'] as const)(
    'costs the limit of its filter, for any number of steps: %s',
    (adjacency) => {
      const counts = new Set<number>();
      const shares: number[] = [];
      for (const randomness of ['a', 'b', 'c', 'd']) {
        const run = prepare(adjacency);
        const ledger = open(undefined, adjacency);
        const curator = curatorOf(ledger, run, randomness);
        counts.add(drive(run, curator).queries);
        expect(sameEvent(ledger.total(), run.plan.event) && sameEvent(curator.spent(), run.plan.event)).toBe(
          true,
        );
        expect(
          accountant.epsilon(ledger.total(), { adjacency, delta: budget.delta }).upper,
        ).toBeLessThanOrEqual(budget.epsilon);
        expect(defined(run.held).admits(curator.charged())).toBe(true);
        shares.push(defined(run.held).share(curator.charged()));
      }
      // The budget ends the run, unless the stopping rule does.
      expect(Math.max(...shares)).toBeGreaterThan(0.95);
      expect(counts.size).toBeGreaterThan(1);
    },
  );

  it('counts with its limit from the start, so that others have no room', () => {
    const run = prepare();
    const ledger = openLedger({
      adjacency: 'replace-one',
      limit: { ...budget, accountant, filter: renyiLimit() },
    });
    curatorOf(ledger, run, 'a');
    expect(() => curatorOf(ledger, run, 'b', 'second')).toThrow(BudgetExceeded);
    expect(ledger.runs()).toEqual(['run']);
    const wider = open();
    for (const name of ['first', 'second']) curatorOf(wider, run, name, name);
    // Rényi divergences add up: two limits of ε = 1 fit into 1.6 at ten times their δ, three do not.
    expect(() => curatorOf(wider, run, 'c', 'third')).toThrow(BudgetExceeded);
  });

  it('gives the same bits when it is stopped anywhere and resumed', () => {
    const run = prepare();
    const whole = drive(run, curatorOf(open(), run, 'a'));
    for (const stop of [1, 2, 3, 41, 42, 43, 44, 45, 120, whole.queries - 1]) {
      const [store, transcript] = [memoryStore(), memoryStore()];
      let count = 0;
      const signal = {
        throwIfAborted() {
          if (count++ === stop) throw new Error('stopped');
        },
      };
      expect(() =>
        drive(run, curatorOf(open(store), run, 'a'), { transcript, signal, checkpointEvery: 40 }),
      ).toThrow('stopped');
      const again = drive(run, curatorOf(open(memoryStore(store.read())), run, 'a'), {
        transcript: memoryStore(transcript.read()),
        checkpointEvery: 40,
      });
      expect([...again.output]).toEqual([...whole.output]);
    }
  });

  it('refuses to plan or run without a filter, and a first step beyond the filter', () => {
    const run = prepare();
    const ledger = open();
    const free = centralCurator({
      data: attachData({
        features: { data: features, rows: n, columns: d, offset: 0, rowStride: d, columnStride: 1 },
        labels,
        loss: logistic({}),
        registry,
        ledger,
      }),
      registry,
      run: 'free',
      random: seededRandom('a'),
    });
    expect(() => drive(run, free)).toThrow(Unsupported);
    expect(() =>
      adaptiveDpSgd.prepare({
        registry: mechanisms,
        problem: run.problem as never,
        budget,
        params,
        calibrate: calibrator(accountants),
        random: seededRandom('p'),
      }),
    ).toThrow(Unsupported);
    expect(() => prepare('replace-one', { noiseMultiplier: 0.01, leastMultiplier: 0.01 })).toThrow(
      InvalidParameter,
    );
  });

  it('requests less noise once the gradient stops decreasing', () => {
    const run = prepare();
    const multipliers: number[] = [];
    drive(run, curatorOf(open(), run, 'a'), {
      observe: (query) => {
        if (query.ask === 'mean' && 'noiseMultiplier' in query.target)
          multipliers.push(query.target.noiseMultiplier);
      },
    });
    expect(multipliers[0]).toBe(4);
    expect(multipliers.at(-1)).toBeLessThan(4);
    expect(multipliers.every((multiplier, i) => i === 0 || multiplier <= multipliers[i - 1])).toBe(true);
  });

  describe('with sampler and mean by reference', () => {
    const clippedBy = (clip: Ref<'clip'>): Ref<'mean'> => clippedMean({ clip, mechanism: gaussian({}) });
    const prepareWith = (parts: object, adjacency: Adjacency = 'replace-one') =>
      prepare(adjacency, { rate: undefined, clipNorm: undefined, ...parts });
    const usual = { sampler: poisson({ rate: 0.05 }), mean: clippedBy(l2Clip({ radius: 1 })), lookNorm: 1 };

    it('is the same run as with their short forms', () => {
      const named = prepareWith(usual);
      expect(named.plan).toEqual(prepare().plan);
      const curator = () => curatorOf(open(), named, 'a');
      expect(drive(named, curator()).output).toEqual(drive(prepare(), curator()).output);
    });

    it.each([
      ['batches of fixed size', { sampler: fixedSize({ size: 100 }) }, 'zero-out'],
      ['another clip', { mean: clippedBy(automaticClip({ radius: 1, stability: 0.1 })) }, 'add-remove'],
      ['whole numbers', { mean: latticeMean({ radius: 1, spacing: 2 ** -12 }) }, 'replace-one'],
    ] as const)('is charged step by step as dp-sgd is: %s', (_name, parts, adjacency) => {
      const run = prepareWith({ ...usual, ...parts, steps: 1 }, adjacency);
      const curator = curatorOf(open(undefined, adjacency), run, 'a');
      drive(run, curator);
      const { sampler, mean } = { ...usual, ...parts };
      const { plan } = dpSgd.prepare({
        registry: mechanisms,
        problem: run.problem,
        budget,
        params: { steps: 1, sampler, mean, stepSize: 1, noiseMultiplier: params.noiseMultiplier },
        calibrate: calibrator(accountants),
        random: seededRandom('plan'),
      });
      expect(sameEvent(plan.event, curator.charged())).toBe(true);
    });

    it('refuses parts that do not fit, with the reason, before anything is asked', () => {
      const refused = (parts: object) => () => prepareWith({ ...usual, ...parts });
      expect(refused({ lookNorm: undefined })).toThrow(/give lookNorm/u);
      expect(refused({ clipNorm: 1 })).toThrow(/exactly one of clipNorm, mean/u);
      expect(refused({ mean: certifiedMean({ mechanism: gaussian({}) }) })).toThrow(/rests on every-record/u);
      expect(refused({ mean: clippedBy(l1Clip({ radius: 1 })) })).toThrow(IncompatiblePlugins);
      expect(refused({ mean: coordinateMedianOfMeans({ groups: 3, limit: 1 }) })).toThrow(/exact size/u);
    });

    it('refuses noise that may become smaller than a mechanism draws, and knows events of a plugin', () => {
      const mean = skellamLatticeMean({ radius: 1, spacing: 2 ** -10 });
      const whole = { ...usual, sampler: full({}), mean, noiseMultiplier: 5, lookMultiplier: 100 };
      const run = prepareWith({ ...whole, leastMultiplier: 1, steps: 2 });
      expect(drive(run, curatorOf(open(), run, 'a')).queries).toBeGreaterThan(2);
      expect(() => prepareWith({ ...whole, leastMultiplier: 0.01 })).toThrow(/scales are at least 64/u);
    });
  });
});
