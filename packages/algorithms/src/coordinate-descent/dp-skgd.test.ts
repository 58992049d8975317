import {
  defineSketch,
  IncompatiblePlugins,
  InvalidParameter,
  sameEvent,
  Unsupported,
  type Adjacency,
  type Fact,
  type MeanQuery,
  type Problem,
  plainLoops,
} from '@lethe/core';
import {
  boxDomain,
  certifiedMean,
  gaussian,
  l1BallDomain,
  l2Clip,
  mechanisms,
  sketches,
} from '@lethe/mechanisms';
import { squared } from '@lethe/losses';
import { defined } from '@lethe/numerics';
import { describe, expect, it, test } from 'vitest';
import * as z from 'zod';
import {
  carriedOut,
  context,
  curatorOf,
  dimension as d,
  featureBounds,
  problem,
  records,
} from '../../test/support/logistic.js';
import { publicCoins } from '../../test/support/problems.js';
import { batchOf, play } from '../../test/support/scripted-curator.js';
import { blockwiseRoundBound, sharpRoundBound, sharpStronglyConvexBound } from './bounds.js';
import { dpCd } from './dp-cd.js';
import { dpSkgd } from './dp-skgd.js';
import { noisyGradientDescent } from './noisy-gradient-descent.js';

type Params = Parameters<typeof dpSkgd.prepare>[0]['params'];
interface Planned {
  readonly noiseMultiplier: number;
  readonly rounds: number;
  readonly innerSteps: number;
  readonly smoothness: readonly number[];
  readonly stepNoise: number;
  readonly riskNoise: number;
  readonly calibration: string;
  readonly constants: { readonly smoothness: number; readonly noise: number };
  readonly noise: {
    readonly exact: { readonly noiseMultiplier: number; readonly gaussianMu: number } | null;
    readonly theorem: {
      readonly noiseMultiplier: number;
      readonly gaussianMu: number;
      readonly stepNoise: number;
    } | null;
  };
}
const prepare = (
  params: Params,
  given: Parameters<typeof problem>[0] = {},
  changed: Partial<typeof context> = {},
) => dpSkgd.prepare({ registry: mechanisms, ...context, ...changed, problem: problem(given), params });
const planOf = (...given: Parameters<typeof prepare>) =>
  prepare(...given).plan as ReturnType<typeof prepare>['plan'] & Planned;
const stepsOf = (run: ReturnType<typeof prepare>) =>
  run.steps({
    start: new Float64Array(d).fill(0.5),
    allRecords: batchOf('all', records),
    random: publicCoins,
    ...plainLoops(),
  });

const everySketch: readonly (readonly [string, NonNullable<Params['sketch']>])[] = [
  ['full', { name: 'full' }],
  ['single-coordinate', { name: 'single-coordinate' }],
  ['by importance', { name: 'single-coordinate', importance: true }],
  ['block', { name: 'block', params: { blocks: [[0, 2], [1], [3]] } }],
  ['blocks by importance', { name: 'block', params: { blocks: 2 }, importance: true }],
  ['tau-nice', { name: 'tau-nice', params: { tau: 2 } }],
  ['independent', { name: 'independent-coordinates', params: { probabilities: 0.2 } }],
  [
    'finite',
    {
      name: 'finite',
      params: {
        sets: [
          { coordinates: [0, 1, 2, 3], probability: 0.5 },
          { coordinates: [2], probability: 0.5 },
        ],
      },
    },
  ],
];
/** `M_j = s_j^½ Σ s^½` with `s_j = B_j²/4`. */
const M = featureBounds.map(
  (bound) => (bound / 2) * featureBounds.reduce((sum, other) => sum + other / 2, 0),
);

