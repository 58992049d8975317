import { accountants, bestOf, calibrator, assumptionsOf } from '@lethe/accountants';
import { dpSgd } from '@lethe/algorithms';
import {
  drive,
  driveSync,
  eventKindsOf,
  sameEvent,
  seededRandom,
  type Adjacency,
  type Problem,
  type Run,
} from '@lethe/core';
import {
  attachData,
  centralCurator,
  openLedger,
  remoteCurator,
  serveCurator,
  type CentralCurator,
} from '@lethe/curator';
import { logistic, losses } from '@lethe/losses';
import { l2BallDomain, mechanisms } from '@lethe/mechanisms';
import { describe, expect, it } from 'vitest';

const publicCoins = seededRandom('public');
const registry = [...mechanisms, ...losses];
const kinds = eventKindsOf(registry);
const accountant = bestOf(accountants, kinds);
const rows = 300;
const columns = 4;
const budget = { epsilon: 1, delta: 1e-6 };
const calibrate = calibrator(accountants, kinds);

const prepared = (arithmetic: 'exact' | 'floating', adjacency: Adjacency, noiseMultiplier?: number): Run => {
  const problem: Problem = {
    adjacency,
    dimension: columns,
    slots: [rows],
    trust: { model: 'central' },
    domain: l2BallDomain({ radius: 2 }),
    loss: logistic({}),
    capabilities: { convex: true },
    facts: {},
  };
  const params = {
    steps: 12,
    rate: 0.1,
    clipNorm: 0.7,
    stepSize: 0.5,
    arithmetic,
    ...(noiseMultiplier === undefined ? {} : { noiseMultiplier }),
  } as const;
  return dpSgd.prepare({ registry, problem, budget, params, calibrate, random: publicCoins });
};

function worldOf(adjacency: Adjacency): {
  readonly curator: CentralCurator;
  readonly spent: () => ReturnType<CentralCurator['spent']>;
} {
  const random = seededRandom('records');
  const features = random.fork('x').gaussianInto(new Float64Array(rows * columns));
  const labels = Float64Array.from({ length: rows }, (_, i) => (features[columns * i] > 0 ? 1 : -1));
  const data = attachData({
    features: { data: features, rows, columns, offset: 0, rowStride: columns, columnStride: 1 },
    labels,
    loss: logistic({}),
    registry,
    ledger: openLedger({ adjacency }),
  });
  const curator = centralCurator({
    data,
    registry,
    run: 'test',
    random: seededRandom('secret'),
    ...(adjacency === 'add-remove' ? { publicSlots: rows } : {}),
  });
  return { curator, spent: () => data.ledger.spentBy('test') };
}

const start = (): Float64Array => new Float64Array(columns);

describe.each(['replace-one', 'add-remove', 'zero-out'] as const)('exact dp-sgd under %s', (adjacency) => {
  it('costs exactly as planned, within the budget, with a certificate without assumptions', () => {
    const run = prepared('exact', adjacency);
    const { curator, spent } = worldOf(adjacency);
    const { output } = driveSync(run, curator, { start: start(), random: publicCoins });
    expect(output.every(Number.isFinite)).toBe(true);
    expect(sameEvent(spent(), run.plan.event)).toBe(true);
    const certificate = accountant.epsilon(spent(), { adjacency, delta: budget.delta });
    expect(certificate.upper).toBeLessThanOrEqual(budget.epsilon);
    expect(certificate.upper).toBeGreaterThan(0.99 * budget.epsilon);
    expect(certificate.assumptions).toEqual([]);
    expect(assumptionsOf(spent(), kinds)).toEqual([]);
  });

  it('needs almost the same noise as in floating point', () => {
    const [exact, floating] = (['exact', 'floating'] as const).map(
      (arithmetic) =>
        (prepared(arithmetic, adjacency).plan as unknown as { readonly noiseMultiplier: number })
          .noiseMultiplier,
    );
    expect(exact / floating).toBeGreaterThan(1 - 1e-3);
    expect(exact / floating).toBeLessThan(1 + 1e-3);
  });
});

describe.each(['exact', 'floating'] as const)('a run in %s numbers', (arithmetic) => {
  it('has the same bits beyond a port', async () => {
    const run = prepared(arithmetic, 'replace-one', 2);
    const here = driveSync(run, worldOf('replace-one').curator, {
      start: start(),
      random: publicCoins,
    }).output;
    const { port1, port2 } = new MessageChannel();
    serveCurator(worldOf('replace-one').curator, port2);
    const there = (await drive(run, await remoteCurator(port1), { start: start(), random: publicCoins }))
      .output;
    port1.close();
    port2.close();
    expect(there).toStrictEqual(here);
  });
});
