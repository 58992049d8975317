import { driveSync, InvalidParameter, sameEvent, seededRandom, Unsupported, type Problem } from '@lethe/core';
import { attachData, centralCurator, openLedger } from '@lethe/curator';
import { hinge } from '@lethe/losses';
import { exponential, mechanisms, permuteAndFlip } from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { fixedCalibration, publicCoins } from '../../test/support/problems.js';
import { leastBoundNet, sparseNet, sparseNetSpacing } from './lattice-net.js';
import { sparseExponential } from './sparse-exponential.js';

const setting = { records: 1e4, dimension: 10, sparsity: 4, lipschitz: 1, range: 1, distance: 1 };
const registry = [...mechanisms, hinge];
const columns = 3;
const problem: Problem<{ readonly convex: true }> = {
  adjacency: 'replace-one',
  dimension: columns,
  slots: [2000],
  trust: { model: 'central' },
  facts: hinge.facts({}, { columns, featureNorm: 1, sparsity: 1, labelBound: 1, iterateNorm: 2 }),
  domain: { kind: 'domain', name: 'l2-ball', params: { radius: 2 } },
  loss: { kind: 'loss', name: 'hinge', params: {} },
  capabilities: { ...hinge.capabilities, convex: true },
};
const prepare = (
  params: Parameters<typeof sparseExponential.prepare>[0]['params'] = {},
  change: Partial<typeof problem> = {},
) =>
  sparseExponential.prepare({
    problem: { ...problem, ...change },
    registry,
    budget: { epsilon: 1, delta: 0 },
    params,
    calibrate: fixedCalibration(1).calibrate,
    random: publicCoins,
  });

describe('nets of sparse points', () => {
  it('have the spacing of the corrected equation', () => {
    const spacing = sparseNetSpacing(setting, { epsilon: 1, failure: 0.1 });
    expect(spacing).toBeCloseTo(0.07128961514490505, 14);
    expect(sparseNet(setting, spacing).entries).toBe(10);
    expect(sparseNet({ ...setting, dimension: 1000 }, spacing).entries).toBe(196);
    for (const distance of [1e-3, 7, 1e5])
      expect(
        sparseNetSpacing({ ...setting, distance, lipschitz: 1 / distance }, { epsilon: 1, failure: 0.1 }),
      ).toBeCloseTo(distance * spacing, 10);
    expect(() => sparseNetSpacing(setting, { epsilon: 1, failure: 0 })).toThrow(InvalidParameter);
  });

  it('count their points', () => {
    expect(sparseNet({ dimension: 2, distance: 1 }, 0.5)).toEqual({ spacing: 0.5, entries: 2, size: 25 });
    expect(sparseNet({ dimension: 5, distance: 1 }, 1)).toEqual({ spacing: 1, entries: 1, size: 11 });
    expect(sparseNet({ dimension: 2, distance: 1 }, 3)).toEqual({ spacing: 3, entries: 0, size: 1 });
    expect(leastBoundNet(setting, 20, () => 1)).toBeNull();
    expect(defined(leastBoundNet(setting, 1e5, ({ spacing }) => spacing)).size).toBeLessThanOrEqual(1e5);
  });
});

describe('a choice among sparse points', () => {
  it('costs what it says and finds a good point', () => {
    const run = prepare({ mostCandidates: 5000 });
    const rows = 2000;
    const features = new Float64Array(rows * columns);
    for (let i = 0; i < rows; i++) features[i * columns + (i % columns)] = 1;
    const labels = Float64Array.from({ length: rows }, (_, i) => (i % columns === 1 ? -1 : 1));
    const ledger = openLedger({ adjacency: 'replace-one' });
    const data = attachData({
      features: { data: features, rows, columns, offset: 0, rowStride: columns, columnStride: 1 },
      labels,
      loss: { kind: 'loss', name: 'hinge', params: {} },
      registry,
      domain: { featureNorm: 1, sparsity: 1, labelBound: 1, iterateNorm: 2 },
      ledger,
    });
    const curator = centralCurator({ data, registry, run: 'run', random: seededRandom('choice') });
    const { output } = driveSync(run, curator, { start: new Float64Array(columns), random: publicCoins });
    curator.end();
    expect(sameEvent(ledger.spentBy('run'), run.plan.event)).toBe(true);
    expect(run.plan.gradients).toBe(0);
    const risk = output.reduce((sum, x, j) => sum + Math.max(0, 1 - (j === 1 ? -x : x)) / columns, 0);
    const { empirical } = z.object({ empirical: z.object({ bound: z.number() }) }).parse(run.plan);
    // The best point is (1, −1, 1), with a risk of 0.
    expect(risk).toBeLessThan(empirical.bound);
    expect(empirical.bound).toBeLessThan(1);
  });

  it('is bounded by what its net misses, its regret, and the deviation of as many averages', () => {
    const plan = z
      .object({
        candidates: z.number(),
        distance: z.number(),
        lipschitz: z.number(),
        range: z.number(),
        utility: z.object({ bound: z.number() }),
        empirical: z.object({ bound: z.number() }),
      })
      .parse(prepare({ spacing: 0.5, failure: 0.1 }).plan);
    const { candidates, distance, lipschitz, range, utility, empirical } = plan;
    // No point of the ball is farther from its centre than 2, and its diameter is 4.
    expect([distance, candidates]).toEqual([2, sparseNet({ dimension: columns, distance: 2 }, 0.5).size]);
    const misses = lipschitz * 0.5;
    const regret = exponential.regretBound({}, candidates, 1);
    const deviation = range * Math.sqrt(Math.log(candidates) / 4000);
    expect(utility.bound).toBeCloseTo(misses + (range / 2000) * regret + deviation, 10);
    expect(empirical.bound).toBeCloseTo(misses + (range / 1000) * Math.log(candidates / 0.1), 10);
  });

  it('refuses nets that are too large, with their numbers', () => {
    expect(() => prepare({ schedule: 'theorem-7.5', mostCandidates: 100 })).toThrow(
      /points, and mostCandidates is 100/u,
    );
    expect(() => prepare({ mostCandidates: 2 })).toThrow(Unsupported);
    expect(() => prepare({}, { domain: { kind: 'domain', name: 'whole-space', params: {} } })).toThrow(
      /unbounded/u,
    );
    expect(prepare({ spacing: 0.5, entries: 1 }).plan).toMatchObject({
      utility: null,
      empirical: null,
      uncovered: expect.stringMatching(/leave entries out/u),
    });
    const simplex = prepare(
      { spacing: 0.5 },
      { domain: { kind: 'domain', name: 'simplex', params: { total: 1 } } },
    );
    expect(simplex.plan).toMatchObject({ utility: null, empirical: null });
    // What is missed with high probability is known of the exponential mechanism alone.
    const { plan } = prepare({ spacing: 0.5, selector: permuteAndFlip({}) });
    expect(plan).toMatchObject({ utility: { bound: expect.any(Number) }, empirical: null });
  });
});