describe('its plan', () => {
  it('takes smoothness from the facts: in all directions, along blocks, or as given; and adds a ridge', () => {
    planOf({ innerSteps: 3 }).smoothness.forEach((value, j) => expect(value / M[j]).toBeCloseTo(1, 12));
    planOf({ innerSteps: 3, smoothness: 'block', sketch: { name: 'single-coordinate' } }).smoothness.forEach(
      (value, j) => expect(value).toBeCloseTo(featureBounds[j] ** 2 / 4, 12),
    );
    expect(planOf({ innerSteps: 3, smoothness: 7 }).smoothness).toEqual([7, 7, 7, 7]);
    expect(
      planOf(
        { innerSteps: 3, smoothness: [1, 2, 3, 4] },
        { regulariser: { name: 'l2-squared', params: { strength: [1, 1, 2, 2] } } },
      ).smoothness,
    ).toEqual([2, 3, 5, 6]);
    const coarse = Object.fromEntries(
      Object.entries(problem().facts).filter(([name]) => !name.startsWith('coordinate')),
    );
    expect(
      dpSkgd.prepare({
        registry: mechanisms,
        ...context,
        problem: { ...problem(), facts: coarse },
        params: { innerSteps: 2 },
      }).plan,
    ).toMatchObject({ smoothness: [0, 1, 2, 3].map(() => coarse['smoothness'].value) });
  });

  it('says what both calibrations need', () => {
    const exact = planOf({ innerSteps: 25, rounds: 2 });
    const theorem = planOf({ innerSteps: 25, rounds: 2, calibration: 'theorem' });
    expect(exact.noiseMultiplier).toBe(Math.sqrt(50) * gaussian.multiplierFor({}, context.budget));
    expect(theorem.noiseMultiplier).toBeCloseTo(Math.sqrt(150 * Math.log(1e6)), 12);
    for (const { noise } of [exact, theorem]) {
      expect(defined(noise.exact).noiseMultiplier).toBe(exact.noiseMultiplier);
      expect(defined(noise.theorem).noiseMultiplier).toBe(theorem.noiseMultiplier);
      expect(defined(noise.theorem).gaussianMu).toBeCloseTo(0.15533, 6);
    }
    expect(theorem.stepNoise).toBe(defined(theorem.noise.theorem).stepNoise);
    expect(
      theorem.stepNoise / (((12 * Math.log(1e6)) / records ** 2) * 50 * theorem.constants.noise),
    ).toBeCloseTo(1, 12);
    expect(planOf({ innerSteps: 5 }, {}, { budget: { epsilon: 4, delta: 0.4 } }).noise.theorem).toBe(null);
    // The theorem is for replaced records.
    expect(planOf({ innerSteps: 5 }, { adjacency: 'zero-out' }).noise.theorem).toBe(null);
    expect(
      planOf({ innerSteps: 5, noiseMultiplier: 3 }, {}, { budget: { epsilon: 1, delta: 0 } }),
    ).toMatchObject({ noiseMultiplier: 3, calibration: 'given', noise: { exact: null, theorem: null } });
    expect(JSON.parse(JSON.stringify(exact))).toEqual(exact);
  });

  it('has the length of theorem 4.2, and noise for exactly that many steps', () => {
    const facts = { startDistance: 3 };
    const base = planOf({ calibration: 'theorem' }, { facts });
    const R = 3 * Math.sqrt(Math.max(...M));
    const c = Math.log(1e6) / records ** 2;
    expect(base.constants.noise / (16 * M.reduce((sum, m) => sum + 1 / m, 0))).toBeCloseTo(1, 6);
    expect(base.innerSteps).toBe(Math.max(1, Math.round(R / Math.sqrt(base.constants.noise * c))));
    expect(sameEvent(base.event, planOf({ calibration: 'theorem', innerSteps: base.innerSteps }).event)).toBe(
      true,
    );
    const lengths = (['printed', 'minimiser', 'sharp'] as const).map(
      (rule) => planOf({ rule }, { facts: { startDistance: 1000 } }).innerSteps,
    );
    expect(lengths[0] / lengths[1]).toBeCloseTo(Math.sqrt(12), 1);
    expect(lengths[1] / lengths[2]).toBeCloseTo(Math.sqrt(2), 1);
    expect(
      planOf(
        {},
        { facts: { 'startDistance.0': 1, 'startDistance.1': 2, 'startDistance.2': 0, 'startDistance.3': 0 } },
      ),
    ).toMatchObject({ schedule: { distance: expect.closeTo(Math.sqrt(M[0] + 4 * M[1]), 9) } });
    expect(planOf({}, { domain: l1BallDomain({ radius: 2 }) })).toMatchObject({
      schedule: { distance: expect.closeTo(4 * Math.sqrt(Math.max(...M)), 5) },
      utility: null,
    });
  });

  it('by distances has the least bound of all probabilities', () => {
    const far = [1, 2, 0.5, 4];
    const facts = Object.fromEntries(far.map((offset, j) => [`startDistance.${j}`, offset]));
    const by = (importance: boolean | 'distances') =>
      planOf({ sketch: { name: 'single-coordinate', importance } }, { facts });
    const least = far.reduce((sum, offset, j) => sum + Math.sqrt(M[j]) * offset, 0);
    expect(by('distances')).toMatchObject({ schedule: { distance: expect.closeTo(least, 9) } });
    expect(by('distances').utility?.bound).toBeLessThan(by(false).utility?.bound ?? 0);
    expect(by('distances').utility?.bound).toBeLessThan(by(true).utility?.bound ?? 0);
    const blocks = planOf(
      { sketch: { name: 'block', params: { blocks: 2 }, importance: 'distances' } },
      { facts },
    );
    const parts = [0, 2].map((j) => Math.hypot(...[j, j + 1].map((k) => Math.sqrt(M[k]) * far[k])));
    expect(blocks).toMatchObject({ schedule: { distance: expect.closeTo(parts[0] + parts[1], 9) } });
    const none = { ...facts, 'startDistance.2': 0 };
    const { sketch } = planOf(
      { sketch: { name: 'single-coordinate', importance: 'distances' } },
      { facts: none },
    ) as unknown as { readonly sketch: { readonly params: unknown } };
    const { choice } = sketch.params as { readonly choice: { readonly probabilities: readonly number[] } };
    expect(choice.probabilities[2]).toBeGreaterThan(0.002);
    expect(() =>
      planOf(
        { sketch: { name: 'single-coordinate', importance: 'distances' } },
        { facts: { startDistance: 1 } },
      ),
    ).toThrow(/startDistance\.0/u);
  });

  it('restarts where the risk is strongly convex, by a fact or by a ridge', () => {
    const regulariser = { name: 'l2-squared', params: { strength: 0.5 } };
    const plan = planOf(
      { schedule: 'strongly-convex', sketch: { name: 'single-coordinate' } },
      { facts: { startGap: 1e6 }, regulariser },
    );
    const condition = (Math.max(...plan.smoothness) * d) / 0.5;
    expect(plan).toMatchObject({
      schedule: { condition: expect.closeTo(condition, 9), gap: 1e6 },
      innerSteps: Math.ceil(2 * (1 + condition) - 1e-9),
    });
    expect(plan.rounds).toBeGreaterThan(1);
    const { bound } = defined(plan.utility);
    expect(bound).toBeCloseTo(
      sharpStronglyConvexBound({
        gap: 1e6,
        condition,
        innerSteps: plan.innerSteps,
        rounds: plan.rounds,
        stepNoise: plan.stepNoise,
        riskNoise: plan.riskNoise,
      }),
      9,
    );
    expect(
      planOf({ schedule: 'strongly-convex' }, { facts: { startDistance: 1, strongConvexity: 0.01 } }),
    ).toMatchObject({ schedule: { gap: expect.closeTo(Math.max(...M) / 2, 9) } });
    expect(() => planOf({ schedule: 'strongly-convex' }, { facts: { startGap: 1 } })).toThrow(
      /strongConvexity/,
    );
    expect(() => planOf({ schedule: 'strongly-convex' }, { facts: { strongConvexity: 0.1 } })).toThrow(
      /startGap/,
    );
    expect(() =>
      planOf({ schedule: 'strongly-convex' }, { facts: { strongConvexity: 100, startGap: 1 } }),
    ).toThrow(InvalidParameter);
  });

  it.each(everySketch)('bounds the risk by what the integers and the noise give: %s', (_name, sketch) => {
    const plan = planOf({ sketch, innerSteps: 50 }, { facts: { startDistance: 2 } });
    const marginals = marginalsOf(plan);
    const distance = 2 * Math.sqrt(Math.max(...plan.smoothness.map((m, j) => m / marginals[j])));
    expect(defined(plan.utility).bound).toBeCloseTo(
      sharpRoundBound({ distance, innerSteps: 50, stepNoise: plan.stepNoise, riskNoise: plan.riskNoise }),
      9,
    );
    expect(defined(plan.utility).source).toMatch(/empirical/);
  });

  it.each([['a clip', true] as const, ['certified constants', false] as const])(
    'plans for no less than the noise of sets that are too many to list, with %s',
    (_name, isClipped) => {
      const dimension = 24;
      const p = 0.9;
      const all = Array.from({ length: dimension }, (_, j) => j);
      const own = all.map((j) => 1 + j / 8);
      const length = (j: number): number => (isClipped ? Math.sqrt(own[j]) : 2 + j / dimension);
      const total = all.reduce((sum, j) => sum + length(j) ** 2, 0);
      const radius = isClipped ? 3 : Math.sqrt(total);
      const fact = (value: number) => ({ value, scope: 'every-record', provenance: 'declared' }) as const;
      const posed = problem({ dimension });
      const { plan } = dpSkgd.prepare({
        registry: mechanisms,
        ...context,
        problem: {
          ...posed,
          facts: {
            ...posed.facts,
            lipschitz: fact(Math.sqrt(total)),
            ...Object.fromEntries(all.map((j) => [`coordinateLipschitz.${j}`, fact(length(j))])),
          },
        },
        params: {
          sketch: { name: 'independent-coordinates', params: { probabilities: p } },
          smoothness: own,
          innerSteps: 5,
          ...(isClipped ? { clip: { radius } } : {}),
        },
      });
      const { noise, riskNoise, smoothness } = (
        plan as unknown as { readonly constants: Planned['constants'] & { readonly riskNoise: number } }
      ).constants;
      // E L_S² where j is drawn: its own square, and p times those of all others.
      const least = all.reduce(
        (sum, j) => sum + ((radius ** 2 / total) * (length(j) ** 2 + p * (total - length(j) ** 2))) / own[j],
        0,
      );
      expect(noise / least).toBeGreaterThan(1 - 1e-9);
      expect(riskNoise / (p * least)).toBeGreaterThan(1 - 1e-9);
      expect(smoothness / (own[dimension - 1] / p)).toBeGreaterThan(1 - 1e-9);
      expect(noise / least).toBeLessThan(1.2);
    },
  );

  const marginalsOf = (plan: object) => {
    const { name, params } = (plan as { sketch: { name: string; params: object } }).sketch;
    const plugin = sketches.find((candidate) => candidate.name === name) as unknown as {
      marginals(params: unknown, dimension: number): Float64Array;
    };
    return plugin.marginals(params, d);
  };

  it('bounds it along blocks by the weaker inequality, and not at all where nothing is proved', () => {
    const facts = { startDistance: 2 };
    const sketch = { name: 'single-coordinate' };
    const plan = planOf({ sketch, innerSteps: 50, smoothness: 'block' }, { facts });
    const distance = 2 * Math.sqrt(d * Math.max(...plan.smoothness));
    const gap = 2 * Math.max(...M);
    expect(defined(plan.utility).bound).toBeCloseTo(
      blockwiseRoundBound({
        distance,
        gap,
        innerSteps: 50,
        stepNoise: plan.stepNoise,
        riskNoise: plan.riskNoise,
        leastProbability: 1 / d,
      }),
      9,
    );
    const bounded = (params: Params, given: Parameters<typeof problem>[0] = {}) =>
      planOf({ innerSteps: 50, ...params }, { facts, ...given }).utility !== null;
    expect(bounded({})).toBe(true);
    expect(bounded({}, { regulariser: { name: 'l2-squared', params: { strength: 1 } } })).toBe(true);
    expect(bounded({}, { regulariser: { name: 'l1', params: { strength: 1 } } })).toBe(false);
    expect(bounded({}, { domain: boxDomain({ lower: -1, upper: 1 }) })).toBe(false);
    expect(bounded({ clip: { radius: 4.01 } })).toBe(true);
    expect(bounded({ clip: { radius: 3.9 } })).toBe(false);
    expect(bounded({ sketch, clip: { radius: 4.01 } })).toBe(false);
    expect(bounded({ sketch, clip: { radius: 40 } })).toBe(true);
    expect(bounded({ rounds: 2 })).toBe(false);
    expect(bounded({}, { facts, adjacency: 'zero-out' })).toBe(true);
    expect(bounded({}, { facts, adjacency: 'add-remove' })).toBe(false);
    expect(bounded({}, { facts: {} })).toBe(false);
    // The constants of squares hold for bounded iterates only.
    const bent = (clip: { readonly clip?: { readonly radius: number } }) =>
      dpSkgd.prepare({
        registry: mechanisms,
        ...context,
        problem: {
          ...problem({ facts }),
          capabilities: { ...squared.capabilities, convex: true, smooth: true },
        },
        params: { innerSteps: 50, ...clip },
      }).plan.utility;
    expect(bent({})).toBe(null);
    expect(bent({ clip: { radius: 40 } })).toBe(null);
  });

  const sketch = { name: 'single-coordinate' };
  const far = { startDistance: 2 };
  const average = { lipschitz: { ...problem().facts['lipschitz'], scope: 'population' as const } };
  it.each<readonly [string, Params, Parameters<typeof problem>[0], readonly RegExp[]]>([
    [
      'another domain',
      {},
      { facts: far, domain: boxDomain({ lower: -1, upper: 1 }) },
      [/the domain is 'box'/],
    ],
    [
      'an l1 penalty',
      {},
      { facts: far, regulariser: { name: 'l1', params: { strength: 1 } } },
      [/the regulariser 'l1' is not smooth/],
    ],
    [
      'both, and add-remove',
      {},
      {
        facts: far,
        adjacency: 'add-remove',
        domain: l1BallDomain({ radius: 1 }),
        regulariser: { name: 'l1', params: { strength: 1 } },
      },
      [/'l1-ball'.*; .*'l1' is not smooth; under add-remove means are divided by a guess/],
    ],
    [
      'a low clip',
      { sketch, clip: { radius: 4.01 } },
      { facts: far },
      [/the clip is below the Lipschitz constants/],
    ],
    [
      'no distance',
      {},
      {},
      [/the fact 'startDistance', or 'startDistance\.j' for every coordinate, is missing/],
    ],
    ['rounds', { rounds: 2 }, { facts: far }, [/more than one round.*strongConvexity.*ridge/]],
    [
      'rounds from anywhere',
      { rounds: 2 },
      { facts: { strongConvexity: 0.1 } },
      [/the fact 'startGap', or 'startDistance', is missing/],
    ],
    [
      'short rounds',
      { rounds: 2 },
      { facts: { ...far, strongConvexity: 1e-3 } },
      [/a round of 50 steps is no longer than the condition number \d+.*innerSteps/],
    ],
  ])('says why there is no bound: %s', (_name, params, given, reasons) => {
    const { sketch: _sketch, ...others } = params;
    for (const run of [
      prepare({ innerSteps: 50, ...params }, given),
      ...(params.sketch === undefined
        ? [dpCd, noisyGradientDescent].map((optimizer) =>
            optimizer.prepare({
              registry: mechanisms,
              ...context,
              problem: problem(given),
              params: { innerSteps: 50, ...others },
            }),
          )
        : []),
    ]) {
      const plan = run.plan as typeof run.plan & { readonly uncovered: string | null };
      expect(plan.utility).toBe(null);
      for (const reason of reasons) expect(plan.uncovered).toMatch(reason);
    }
  });

  it('says why there is no bound where gradients are cut, and nothing where there is one', () => {
    const uncovered = (given: ReturnType<typeof problem>, params: Params = {}) =>
      (
        dpSkgd.prepare({
          registry: mechanisms,
          ...context,
          problem: given,
          params: { innerSteps: 50, ...params },
        }).plan as { readonly uncovered?: unknown }
      ).uncovered;
    const bent = {
      ...problem({ facts: far }),
      loss: squared({}),
      capabilities: { ...squared.capabilities, convex: true, smooth: true },
    } as const;
    for (const params of [{}, { clip: { radius: 40 } }])
      expect(uncovered(bent as never, params)).toMatch(
        /the loss 'squared' is Lipschitz on bounded sets only/,
      );
    expect(
      uncovered({ ...problem(), facts: { ...problem().facts, ...average } }, { clip: { radius: 40 } }),
    ).toMatch(/the fact 'lipschitz' of every record, to compare it with, is missing/);
    for (const params of [{}, { sketch }, { clip: { radius: 4.01 } }])
      expect(uncovered(problem({ facts: far }), params)).toBe(null);
    expect(uncovered(problem({ facts: { ...far, strongConvexity: 1 } }), { rounds: 2 })).toBe(null);
  });

  it('finds cuts where the sets of a sketch are too many to list', () => {
    const columns = 64;
    const every = (value: number): Fact => ({ value, scope: 'every-record', provenance: 'declared' });
    const boundAt = (radius: number, singles: Readonly<Record<string, Fact>> = {}) =>
      dpSkgd.prepare({
        registry: mechanisms,
        ...context,
        problem: {
          ...problem(),
          dimension: columns,
          facts: { lipschitz: every(1), smoothness: every(1), startDistance: every(1), ...singles },
        },
        params: {
          sketch: { name: 'independent-coordinates', params: { probabilities: 0.5 } },
          innerSteps: 5,
          clip: { radius },
        },
      }).plan.utility;
    // A coordinate has 1/64 of the square of the radius.
    expect(boundAt(6)).toBeNull();
    expect(boundAt(8)).not.toBeNull();
    const singles = Object.fromEntries(
      Array.from({ length: columns }, (_, j) => [`coordinateLipschitz.${j}`, every(0.5)] as const),
    );
    expect(boundAt(3, singles)).toBeNull();
    expect(boundAt(4, singles)).not.toBeNull();
  });

  it('says where its bound rests on smoothness that was given and does not follow from facts', () => {
    const sourceOf = (smoothness: number | number[], facts: Readonly<Record<string, number>> = {}) =>
      defined(planOf({ innerSteps: 50, smoothness }, { facts: { startDistance: 2, ...facts } }).utility)
        .source;
    const given = /if ∇²f ≼ Diag\(M\) for the smoothness given/u;
    const whole = problem().facts['smoothness'].value;
    const singles = featureBounds.map((bound) => bound ** 2 / 4);
    expect(defined(planOf({ innerSteps: 50 }, { facts: { startDistance: 2 } }).utility).source).not.toMatch(
      given,
    );
    for (const enough of [
      whole,
      [whole, whole, whole + 1, whole],
      M,
      singles.map((s) => 4.01 * s),
      singles.map((s, j) => s * [1.3, 8, 16, 32][j]),
    ])
      expect(sourceOf(enough)).not.toMatch(given);
    for (const small of [whole / 2, singles, singles.map((s) => 3.9 * s)])
      expect(sourceOf(small)).toMatch(given);
  });
});

