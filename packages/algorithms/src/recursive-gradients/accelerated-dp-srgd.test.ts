import {
  clippedMeanEvent,
  InvalidParameter,
  sameEvent,
  Unsupported,
  type Fact,
  type PrefixSum,
  type PushQuery,
  type Ref,
} from '@lethe/core';
import { boxDomain, l2BallDomain, mechanisms, prefixSums } from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { describe, expect, it, test } from 'vitest';
import { carriedOut, context, declared, dimension, problem, records } from '../../test/support/logistic.js';
import { played } from '../../test/support/played-sums.js';
import { acceleratedDpSrgd } from './accelerated-dp-srgd.js';
import { literalClip } from './certified-clip.js';
import { riskOf, type Schedule } from './schedules.js';

type Params = Parameters<typeof acceleratedDpSrgd.prepare>[0]['params'];
const prepare = (params: Params, given: Parameters<typeof problem>[0] = {}) =>
  acceleratedDpSrgd.prepare({
    registry: mechanisms,
    ...context,
    problem: problem({ domain: l2BallDomain({ radius: 1 }), ...given }),
    params,
  });

interface Golden {
  readonly batches: readonly (readonly number[])[];
  readonly noise: readonly (readonly number[])[];
  readonly beta: number;
  readonly clipNorm: number;
  readonly zScale: 1 | 0.5;
  readonly domain: Ref<'domain'>;
}

/** A run of the optimizer against answers with that noise, `b_t` in units of the iterates. */
function playedWith({ batches, noise, beta, clipNorm, zScale, domain }: Golden): number[] {
  const run = prepare(
    { rounds: batches.length, beta, clipNorm, zScale, noiseMultiplier: 1 },
    { dimension: 2, slots: [batches.length * batches[0].length], domain },
  );
  const increments = noise.map((b, t) => b.map((one, j) => -beta * (one - (noise[t - 1]?.[j] ?? 0))));
  return played(run, { batches, noise: increments, clipNorm });
}

const first = {
  batches: [
    [1, 2],
    [1, 1],
    [2, 2],
    [1, 2],
  ],
  noise: [
    [0.1, -0.05],
    [-0.02, 0.03],
    [0, 0.04],
    [0.05, 0.05],
  ],
  beta: 2,
  clipNorm: 1e6,
  domain: l2BallDomain({ radius: 1 }),
};
const second = {
  batches: [
    [1, 0],
    [1, 2],
    [2, 1],
    [0, 2],
    [1, 1],
  ],
  noise: [...first.noise, [-0.03, 0]],
  beta: 4,
  clipNorm: 0.8,
  domain: boxDomain({
    lower: [-0.25, -0.5],
    upper: [0.5, 0.5],
  }),
};

