import { accountants, bestOf, calibrator } from '@lethe/accountants';
import { dpSgd } from '@lethe/algorithms';
import {
  BudgetExceeded,
  gaussianEvent,
  memoryStore,
  repeatedEvent,
  seededRandom,
  Unsupported,
  type Batch,
  type PrivacyEvent,
  type Query,
  type Store,
} from '@lethe/core';
import { attachData, centralCurator, openLedger, type Limit } from '@lethe/curator';
import { logistic, losses } from '@lethe/losses';
import { clippedMean, gaussian, l2Clip, mechanisms, poisson, wholeSpaceDomain } from '@lethe/mechanisms';
import { expect, test } from 'vitest';

const registry = [...mechanisms, ...losses];
const accountant = bestOf(accountants);
const adjacency = 'zero-out';
const rows = 50;
const one = gaussianEvent(2000, { 'replace-one': 2, 'add-remove': 1, 'zero-out': 1 });
function curatorOn(store: Store, limit?: Limit) {
  const ledger = openLedger({ adjacency, store, ...(limit === undefined ? {} : { limit }) });
  const features = {
    data: new Float64Array(rows).fill(0.5),
    rows,
    columns: 1,
    offset: 0,
    rowStride: 1,
    columnStride: 1,
  };
  const data = attachData({
    features,
    labels: new Float64Array(rows).fill(1),
    loss: logistic({}),
    registry,
    ledger,
  });
  return { ledger, curator: centralCurator({ data, registry, run: 'run', random: seededRandom('coins') }) };
}
const mean = (batch: Batch): Query => ({
  ask: 'mean',
  of: { terms: [{ weight: 1, at: Float64Array.of(0) }] },
  batch,
  mean: clippedMean({ clip: l2Clip({ radius: 1 }), mechanism: gaussian({}) }),
  target: { noiseMultiplier: 2000 },
});
const drawn = (from: Batch, costs?: PrivacyEvent): Query => ({
  ask: 'draw',
  sampler: poisson({ rate: 0.5 }),
  from,
  ...(costs === undefined ? {} : { costs }),
});
const limit: Limit = { epsilon: 0.02, delta: 1e-6, accountant };

test.each([false, true])(
  'the declared costs of a scope are used once, for any number of resumes (by parts: %s)',
  (byParts) => {
    const store = memoryStore();
    let index = 0;
    let answers = 0;
    let batch: Batch | undefined;
    for (let resumed = 0; resumed < 4; resumed++) {
      const { curator } = curatorOn(store, limit);
      batch ??= curator.answer(index++, drawn(curator.allRecords, repeatedEvent(one, 4))).answer as Batch;
      try {
        for (; answers < 100; answers++) {
          const [part = batch] = byParts
            ? (curator.answer(index++, {
                ask: 'split',
                of: batch,
                order: 'shuffled',
                parts: { by: 'weight', weights: [1] },
              }).answer as readonly Batch[])
            : [];
          curator.answer(index, mean(part));
          index++;
        }
      } catch (error) {
        expect(error).toBeInstanceOf(BudgetExceeded);
      }
    }
    expect(answers).toBe(4);
  },
);

test('a scope without declared costs cannot continue under a limit added later', () => {
  const store = memoryStore();
  const first = curatorOn(store).curator;
  const batch = first.answer(0, drawn(first.allRecords)).answer as Batch;
  expect(() => curatorOn(store, { ...limit, epsilon: 1 }).curator.answer(1, mean(batch))).toThrow(
    Unsupported,
  );
});

test('an event admitted by the accountant as fixed in advance cannot be exchanged for another', () => {
  const event = {
    a: { kind: 'core/pure', v: 1, epsilon: 0.02 },
    b: { kind: 'core/pure', v: 1, epsilon: 2.002728695 },
    c: gaussianEvent(1 / 0.75628, { 'zero-out': 1 }),
  } as unknown as Record<'a' | 'b' | 'c', PrivacyEvent>;
  for (const reopens of [false, true]) {
    const store = memoryStore();
    const open = () => openLedger({ adjacency, store, limit: { epsilon: 2, delta: 0.01, accountant } });
    let ledger = open();
    for (const run of ['a', 'b'] as const) ledger.openRun(run, seededRandom(run), { planned: event[run] });
    ledger.append({
      run: 'a',
      index: 0,
      digest: 'd'.repeat(32),
      effect: { charge: { on: { space: 'all', from: 0, to: 1 }, event: event.a } },
    });
    ledger.endRun('b');
    if (reopens) ledger = open();
    expect(() => ledger.openRun('c', seededRandom('c'), { planned: event.c })).toThrow(BudgetExceeded);
  }
});

test.each([1, 3, 12, 40, 100])(
  'a run of %i steps that is planned to the limit itself is admitted',
  (steps) => {
    const budget = { epsilon: 1, delta: 1e-6 };
    const { plan } = dpSgd.prepare({
      problem: {
        adjacency,
        trust: { model: 'central' },
        dimension: 1,
        slots: [rows],
        domain: wholeSpaceDomain({}),
        loss: logistic({}),
        capabilities: logistic.capabilities,
        facts: {},
      },
      registry,
      budget,
      params: { steps, rate: 0.05, clipNorm: 1, stepSize: 1 },
      calibrate: calibrator(accountants),
      random: seededRandom('planned'),
    });
    const ledger = openLedger({ adjacency, limit: { ...budget, accountant } });
    const features = {
      data: new Float64Array(rows),
      rows,
      columns: 1,
      offset: 0,
      rowStride: 1,
      columnStride: 1,
    };
    const data = attachData({
      features,
      labels: new Float64Array(rows).fill(1),
      loss: logistic({}),
      registry,
      ledger,
    });
    const open = (run: string, planned: PrivacyEvent): unknown =>
      centralCurator({ data, registry, run, planned, random: seededRandom(run) });
    expect(() => open('planned', plan.event)).not.toThrow();
    expect(() => open('another', plan.event)).toThrow(BudgetExceeded);
  },
);