describe('its steps', () => {
  it.each(
    everySketch.flatMap(([name, sketch]) =>
      (['replace-one', 'add-remove', 'zero-out'] satisfies Adjacency[]).map(
        (adjacency) => [name, adjacency, sketch] as const,
      ),
    ),
  )('cost what was planned: %s under %s', (_name, adjacency, sketch) => {
    for (const params of [{}, { clip: { radius: 0.5 } }]) {
      const run = prepare({ sketch, innerSteps: 9, rounds: 2, ...params }, { adjacency });
      expect(sameEvent(carriedOut(run).spent, run.plan.event)).toBe(true);
    }
  });

  it('move drawn coordinates by 1/M of the answer, whatever their probability', () => {
    const run = prepare({
      sketch: {
        name: 'finite',
        params: {
          sets: [
            { coordinates: [0], probability: 0.875 },
            { coordinates: [1, 3], probability: 0.0625 },
            { coordinates: [2], probability: 0.0625 },
          ],
        },
      },
      innerSteps: 40,
      smoothness: [1, 2, 4, 8],
    });
    const { queries } = play(stepsOf(run), records, ({ of }) =>
      Float64Array.from(defined(of.coordinates), () => 1),
    );
    const sets = new Set<string>();
    for (const [k, query] of (queries as readonly MeanQuery[]).slice(0, -1).entries()) {
      const before = query.of.terms[0].at;
      const after = (queries[k + 1] as MeanQuery).of.terms[0].at;
      const drawn = [...defined(query.of.coordinates)];
      sets.add(drawn.join());
      expect([...after]).toEqual(
        [...before].map((x, j) => (drawn.includes(j) ? x - 1 / [1, 2, 4, 8][j] : x)),
      );
    }
    expect(sets.size).toBeGreaterThan(1);
  });

  it('ask for a certificate, or for a clip whose radius follows the smoothness of what is drawn', () => {
    const sketch = { name: 'block', params: { blocks: [[0, 2], [1], [3]] } };
    const smoothness = [1, 2, 3, 10];
    const certified = play(
      stepsOf(prepare({ sketch, innerSteps: 30, smoothness, noiseMultiplier: 2 })),
      records,
      ({ of }) => new Float64Array(defined(of.coordinates).length),
    );
    for (const query of certified.queries)
      expect(query).toMatchObject({
        ask: 'mean',
        mean: certifiedMean({ mechanism: gaussian({}) }),
        target: { noiseMultiplier: 2 },
      });
    const clipped = play(
      stepsOf(prepare({ sketch, innerSteps: 30, smoothness, clip: { radius: 4 } })),
      records,
      ({ of }) => new Float64Array(defined(of.coordinates).length),
    );
    expect(
      new Set((clipped.queries as readonly MeanQuery[]).map(({ of }) => defined(of.coordinates).join())),
    ).toEqual(new Set(['0,2', '1', '3']));
    for (const { of, mean } of clipped.queries as readonly MeanQuery[]) {
      const share = [...defined(of.coordinates)].reduce((sum, j) => sum + smoothness[j], 0) / 16;
      expect(mean).toMatchObject({
        name: 'clipped',
        params: {
          clip: { ...l2Clip({ radius: 1 }), params: { radius: expect.closeTo(4 * Math.sqrt(share), 12) } },
        },
      });
    }
  });

  it('pay for draws of nothing, and change nothing by them', () => {
    const run = prepare({
      sketch: { name: 'independent-coordinates', params: { probabilities: 0.05 } },
      innerSteps: 30,
      clip: { radius: 1 },
    });
    const { queries } = carriedOut(run);
    const empty = (queries as readonly MeanQuery[]).findIndex(
      ({ of }) => defined(of.coordinates).length === 0,
    );
    expect(queries).toHaveLength(30);
    expect(empty).toBeGreaterThanOrEqual(0);
    expect((queries[empty + 1] as MeanQuery).of.terms).toEqual((queries[empty] as MeanQuery).of.terms);
  });

  it('add a ridge without noise, shrink by a lasso, and stay in a box or ball', () => {
    const strength = [1, 2, 3, 4];
    const centre = [1, 0, -1, 2];
    const sketch = { name: 'full' };
    const oneStep = (given: Pick<Partial<Problem>, 'regulariser' | 'domain'>) =>
      play(stepsOf(prepare({ sketch, innerSteps: 1, smoothness: 2 }, given)), records, () =>
        Float64Array.of(1, -1, 0, 8),
      ).result;
    const gradient = [1, -1, 0, 8];
    expect([...oneStep({ regulariser: { name: 'l2-squared', params: { strength, centre } } })]).toEqual(
      gradient.map((g, j) => 0.5 - (1 / (2 + strength[j])) * (g + strength[j] * (0.5 - centre[j]))),
    );
    expect([...oneStep({ regulariser: { name: 'l1', params: { strength: 1 } } })]).toEqual([0, 0.5, 0, -3]);
    expect([...oneStep({ domain: boxDomain({ lower: -1, upper: 0.75 }) })]).toEqual([0, 0.75, 0.5, -1]);
    expect([
      ...oneStep({
        domain: boxDomain({ lower: -1, upper: 0.25 }),
        regulariser: { name: 'l1', params: { strength: 1 } },
      }),
    ]).toEqual([0, 0.25, 0, -1]);
    expect(
      oneStep({ domain: l1BallDomain({ radius: 1 }) }).reduce((sum, x) => sum + Math.abs(x), 0),
    ).toBeCloseTo(1, 12);
  });

  it.each([
    ['dp-skgd', dpSkgd],
    ['dp-cd', dpCd],
    ['noisy-gradient-descent', noisyGradientDescent],
  ] as const)(
    'end a round within the box, where the mean of points on its side is rounded beyond: %s',
    (_name, method) => {
      const upper = 3.331893154949551;
      const innerSteps = 188;
      const one = { ...problem({ domain: boxDomain({ lower: -1, upper }) }), dimension: 1 };
      expect((upper * innerSteps) / innerSteps).toBeGreaterThan(upper);
      const run = method.prepare({
        registry: mechanisms,
        ...context,
        problem: one,
        params: { innerSteps, smoothness: 1, noiseMultiplier: 1 },
      });
      const { result } = play(
        run.steps({
          start: Float64Array.of(upper),
          allRecords: batchOf('all', records),
          random: publicCoins,
          ...plainLoops(),
        }),
        records,
        () => Float64Array.of(-1),
      );
      expect([...result]).toEqual([upper]);
    },
  );
});

