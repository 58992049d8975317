import { accountants, bestOf, calibrator } from '@lethe/accountants';
import { adaptiveDpSgd, biasReducedSgd, boosted, dpSgd, outputPerturbation } from '@lethe/algorithms';
import {
  Corrupt,
  driveSync,
  IncompatiblePlugins,
  InvalidParameter,
  memoryStore,
  sameEvent,
  secureRandom,
  seededRandom,
  Unsupported,
  type Optimizer,
  type Problem,
  type PublicPlan,
  type Registry,
  type Run,
  type Store,
  type StoredPlan,
} from '@lethe/core';
import { attachData, centralCurator, openLedger, priceOfRun } from '@lethe/curator';
import { isPartOf } from '@lethe/curator/testing';
import { logistic, losses } from '@lethe/losses';
import { l2BallDomain, mechanisms } from '@lethe/mechanisms';
import { describe, expect, test } from 'vitest';

const all = [dpSgd, biasReducedSgd, boosted, adaptiveDpSgd, outputPerturbation];
const registry: Registry = [...mechanisms, ...losses, ...all];
const [n, d] = [64, 3];
const domain = { featureNorm: 1, labelBound: 1, iterateNorm: 1 };
const calibrate = calibrator(accountants);
const budget = { epsilon: 1, delta: 1e-6 };

const problem = (adjacency: Problem['adjacency'] = 'replace-one'): Problem => ({
  adjacency,
  trust: { model: 'central' },
  dimension: d,
  slots: [n],
  domain: l2BallDomain({ radius: 1 }),
  loss: logistic({}),
  capabilities: logistic.capabilities,
  facts: logistic.facts({}, { columns: d, ...domain }),
});
const prepare = (params: object, changes: Partial<Problem> = {}): Run =>
  (boosted as Optimizer).prepare({
    registry,
    problem: { ...problem(), ...changes },
    budget,
    params,
    calibrate,
    random: seededRandom('public'),
  });
interface Plan extends PublicPlan {
  readonly base: StoredPlan;
  readonly cap: number;
  readonly likely: { readonly bound: number; readonly failure: number } | null;
  readonly uncovered: string | null;
}
const sgd = { name: 'dp-sgd', params: { steps: 2, rate: 0.5, clipNorm: 1, stepSize: 0.1 } };

function carriedOut(run: Run, store: Store, { seed = 'secret', transcript = memoryStore() } = {}) {
  const random = seededRandom('records');
  const { adjacency } = run.problem;
  const data = attachData({
    features: {
      data: Float64Array.from({ length: n * d }, () => random.uniform() - 0.5),
      rows: n,
      columns: d,
      offset: 0,
      rowStride: d,
      columnStride: 1,
    },
    labels: Float64Array.from({ length: n }, () => (random.uniform() < 0.5 ? 1 : -1)),
    loss: logistic({}),
    registry,
    domain,
    ledger: openLedger({ adjacency, store }),
  });
  const curator = centralCurator({
    data,
    registry,
    run: 'run',
    random: seededRandom(seed),
    planned: run.plan.event,
    ...(adjacency === 'add-remove' ? { publicSlots: n } : {}),
  });
  const { output } = driveSync(run, curator, {
    start: new Float64Array(d),
    random: seededRandom('public'),
    transcript,
  });
  return { output, spent: curator.spent() };
}

