import { accountants, bestOf, calibrator } from '@lethe/accountants';
import { optimizers } from '@lethe/algorithms';
import {
  boundedMeanSensitivity,
  composedEvent,
  drive,
  sameEvent,
  seededRandom,
  Unsupported,
  type Fact,
  type Loss,
  type Optimizer,
  type Problem,
  type RecordDomain,
  type Resolved,
} from '@lethe/core';
import { attachData, centralCurator, openLedger, type DataSet, type Ledger } from '@lethe/curator';
import {
  computedSmoothness,
  huber,
  linear,
  lossCurvature,
  smoothnessFromMoments,
  squaredFeatures,
} from '@lethe/losses';
import { certifiedMean, wholeSpaceDomain } from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { describe, expect, it } from 'vitest';
import { noise, registry } from './world.js';

const rows = 1000;
const bounds = [1, 50, 2000];
const columns = bounds.length;
const params = huber.params.parse({});
const loss: Resolved<Loss> = { plugin: huber, params };

/** Features mostly far inside their bounds, like those of real records. */
function records() {
  const random = seededRandom('records');
  const features = new Float64Array(rows * columns);
  for (let k = 0; k < features.length; k++)
    features[k] = k % columns === 0 ? 1 : bounds[k % columns] * random.uniform() ** 4;
  return {
    features,
    rows,
    columns,
    labels: Float64Array.from({ length: rows }, () => random.uniform() - 0.5),
  };
}

const source = new TextEncoder().encode('the records of this test');
const attach = (
  data: ReturnType<typeof records>,
  of: typeof linear | typeof huber,
  domain: Omit<RecordDomain, 'columns'>,
  ledger: Ledger,
): DataSet =>
  attachData({
    features: { data: data.features.slice(), rows, columns, offset: 0, rowStride: columns, columnStride: 1 },
    labels: data.labels,
    loss: of({}),
    registry,
    domain,
    identity: [source],
    ledger,
  });

const problemWith = (facts: Readonly<Record<string, Fact>>): Problem => ({
  adjacency: 'replace-one',
  trust: { model: 'central' },
  dimension: columns,
  slots: [rows],
  domain: wholeSpaceDomain({}),
  loss: huber({}),
  capabilities: huber.capabilities,
  facts,
});
const skgd = optimizers.find(({ name }) => name === 'dp-skgd') as Optimizer;
const calibrate = calibrator(accountants);
const prepare = (facts: Readonly<Record<string, Fact>>) =>
  skgd.prepare({
    registry,
    problem: problemWith(facts),
    budget: { epsilon: 1, delta: 1e-6 },
    params: { sketch: { name: 'full', params: {} } },
    calibrate,
    random: seededRandom('plan'),
  });

describe('smoothness constants', () => {
  it('that were released are charged to the ledger of the records, and accepted by a plan', async () => {
    const data = records();
    const ledger = openLedger({ adjacency: 'replace-one' });
    const squares = squaredFeatures(data, bounds);
    const multiplier = 20;
    const moments = attach(
      { ...data, ...squares.rows } as typeof data,
      linear,
      { featureBounds: squares.featureBounds },
      ledger,
    );
    const curator = centralCurator({
      data: moments,
      registry,
      run: 'moments',
      random: seededRandom('moments'),
    });
    const { answer } = curator.answer(0, {
      ask: 'mean',
      of: { terms: [{ weight: 1, at: new Float64Array(columns) }] },
      batch: curator.allRecords,
      mean: certifiedMean({ mechanism: noise(multiplier).mechanism }),
      target: noise(multiplier).target,
    });
    const scale =
      multiplier * defined(boundedMeanSensitivity(moments.facts['lipschitz'].value, rows)['replace-one']);
    const released = smoothnessFromMoments({
      ...squares.momentsFrom(answer as Float64Array, scale),
      curvature: lossCurvature(loss),
      confidence: 0.999,
    });
    const declared = huber.facts(params, { columns: columns, featureBounds: bounds });
    bounds.forEach((bound, j) => {
      const truth = data.features.reduce((sum, x, k) => sum + (k % columns === j ? x * x : 0), 0) / rows;
      expect(defined(released['coordinateSmoothness'].each)[j]).toBeGreaterThanOrEqual(truth);
      if (j > 0) expect(defined(released['coordinateSmoothness'].each)[j]).toBeLessThan(0.5 * bound ** 2);
    });

    const startDistance: Fact = { value: 1, scope: 'population', provenance: 'declared' };
    const [free, paid] = [
      { ...declared, startDistance },
      { ...declared, ...released, startDistance },
    ].map((facts) => prepare(facts));
    expect(defined(paid.plan.utility).bound).toBeLessThan(defined(free.plan.utility).bound);

    const design = attach(data, huber, { featureBounds: bounds }, ledger);
    const main = centralCurator({ data: design, registry, run: 'model', random: seededRandom('model') });
    await drive(paid, main, { start: new Float64Array(columns), random: seededRandom('public') });
    expect(ledger.runs()).toEqual(['moments', 'model']);
    expect(sameEvent(main.spent(), paid.plan.event)).toBe(true);
    expect(sameEvent(ledger.total(), composedEvent([curator.spent(), main.spent()]))).toBe(true);
    const accountant = bestOf(accountants);
    const delta = 1e-6;
    expect(accountant.epsilon(ledger.total(), { adjacency: 'replace-one', delta }).lower).toBeGreaterThan(
      accountant.epsilon(paid.plan.event, { adjacency: 'replace-one', delta }).upper,
    );
  });

  it('that were computed from the records are refused', () => {
    const declared = huber.facts(params, { columns: columns, featureBounds: bounds });
    for (const method of ['row-sums', 'scaled-eigenvalue'] as const) {
      expect(() => prepare({ ...declared, ...computedSmoothness(loss, records(), { method }) })).toThrow(
        Unsupported,
      );
      expect(() => prepare({ ...declared, ...computedSmoothness(loss, records(), { method }) })).toThrow(
        /computed from the records/u,
      );
    }
  });
});
