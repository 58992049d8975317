import {
  driveSync,
  InvalidParameter,
  plainLoops,
  sameEvent,
  seededRandom,
  Unsupported,
  type MinimiserQuery,
  type Problem,
  type Run,
  type Vector,
} from '@lethe/core';
import { attachData, centralCurator, minimiserSensitivity, openLedger } from '@lethe/curator';
import { logistic } from '@lethe/losses';
import { gaussian, l2BallDomain, laplace, mechanisms, wholeSpaceDomain } from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { describe, expect, it } from 'vitest';
import { fixedCalibration, publicCoins } from '../../test/support/problems.js';
import { outputPerturbation } from './output-perturbation.js';
import {
  empiricalStrength,
  leastBoundStrength,
  perturbationRisk,
  populationStrength,
} from './regularisation.js';

const registry = [...mechanisms, logistic];
const dimension = 12;
const sparsity = 2;
const records = 400;
const domain = { featureNorm: 1, sparsity };
const problem: Problem<{ readonly convex: true; readonly smooth: true }> = {
  adjacency: 'replace-one',
  dimension,
  slots: [records],
  trust: { model: 'central' },
  facts: {
    ...logistic.facts({}, { columns: dimension, ...domain }),
    startDistance: { value: 2, scope: 'population', provenance: 'declared' },
  },
  domain: wholeSpaceDomain({}),
  loss: { kind: 'loss', name: 'logistic', params: {} },
  capabilities: { ...logistic.capabilities, convex: true, smooth: true },
};
const prepare = (
  params: Parameters<typeof outputPerturbation.prepare>[0]['params'] = {},
  change: Partial<typeof problem> = {},
  delta = 0,
): Run & { readonly plan: Readonly<Record<string, unknown>> } =>
  outputPerturbation.prepare({
    problem: { ...problem, ...change },
    registry,
    budget: { epsilon: 2, delta },
    params,
    calibrate: fixedCalibration(0.5).calibrate,
    random: publicCoins,
  }) as never;

/** Records with two entries, and labels by the sign of the first of them. */
function curatorFor(seed: string) {
  const random = seededRandom(seed);
  const features = new Float64Array(records * dimension);
  const labels = new Float64Array(records);
  for (let i = 0; i < records; i++) {
    const j = random.integer(dimension - 1);
    features[i * dimension + j] = Math.SQRT1_2;
    features[i * dimension + j + 1] = -Math.SQRT1_2;
    labels[i] = j % 2 === 0 ? 1 : -1;
  }
  const ledger = openLedger({ adjacency: 'replace-one' });
  const data = attachData({
    features: {
      data: features,
      rows: records,
      columns: dimension,
      offset: 0,
      rowStride: dimension,
      columnStride: 1,
    },
    labels,
    loss: { kind: 'loss', name: 'logistic', params: {} },
    registry,
    domain,
    ledger,
  });
  return {
    ledger,
    curator: centralCurator({ data, registry, run: 'run', random: seededRandom(`${seed} noise`) }),
  };
}

describe('how far a record moves a minimiser', () => {
  const setting = { lambda: 0.1, lipschitz: 1, smoothness: 1, sparsity: 4, dimension: 10, records: 1000 };

  it('is the constant of Theorem 7.1 in ℓ2, and at most half of it in ℓ1', () => {
    const l2 = defined(minimiserSensitivity({ ...setting, norm: 2, tolerance: 0 })['replace-one']);
    expect(((l2 * Math.sqrt(2 * Math.log(1.25e6))) / 0.5) ** 2).toBeCloseTo(0.04492369314969115, 12);
    const l1 = defined(minimiserSensitivity({ ...setting, norm: 1, tolerance: 0 })['replace-one']);
    expect(l1 / 0.5).toBeCloseTo(1.211370849898476, 12);
    expect(2.3758787847867997 / (l1 / 0.5)).toBeGreaterThan(1.9);
  });

  it('is never more than a dense record’s, and grows with the tolerance', () => {
    const dense = { ...setting, norm: 1, tolerance: 0, dimension: 3 } as const;
    expect(minimiserSensitivity(dense)).toEqual(minimiserSensitivity({ ...dense, sparsity: 3 }));
    const loose = defined(minimiserSensitivity({ ...setting, norm: 1, tolerance: 1 })['zero-out']);
    const tight = defined(minimiserSensitivity({ ...setting, norm: 1, tolerance: 0 })['zero-out']);
    expect(loose - tight).toBeCloseTo(2 * Math.sqrt(10), 12);
  });
});