describe('the two straightforward methods', () => {
  const settings: readonly (readonly [string, Params, Parameters<typeof problem>[0]])[] = [
    ['certified', { rounds: 3, innerSteps: 50 }, {}],
    ['clipped', { rounds: 2, innerSteps: 31, clip: { radius: 0.7 } }, {}],
    [
      'with a ridge',
      { rounds: 2, innerSteps: 20 },
      { regulariser: { name: 'l2-squared', params: { strength: 0.1 } } },
    ],
    [
      'with a lasso',
      { rounds: 2, innerSteps: 20 },
      { regulariser: { name: 'l1', params: { strength: 0.1 } } },
    ],
    ['in a ball', { rounds: 2, innerSteps: 20 }, { domain: l1BallDomain({ radius: 1 }) }],
    ['in a box', { rounds: 2, innerSteps: 20 }, { domain: boxDomain({ lower: -0.5, upper: 0.5 }) }],
  ];

  it.each(settings)('ask the same and end at the same bits: %s', (_name, params, given) => {
    for (const [method, name] of [
      [dpCd, 'single-coordinate'],
      [noisyGradientDescent, 'full'],
    ] as const) {
      const plain = method.prepare({ registry: mechanisms, ...context, problem: problem(given), params });
      const here = carriedOut(plain);
      const there = carriedOut(prepare({ ...params, sketch: { name } }, given));
      expect(here.queries).toEqual(there.queries);
      expect(here.output).toEqual(there.output);
      expect(sameEvent(here.spent, plain.plan.event)).toBe(true);
      expect(plain.plan).toEqual(prepare({ ...params, sketch: { name } }, given).plan);
    }
  });

  it('ask the same of coordinates that are chosen by distances', () => {
    const facts = Object.fromEntries(M.map((_, j) => [`startDistance.${j}`, 1 + j]));
    const params = { rounds: 2, innerSteps: 31 } as const;
    const one = problem({ facts });
    const here = dpCd.prepare({
      registry: mechanisms,
      ...context,
      problem: one,
      params: { ...params, choice: 'distances' },
    });
    const there = prepare(
      { ...params, sketch: { name: 'single-coordinate', importance: 'distances' } },
      { facts },
    );
    expect(here.plan).toEqual(there.plan);
    expect(carriedOut(here).queries).toEqual(carriedOut(there).queries);
    expect(carriedOut(here).output).toEqual(carriedOut(there).output);
  });
});