describe('boosted', () => {
  test.each(['replace-one', 'zero-out'] as const)(
    'keeps its budget and costs what it planned, under %s',
    (adjacency) => {
      const run = prepare({ base: sgd }, { adjacency });
      const upper = bestOf(accountants).epsilon(run.plan.event, { adjacency, delta: budget.delta }).upper;
      expect(upper).toBeLessThanOrEqual(budget.epsilon);
      const store = memoryStore();
      const { output, spent } = carriedOut(run, store);
      expect(sameEvent(spent, run.plan.event)).toBe(true);
      // The same run again: nothing is charged, and the same point is told, bit for bit.
      const again = carriedOut(run, store);
      expect([...again.output]).toEqual([...output]);
      expect(sameEvent(again.spent, spent)).toBe(true);
    },
  );

  test('resolves the failure probability of a base, of 1e-17', () => {
    const { base } = prepare({ base: sgd, stopProbability: 0.25 }).plan as Plan;
    expect(base.budget.delta / 1.795461074403907e-17).toBeCloseTo(1, 12);
    const upper = bestOf(accountants).epsilon(base.plan.event, {
      adjacency: 'replace-one',
      delta: base.budget.delta,
    }).upper;
    expect(upper).toBeLessThanOrEqual(1 / 12);
    expect(upper).toBeGreaterThan(0.9 / 12);
  });

  test('repeats bias-reduced-sgd with levels of each run, within the event of its plan', () => {
    const run = prepare({ base: { name: 'bias-reduced-sgd', params: { calls: 3 } } });
    const { base, likely } = run.plan as Plan;
    const levels = new Set<string>();
    for (let k = 0; k < 8; k++) {
      const one = biasReducedSgd.fromPlan({ plan: base, registry, random: seededRandom(`coins ${k}`) });
      const { event } = priceOfRun({
        problem: one.problem,
        registry,
        random: seededRandom(`coins ${k}`),
        steps: (context) => one.steps(context),
      });
      expect(isPartOf(event, base.plan.event)).toBe(true);
      levels.add(JSON.stringify(event));
    }
    expect(levels.size).toBeGreaterThan(1);
    expect(likely?.failure).toBe(0.1);
    expect(sameEvent(carriedOut(run, memoryStore()).spent, run.plan.event)).toBe(true);
  });

  test('refuses bases that a selection does not repeat, and budgets that cannot be split', () => {
    expect(() => prepare({ base: { name: 'adaptive-dp-sgd', params: {} } })).toThrow(Unsupported);
    expect(() => prepare({ base: { name: 'output-perturbation', params: {} } })).toThrow(IncompatiblePlugins);
    expect(() => prepare({ base: { ...sgd, params: { ...sgd.params, noiseMultiplier: 0.5 } } })).toThrow(
      InvalidParameter,
    );
    expect(() =>
      prepare({ base: { name: 'bias-reduced-sgd', params: { stopping: 'printed', stepSize: 1 } } }),
    ).toThrow(InvalidParameter);
    const { range: _, ...rest } = problem().facts;
    expect(() => prepare({ base: sgd }, { facts: rest })).toThrow(/'range'/u);
  });
});

describe('a selection in a curator', () => {
  test('refuses a base of another problem, or a changed plan, before anything is charged', () => {
    const { plan } = prepare({ base: sgd });
    const { base, cap } = plan as Plan;
    const ledger = openLedger({ adjacency: 'replace-one' });
    const data = attachData({
      features: {
        data: new Float64Array(n * d).fill(0.25),
        rows: n,
        columns: d,
        offset: 0,
        rowStride: d,
        columnStride: 1,
      },
      labels: new Float64Array(n).fill(1),
      loss: logistic({}),
      registry,
      domain,
      ledger,
    });
    const curator = centralCurator({ data, registry, run: 'run', random: secureRandom() });
    const asking =
      (changed: unknown, rest: object = {}) =>
      () =>
        curator.answer(0, {
          ask: 'select',
          base: changed as StoredPlan,
          start: new Float64Array(d),
          batch: curator.allRecords,
          score: {
            statistic: { of: 'risk' },
            noise: {
              mechanism: { kind: 'mechanism', name: 'laplace', params: {} },
              target: { noiseMultiplier: 1 },
            },
          },
          stopProbability: 0.5,
          cap,
          ...rest,
        });
    const posed = (changes: Partial<Problem>): unknown => ({
      ...base,
      problem: { ...base.problem, ...changes },
    });
    expect(asking(posed({ slots: [n - 1] }))).toThrow(/number of records|cost another event/u);
    expect(asking(posed({ adjacency: 'zero-out' }))).toThrow(/adjacency|cost another event/u);
    expect(asking(posed({ loss: { kind: 'loss', name: 'squared', params: {} } }))).toThrow(/another loss/u);
    // Plans as they were made, of other problems.
    const planned = (changes: Partial<Problem>): unknown =>
      (prepare({ base: sgd }, changes).plan as Plan).base;
    expect(asking(planned({ slots: [n - 1] }))).toThrow(/another number of records/u);
    expect(asking(planned({ adjacency: 'zero-out' }))).toThrow(/another adjacency/u);
    expect(asking(planned({ dimension: d + 1 }))).toThrow(/another dimension/u);
    expect(asking({ ...base, plan: { ...base.plan, event: { kind: 'core/free', v: 1 } } })).toThrow(Corrupt);
    expect(asking({ ...base, mark: 'another' })).toThrow(IncompatiblePlugins);
    expect(asking({ ...base, optimizer: 'nobody' })).toThrow(Unsupported);
    expect(asking(base, { cap: 0 })).toThrow(/cap/u);
    expect(asking(base, { stopProbability: 0 })).toThrow(/stopProbability/u);
    expect(ledger.total().kind).toBe('core/free');
    expect(asking(base)().answer).toMatchObject({ score: expect.any(Number) as number });
  });
});