describe('output perturbation', () => {
  it('without δ has Laplace noise, the event it says, and a point near the minimiser', () => {
    const run = prepare();
    const { lambda, sensitivity, noiseScale, tolerance } = run.plan as Record<string, number>;
    const facts = (name: string): number => problem.facts[name].value;
    expect(run.plan['mechanism']).toEqual(laplace({}));
    expect(sensitivity).toBe(
      minimiserSensitivity({
        lambda,
        lipschitz: facts('lipschitz'),
        smoothness: facts('smoothness'),
        sparsity,
        dimension,
        records,
        norm: 1,
        tolerance,
      })['replace-one'],
    );
    expect(noiseScale).toBe(0.5 * sensitivity);
    const { ledger, curator } = curatorFor('pure');
    const { output } = driveSync(run, curator, { start: new Float64Array(dimension), random: publicCoins });
    curator.end();
    expect(sameEvent(ledger.spentBy('run'), run.plan.event)).toBe(true);
    expect(run.plan.event.kind).toBe('core/laplace');
    expect(output.every(Number.isFinite)).toBe(true);
    const reached = facts('lipschitz') / lambda;
    expect(Math.hypot(...output)).toBeLessThan(reached + 40 * noiseScale);
  });

  it('takes the strength where its bound is least', () => {
    for (const [delta, mechanism] of [
      [0, laplace({})],
      [1e-6, gaussian({})],
    ] as const) {
      const least = defined(prepare({ mechanism }, {}, delta).plan.utility).bound;
      const own = prepare({ mechanism }, {}, delta).plan['lambda'] as number;
      for (const factor of [0.9, 1.1])
        expect(
          defined(prepare({ mechanism, lambda: factor * own }, {}, delta).plan.utility).bound,
        ).toBeGreaterThan(least);
      for (const schedule of ['theorem-7.1', 'theorem-7.6'] as const)
        expect(defined(prepare({ mechanism, schedule }, {}, delta).plan.utility).bound).toBeGreaterThan(
          least,
        );
    }
  });

  it('asks about the projected start, and ends at the nearest point in the maximum norm', () => {
    const run = prepare({ lambda: 1, noiseMultiplier: 1 }, { domain: l2BallDomain({ radius: 1 }) }, 1e-6);
    const point = (a: number, b: number) =>
      Float64Array.from({ length: dimension }, (_, j) => [a, b][j] ?? 0);
    const steps = run.steps({
      start: point(3, 4),
      allRecords: 'all' as never,
      random: publicCoins,
      ...plainLoops(),
    });
    const asked = steps.next().value as MinimiserQuery;
    asked.centre.forEach((one, j) => expect(one).toBeCloseTo(point(0.6, 0.8)[j], 12));
    const result = steps.next(point(3, 4) as never).value as Vector;
    // All entries shrink by 3, where the Euclidean projection is (0.6, 0.8).
    result.forEach((one, j) => expect(one).toBeCloseTo(point(0, 1)[j], 9));
  });

  it('takes the printed strength of pure privacy for noise in ℓ1, whatever δ is', () => {
    const at = (delta: number) =>
      prepare({ mechanism: laplace({}), schedule: 'theorem-7.1' }, {}, delta).plan['lambda'];
    expect(at(1e-6)).toBe(at(0));
  });

  it('has a strength and a bound without cancellation at any scale', () => {
    const setting = { records: 1e4, dimension: 1e6, sparsity: 10, lipschitz: 1, smoothness: 2, distance: 3 };
    const noise = { norm: 1, largest: 30, changes: 2, projections: 1 } as const;
    const own = leastBoundStrength(setting, noise);
    const c = 2 ** 20;
    const scaled = { ...setting, lipschitz: c, smoothness: 2 * c };
    expect(leastBoundStrength(scaled, noise) / own).toBeCloseTo(c, 3);
    const at = (strength: number) => ({ lambda: strength, largest: 0, projections: 1 as const });
    expect(perturbationRisk(scaled, at(c * own))).toBeCloseTo(c * perturbationRisk(setting, at(own)), 3);
  });

  it('follows the printed strengths', () => {
    const setting = { records: 1e5, dimension: 100, sparsity: 4, lipschitz: 2, smoothness: 3, distance: 5 };
    const target = { epsilon: 0.5, failure: 0.1, delta: 0 };
    const share = (4 * Math.log(1000)) / 5e4;
    expect(empiricalStrength(setting, target)).toBeCloseTo(((4 * 3) / 25) ** (1 / 3) * share ** (1 / 3), 12);
    expect(populationStrength(setting, target)).toBe(empiricalStrength(setting, target));
    const root = Math.sqrt(4 * Math.log(1e6) * Math.log(1000));
    const approximate = { ...target, delta: 1e-6 };
    expect(empiricalStrength(setting, approximate)).toBeCloseTo(0.4 * Math.sqrt(root / 5e4), 12);
    expect(populationStrength(setting, approximate)).toBeCloseTo(
      0.4 * Math.sqrt((Math.log(1e5) * Math.log(10)) / 1e5 + root / 5e4),
      12,
    );
    expect(() => empiricalStrength({ ...setting, distance: 0 }, target)).toThrow(InvalidParameter);
    expect(() => empiricalStrength(setting, { ...target, failure: 1 })).toThrow(InvalidParameter);
  });

  it('plans for linear losses, which have no curvature', () => {
    const linear = { ...problem.facts, smoothness: { ...problem.facts['smoothness'], value: 0 } };
    for (const delta of [0, 1e-6]) {
      const { lambda, sensitivity } = prepare({}, { facts: linear }, delta).plan as Record<string, number>;
      const own = delta === 0 ? Math.sqrt(sparsity) : 1;
      expect(sensitivity / ((2 * own) / (lambda * records))).toBeCloseTo(1, 5);
    }
    expect(() => prepare({ schedule: 'theorem-7.1' }, { facts: linear })).toThrow(/smoothness is 0/u);
  });

  it('refuses what it cannot bound', () => {
    const ball = { kind: 'domain', name: 'l2-ball', params: { radius: 2 } } as const;
    const { sparsity: _, ...dense } = problem.facts;
    expect(() => prepare({}, { domain: ball })).toThrow(/whole space/u);
    expect(() => prepare({}, { facts: dense })).toThrow(/'sparsity'/u);
    expect(() =>
      prepare(
        {},
        { facts: { ...problem.facts, sparsity: { ...problem.facts['sparsity'], scope: 'population' } } },
      ),
    ).toThrow(Unsupported);
    const { startDistance: _distance, ...unbounded } = problem.facts;
    expect(() => prepare({}, { facts: unbounded })).toThrow(/startDistance/u);
    const given = prepare({ lambda: 1 }, { facts: unbounded }).plan;
    expect(given.utility).toBeNull();
    expect(given['uncovered']).toMatch(/not bounded/u);
    expect(
      prepare({ schedule: 'theorem-7.1' }, { domain: ball, facts: dense }, 1e-6).plan.utility,
    ).not.toBeNull();
  });
});