test('a sketch of one’s own takes part', () => {
  const first = defineSketch({
    name: 'first',
    summary: 'The first coordinate.',
    source: { id: 'test', item: '' },
    params: z.strictObject({}),
    claims: [],
    draw: () => ({ coordinates: Uint32Array.of(0) }),
    marginals: () => Float64Array.of(1),
    pairProbability: () => 1,
    enumerate: () => [{ drawn: { coordinates: Uint32Array.of(0) }, probability: 1 }],
  });
  const one = { ...problem(), dimension: 1 };
  expect(
    dpSkgd.prepare({
      ...context,
      registry: [...mechanisms, first],
      problem: one,
      params: { sketch: { name: 'first' }, innerSteps: 2 },
    }).plan,
  ).toMatchObject({ sketch: { name: 'first' } });
  expect(() =>
    dpSkgd.prepare({
      registry: mechanisms,
      ...context,
      problem: one,
      params: { sketch: { name: 'first' }, innerSteps: 2 },
    }),
  ).toThrow(Unsupported);
});

describe("a sketch of one's own", () => {
  const sane = {
    marginals: () => Float64Array.of(0.5, 0.5, 1, 1),
    draw: () => ({ coordinates: Uint32Array.of(0, 2, 3) }),
  };
  const own = (change: object = {}) =>
    defineSketch({
      name: 'own',
      summary: 'x',
      source: { id: 'test', item: '' },
      params: z.strictObject({}),
      claims: [],
      pairProbability: () => 0.5,
      enumerate: () => null,
      ...sane,
      ...change,
    });
  const runOf = (change: object) =>
    dpSkgd.prepare({
      ...context,
      registry: [...mechanisms, own(change)],
      problem: problem(),
      params: { sketch: { name: 'own' }, innerSteps: 70 },
    });

  it('is taken beside those that ship, and plugins of other kinds of the same name', () => {
    const mine = [...mechanisms, own(), { ...l2Clip, name: 'own' }];
    const run = dpSkgd.prepare({
      ...context,
      registry: mine,
      problem: problem(),
      params: { sketch: { name: 'own' }, innerSteps: 2 },
    });
    mine.length = 0;
    expect(run.plan.gradients).toBe(2 * records);
    expect(
      run
        .steps({
          start: new Float64Array(4),
          allRecords: batchOf('all', records),
          random: publicCoins,
          ...plainLoops(),
        })
        .next().value,
    ).toMatchObject({ ask: 'mean' });
  });

  it.each<readonly [string, unknown, RegExp]>([
    ['too few', Float64Array.of(1, 1, 1), /'own' gives 3 marginals in 4 dimensions/],
    ['too many', Float64Array.of(1, 1, 1, 1, 1), /5 marginals/],
    ['a zero', Float64Array.of(1, 1, 0, 1), /'own' draws coordinate 2 with probability 0;/],
    ['more than one', Float64Array.of(1, 1, 1, 1.01), /coordinate 3 with probability 1\.01/],
    ['less than none', Float64Array.of(-1, 1, 1, 1), /probability -1/],
    ['NaN', Float64Array.of(1, NaN, 1, 1), /coordinate 1 with probability NaN/],
    ['an array', [1, 1, 1, 1], /no Float64Array/],
    ['nothing', undefined, /no Float64Array/],
  ])('is blamed when a run is planned for its marginals: %s', (_name, marginals, message) => {
    expect(() => runOf({ marginals: () => marginals })).toThrow(IncompatiblePlugins);
    expect(() => runOf({ marginals: () => marginals })).toThrow(message);
  });

  it.each<readonly [string, unknown, RegExp]>([
    ['nothing', undefined, /sketch 'own' drew what has no coordinates/],
    ['coordinates alone', Uint32Array.of(0), /no coordinates/],
    ['an array', { coordinates: [0, 1] }, /no coordinates in a Uint32Array/],
    ['signed ones', { coordinates: Int32Array.of(0) }, /Uint32Array/],
    ['one outside', { coordinates: Uint32Array.of(0, 4) }, /'own' drew coordinate 4 in 4 dimensions/],
    ['one twice', { coordinates: Uint32Array.of(1, 1) }, /coordinate 1 after 1/],
    ['falling ones', { coordinates: Uint32Array.of(2, 0) }, /coordinate 0 after 2/],
  ])('is blamed for what it draws: %s, before anything is asked for it', (_name, drawn, message) => {
    // Planning draws, too.
    let step = -Infinity;
    const run = runOf({ draw: () => (step++ === 2 ? drawn : sane.draw()) });
    const posed: string[] = [];
    const curator = curatorOf();
    step = 0;
    const attempt = (): unknown =>
      carriedOut(run, {
        ...curator,
        answer: (index, query) => {
          posed.push(query.ask);
          return curator.answer(index, query);
        },
      });
    expect(attempt).toThrow(
      expect.objectContaining({
        code: 'incompatible-plugins',
        message: expect.stringMatching(message) as string,
      }),
    );
    expect(posed).toHaveLength(2);
  });

  it('may draw nothing, and everything', () => {
    for (const coordinates of [new Uint32Array(0), Uint32Array.of(0, 1, 2, 3)])
      expect(carriedOut(runOf({ draw: () => ({ coordinates }) })).queries).toHaveLength(70);
  });
});