describe('acceleratedDpSrgd', () => {
  it.each([
    [1, first, [0.567689824670754, -0.82324252985696]],
    [0.5, first, [0.568940814144008, -0.822378471265605]],
    [1, second, [0.5, -0.360287993675967]],
    [0.5, second, [0.462578005871098, -0.247199954154751]],
  ] as const)('is the listing with projections and clips, at scale %d', (zScale, golden, wanted) => {
    const y = playedWith({ ...golden, zScale });
    for (const j of [0, 1]) expect(y[j]).toBeCloseTo(wanted[j], 13);
  });

  it('asks for two gradients of each record, and one in the first batch', () => {
    const run = prepare({ rounds: 6, beta: 3, clipNorm: 0.4, noiseMultiplier: 2 });
    const { queries, spent } = carriedOut(run);
    const pushes = queries.filter((query): query is { ask: 'push' } & PushQuery => query.ask === 'push');
    expect(pushes.map(({ of }) => of.terms.map(({ weight }) => weight))).toEqual([
      [1],
      ...[2, 3, 4, 5, 6].map((weight) => [weight, 1 - weight]),
    ]);
    expect(run.plan.gradients).toBe(2 * 36 - 6);
    expect(sameEvent(spent, clippedMeanEvent(2, 'replace-one'))).toBe(true);
    expect(sameEvent(run.plan.event, spent)).toBe(true);
  });

  test.each(
    (prefixSums as readonly PrefixSum[]).map(
      ({ name, examples }) => [name, defined(examples)[0] as object] as const,
    ),
  )('takes the prefix sum %s', (name, params) => {
    const run = prepare({ rounds: 4, beta: 3, clipNorm: 0.4, prefixSum: { name, params } });
    expect(sameEvent(carriedOut(run).spent, run.plan.event)).toBe(true);
  });

  it('has a bound where records are bounded, and says why it has none elsewhere', () => {
    const bounded = prepare({}).plan;
    expect(bounded.utility?.bound).toBeGreaterThan(0);
    const cut = prepare({ rounds: 4, beta: 30, clipNorm: 0.1 }).plan as unknown as { uncovered: string };
    expect(cut.uncovered).toMatch(/may cut/);
  });

  it.each([
    ['replace-one', 2],
    ['zero-out', 1],
  ] as const)('has the bound of its noise under %s, at the rounds it chooses', (adjacency, sensitivity) => {
    const prefixSum = { name: 'binary-tree' };
    const domain = l2BallDomain({ radius: 1 });
    const slots = 100;
    const posed = { adjacency, facts: { startDistance: 0.7 }, domain, slots: [slots] };
    const { lipschitz, smoothness } = problem(posed).facts;
    const noiseAt = (rounds: number) => {
      // Levels of the tree, and nodes of each prefix.
      const scale = 0.001 * sensitivity * Math.sqrt(1 + Math.floor(Math.log2(rounds)));
      const deviations = Float64Array.from({ length: rounds }, (_, t) => {
        const ones = (t + 1).toString(2).replaceAll('0', '').length;
        return scale * Math.sqrt(ones);
      });
      return { deviations, worst: Math.max(...deviations) };
    };
    const facts = {
      slots,
      dimension,
      diameter: 2,
      startDistance: 0.7,
      epsilon: 1,
      delta: 1e-6,
      noiseAt,
      lipschitz: defined(lipschitz).value,
      smoothness: defined(smoothness).value,
    };
    const params = { prefixSum, noiseMultiplier: 0.001 };
    const { plan } = prepare(params, posed);
    expect((plan as unknown as Schedule).rounds).toBeGreaterThan(2);
    const risk = riskOf(facts, 'any', plan as unknown as Schedule);
    expect(plan.utility?.bound).toBeCloseTo(risk?.bound ?? NaN, 10);
    expect(plan).toMatchObject({ likelyRisk: { bound: expect.closeTo(risk?.likely.bound ?? NaN, 10) } });
    // The printed clip norm, and the mirror scale where numbers are given.
    expect(prepare({ ...params, rounds: 4, beta: 900, clip: 'literal' }, posed).plan).toMatchObject({
      clipNorm: literalClip(facts),
    });
    expect(prepare({ ...params, rounds: 4, beta: 900, clipNorm: 99 }, posed).plan).toMatchObject({
      zScale: 0.5,
    });
  });

  it('has no bound for a loss that is not convex, nor by constants of a population', () => {
    const domain = l2BallDomain({ radius: 1 });
    const whole = problem({ domain });
    const numbers = { rounds: 4, beta: 900, clipNorm: 99, noiseMultiplier: 0.02 };
    const uncovered = (changed: object) => {
      const given = { registry: mechanisms, ...context, problem: { ...whole, ...changed }, params: numbers };
      return (acceleratedDpSrgd.prepare(given).plan as unknown as { uncovered: string | null }).uncovered;
    };
    expect(uncovered({})).toBeNull();
    expect(uncovered({ capabilities: { ...whole.capabilities, convex: false } })).toMatch(/not convex/u);
    for (const fact of ['lipschitz', 'smoothness'])
      expect(uncovered({ facts: { ...whole.facts, [fact]: declared(1) } })).toMatch(
        new RegExp(`'${fact}' holds for every record`, 'u'),
      );
  });

  it('says what to give where a number that is given leaves no proof', () => {
    expect(() => prepare({ clipNorm: 0.01 })).toThrow(
      /clipNorm 0.01.*leave out clipNorm, or give rounds and beta/u,
    );
    expect(() => prepare({ beta: 0.01 })).toThrow(/beta 0.01.*a larger beta/u);
  });

  it('refuses a negative distance, which would lower its bound', () => {
    const facts = { startDistance: -1 };
    const given = problem({ facts, domain: l2BallDomain({ radius: 1 }) });
    expect(() =>
      acceleratedDpSrgd.prepare({ registry: mechanisms, ...context, problem: given, params: {} }),
    ).toThrow(/'startDistance' is -1/u);
  });

  it('plans for a linear loss, whose smoothness is 0', () => {
    const bare = problem({ domain: l2BallDomain({ radius: 1 }) });
    const facts: Readonly<Record<string, Fact>> = {
      lipschitz: { ...declared(1), scope: 'every-record' },
      smoothness: { ...declared(0), scope: 'every-record' },
    };
    const { plan } = acceleratedDpSrgd.prepare({
      registry: mechanisms,
      ...context,
      problem: { ...bare, facts },
      params: {},
    });
    expect(plan).toMatchObject({ clipNorm: 1 });
    expect(plan.utility?.bound).toBeGreaterThan(0);
  });

  it('refuses a schedule that nothing tells, and rounds without records', () => {
    const without = { facts: {}, domain: l2BallDomain({ radius: 1 }) };
    const facts: Readonly<Record<string, Fact>> = { lipschitz: declared(1) };
    const bare = { ...problem(without), facts };
    const given = { registry: mechanisms, ...context, problem: bare };
    expect(() => acceleratedDpSrgd.prepare({ ...given, params: { rounds: 4 } })).toThrow(Unsupported);
    expect(() => acceleratedDpSrgd.prepare({ ...given, params: { rounds: 4 } })).toThrow(
      /give beta, clipNorm/,
    );
    expect(
      acceleratedDpSrgd.prepare({ ...given, params: { rounds: 4, beta: 2, clipNorm: 1 } }).plan.utility,
    ).toBeNull();
    expect(() => prepare({ rounds: records + 1 })).toThrow(InvalidParameter);
  });
});