describe('is refused with a way out', () => {
  const facts = problem().facts;
  const without = (...names: string[]): Problem<ReturnType<typeof problem>['capabilities']> => ({
    ...problem(),
    facts: Object.fromEntries(
      Object.entries(facts).filter(([name]) => !names.some((gone) => name.startsWith(gone))),
    ),
  });
  it.each([
    ['no length', {}, problem(), Unsupported, /innerSteps/],
    ['no Lipschitz constant', { innerSteps: 2 }, without('lipschitz'), Unsupported, /clip/],
    [
      'no smoothness',
      { innerSteps: 2 },
      without('coordinateSmoothness', 'smoothness'),
      Unsupported,
      /smoothness/,
    ],
    [
      'a Lipschitz constant on average',
      { innerSteps: 2 },
      {
        ...problem(),
        facts: { ...facts, lipschitz: { ...facts['lipschitz'], scope: 'population' as const } },
      },
      Unsupported,
      /population/,
    ],
    [
      'blocks that overlap',
      { innerSteps: 2, smoothness: 'block', sketch: { name: 'tau-nice', params: { tau: 2 } } },
      problem(),
      Unsupported,
      /component/,
    ],
    [
      'importance of what is not chosen',
      { innerSteps: 2, sketch: { name: 'tau-nice', params: { tau: 2 }, importance: true } },
      problem(),
      InvalidParameter,
      /importance/,
    ],
    [
      'two choices',
      {
        innerSteps: 2,
        sketch: { name: 'single-coordinate', params: { choice: { by: 'uniform' } }, importance: true },
      },
      problem(),
      InvalidParameter,
      /choice/,
    ],
    [
      'a group lasso',
      { innerSteps: 2 },
      { ...problem(), regulariser: { name: 'group', params: { strength: 1, groups: [[0, 1]] } } },
      IncompatiblePlugins,
      /l1/,
    ],
    [
      'the theorem under zero-out',
      { innerSteps: 2, calibration: 'theorem' },
      problem({ adjacency: 'zero-out' }),
      Unsupported,
      /exact/,
    ],
    [
      'a flat coordinate',
      { innerSteps: 2 },
      {
        ...problem(),
        facts: {
          ...facts,
          coordinateSmoothness: {
            ...facts['coordinateSmoothness'],
            each: defined(facts['coordinateSmoothness'].each).with(1, 0),
          },
        },
      },
      Unsupported,
      /ridge/,
    ],
    ['too few constants', { innerSteps: 2, smoothness: [1, 2] }, problem(), InvalidParameter, /4 are needed/],
    ['an unknown sketch', { innerSteps: 2, sketch: { name: 'none' } }, problem(), Unsupported, /tau-nice/],
    [
      'parameters the sketch does not take',
      { innerSteps: 2, sketch: { name: 'tau-nice', params: { tau: 9 } } },
      problem(),
      InvalidParameter,
      /at most 4/,
    ],
    [
      'more steps than can be counted',
      { innerSteps: 2 ** 40, rounds: 2 ** 40 },
      problem(),
      InvalidParameter,
      /counted/,
    ],
  ] satisfies readonly (readonly [
    string,
    Params,
    ReturnType<typeof problem>,
    new (...args: never[]) => Error,
    RegExp,
  ])[])('%s', (_name, params, given, error, way) => {
    const attempt = (): unknown =>
      dpSkgd.prepare({ registry: mechanisms, ...context, problem: given, params });
    expect(attempt).toThrow(error);
    expect(attempt).toThrow(way);
  });

  it('budgets outside the theorem', () => {
    for (const budget of [
      { epsilon: 1.5, delta: 1e-6 },
      { epsilon: 1, delta: 0.4 },
      { epsilon: 1, delta: 0 },
    ])
      expect(() => planOf({ innerSteps: 2, calibration: 'theorem' }, {}, { budget })).toThrow(
        InvalidParameter,
      );
    expect(() => planOf({}, { facts: { startDistance: 1 } }, { budget: { epsilon: 1, delta: 0 } })).toThrow(
      Unsupported,
    );
  });

  it('numbers that are none', () => {
    for (const bad of [
      { innerSteps: 0 },
      { innerSteps: 1.5 },
      { rounds: 0 },
      { smoothness: Number.NaN },
      { smoothness: [1, -1, 1, 1] },
      { clip: { radius: 0 } },
      { noiseMultiplier: Infinity },
      { rule: 'best' },
      { more: 1 },
    ]) {
      expect(() =>
        dpSkgd.prepare({
          registry: mechanisms,
          ...context,
          problem: problem(),
          params: { innerSteps: 2, ...bad } as Params,
        }),
      ).toThrow(InvalidParameter);
    }
    for (const bad of [Number.NaN, -1, Infinity])
      for (const name of ['startDistance', 'startDistance.2', 'startGap', 'strongConvexity'])
        expect(() => planOf({ innerSteps: 2 }, { facts: { [name]: bad } })).toThrow(InvalidParameter);
    expect(() => prepare({ innerSteps: 2 }, { slots: [20, 20] })).toThrow(Unsupported);
    expect(planOf({ innerSteps: 2 }, { slots: [1] }).gradients).toBe(2);
  });
});
