import {
  clippedMeanEvent,
  InvalidParameter,
  repeatedEvent,
  sameEvent,
  sampledEvent,
  Unsupported,
  type MeanQuery,
  plainLoops,
} from '@lethe/core';
import {
  automaticClip,
  certifiedMean,
  clippedMean,
  coordinateMedianOfMeans,
  fixedSize,
  gaussian,
  l2BallDomain,
  l2Clip,
  latticeMean,
  mechanisms,
  partition,
  poisson,
  shuffledMean,
  shuffledVectorSum,
} from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { describe, expect, it, test } from 'vitest';
import {
  carriedOut,
  context,
  declared,
  dimension as d,
  problem,
  records,
} from '../../test/support/logistic.js';
import { publicCoins } from '../../test/support/problems.js';
import { batchOf, play } from '../../test/support/scripted-curator.js';
import { norm, ontoBall } from '../../test/support/vectors.js';
import { oneRecordSgd } from './one-record-sgd.js';

type Params = Parameters<typeof oneRecordSgd.prepare>[0]['params'];
const ball = l2BallDomain({ radius: 1 });
const prepare = (params: Params, given: Parameters<typeof problem>[0] = {}) =>
  oneRecordSgd.prepare({
    registry: mechanisms,
    ...context,
    problem: problem({ domain: ball, ...given }),
    params: { noiseMultiplier: 2, ...params },
  });
const planOf = (...given: Parameters<typeof prepare>) =>
  prepare(...given).plan as ReturnType<typeof prepare>['plan'] & {
    readonly decay: number;
    readonly steps: number;
  };
/** As `factsOfLinearLoss` rounds it. */
const L = problem().facts['lipschitz'].value;

/** `batchOf` for samplers of a size. */
const answers = (run: ReturnType<typeof prepare>, answer: (query: MeanQuery, t: number) => Float64Array) =>
  play(
    run.steps({
      start: Float64Array.of(2, 0, 0, 0),
      allRecords: batchOf('all', records),
      random: publicCoins,
      ...plainLoops(),
    }),
    records,
    answer,
  );

describe('oneRecordSgd', () => {
  it.each(['convex', 'strongly-convex'] as const)('is the listing, with %s steps', (schedule) => {
    const run = prepare(
      { steps: 9, schedule, ...(schedule === 'convex' ? { stepSize: 0.5 } : {}) },
      { facts: { strongConvexity: 4 } },
    );
    const answer = (t: number) => Float64Array.of(Math.sin(t), 1, -t, 0.5);
    const { result, queries } = answers(run, (_query, t) => answer(t + 1));
    let w = ontoBall([2, 0, 0, 0], 1);
    for (let t = 1; t <= 9; t++)
      w = ontoBall(
        w.map((x, j) => x - (schedule === 'convex' ? 0.5 / Math.sqrt(t) : 1 / (4 * t)) * answer(t)[j]),
        1,
      );
    result.forEach((x, j) => expect(Math.abs(x - w[j])).toBeLessThan(1e-12));
    expect(queries.map(({ ask }) => ask)).toEqual(Array.from({ length: 9 }, () => 'mean'));
    expect(queries[1]).toMatchObject({
      sampler: fixedSize({ size: 1 }),
      mean: certifiedMean({ mechanism: gaussian({}) }),
    });
  });

  it.each([
    ['replace-one', 2],
    ['zero-out', 1],
  ] as const)(
    'costs what it planned, and bounds the risk of its last iterate, under %s',
    (adjacency, factor) => {
      const run = prepare({ steps: 15 }, { adjacency });
      const plan = run.plan as ReturnType<typeof planOf>;
      const sampler = defined(defined(fixedSize.amplification({ size: 1 }, records)[adjacency]).sampler);
      expect(
        sameEvent(plan.event, repeatedEvent(sampledEvent(sampler, clippedMeanEvent(2, adjacency)), 15)),
      ).toBe(true);
      const { spent, output } = carriedOut(run);
      expect(sameEvent(spent, plan.event)).toBe(true);
      expect(norm(output)).toBeLessThanOrEqual(1 + 1e-12);
      const G = Math.sqrt(L ** 2 + d * (2 * factor * L) ** 2);
      expect(plan.decay / (2 / G)).toBeCloseTo(1, 9);
      expect(defined(plan.utility).bound / ((2 * 2 * G * (2 + Math.log(16))) / 4)).toBeCloseTo(1, 9);
      expect(
        defined(
          planOf({ steps: 15, schedule: 'strongly-convex' }, { adjacency, facts: { strongConvexity: 0.5 } })
            .utility,
        ).bound /
          ((17 * G ** 2 * (1 + Math.log(16))) / (0.5 * 16)),
      ).toBeCloseTo(1, 9);
    },
  );

  it('runs n² steps unless told otherwise, and bounds nothing that may be cut or is unbounded', () => {
    expect(planOf({}).steps).toBe(records ** 2);
    expect(planOf({ steps: 3, clipNorm: L * 1.5 }).utility).not.toBe(null);
    expect(planOf({ steps: 3, clipNorm: L / 2 }).utility).toBe(null);
    expect(
      planOf({ steps: 3, stepSize: 1 }, { domain: { kind: 'domain', name: 'whole-space', params: {} } })
        .utility,
    ).toBe(null);
    // Nothing keeps iterates within a diameter that is only declared.
    expect(
      planOf(
        { steps: 3 },
        { domain: { kind: 'domain', name: 'whole-space', params: {} }, facts: { diameter: 2 } },
      ),
    ).toMatchObject({ utility: null, decay: planOf({ steps: 3 }).decay });
    const clipped = answers(prepare({ steps: 1, clipNorm: 0.25 }), () => new Float64Array(d));
    expect(clipped.queries[0]).toMatchObject({
      mean: clippedMean({ clip: l2Clip({ radius: 0.25 }), mechanism: gaussian({}) }),
    });
  });
});

describe('with sampler and mean by reference', () => {
  const clippedTo = (radius: number) => clippedMean({ clip: l2Clip({ radius }), mechanism: gaussian({}) });

  it('is the same run as with their short forms', () => {
    const sampler = fixedSize({ size: 1 });
    expect(planOf({ steps: 5, sampler, mean: clippedTo(0.25) })).toEqual(
      planOf({ steps: 5, clipNorm: 0.25 }),
    );
    expect(planOf({ steps: 5, sampler, mean: certifiedMean({ mechanism: gaussian({}) }) })).toEqual(
      planOf({ steps: 5 }),
    );
  });

  it('bounds the risk for uniform batches of fixed size, whose noise is less', () => {
    const [one, ten] = [1, 10].map((size) => planOf({ steps: 15, sampler: fixedSize({ size }) }));
    const G = Math.sqrt(L ** 2 + d * (2 * 2 * (L / 10)) ** 2);
    expect(defined(ten.utility).bound / ((2 * 2 * G * (2 + Math.log(16))) / 4)).toBeCloseTo(1, 9);
    expect(defined(ten.utility).bound).toBeLessThan(defined(one.utility).bound / 2);
    expect(
      sameEvent(carriedOut(prepare({ steps: 15, sampler: fixedSize({ size: 10 }) })).spent, ten.event),
    ).toBe(true);
  });

  it.each([
    [{ sampler: poisson({ rate: 0.1 }) }, /sampler 'poisson' does not say that it draws a fixed number/u],
    [{ sampler: partition({ parts: 40, part: 3 }) }, /sampler 'partition' does not say/u],
    [{ mean: clippedTo(L / 2) }, /mean 'clipped' may cut gradients: its radius/u],
    [
      { mean: latticeMean({ radius: 8, spacing: 2 ** -10 }), stepSize: 0.5 },
      /mean 'lattice-mean' does not say/u,
    ],
    [
      {
        mean: clippedMean({ clip: automaticClip({ radius: 8, stability: 0.1 }), mechanism: gaussian({}) }),
        stepSize: 0.5,
      },
      /mean 'clipped' does not say that it leaves short gradients/u,
    ],
  ])('bounds nothing, and says why, for %j', (parts, uncovered) => {
    const run = prepare({ steps: 6, ...parts });
    expect(run.plan).toMatchObject({ utility: null, uncovered: expect.stringMatching(uncovered) });
    expect(sameEvent(carriedOut(run).spent, run.plan.event)).toBe(true);
  });

  it('refuses parts that do not fit, with the reason', () => {
    const mean = latticeMean({ radius: 1, spacing: 2 ** -10 });
    expect(() => prepare({ steps: 3, mean })).toThrow(/give stepSize/u);
    expect(() => prepare({ steps: 3, mean, clipNorm: 1 })).toThrow(/at most one of clipNorm, mean/u);
    expect(() => prepare({ steps: 3, sampler: fixedSize({ size: records + 1 }) })).toThrow(InvalidParameter);
    const shuffled = shuffledMean({ randomiser: shuffledVectorSum({ radius: 1, levels: 4 }) });
    expect(() => prepare({ steps: 3, mean: shuffled })).toThrow(/of the shuffle model/u);
    const median = coordinateMedianOfMeans({ groups: 3, limit: 1 });
    expect(() => prepare({ steps: 3, mean: median, stepSize: 1, sampler: poisson({ rate: 0.5 }) })).toThrow(
      /exact size/u,
    );
  });
});

test('what does not fit is refused', () => {
  const bad: Params[] = [
    { steps: 0 },
    { steps: 1, clipNorm: 0 },
    { steps: 1, stepSize: Number.NaN },
    { steps: 1, noiseMultiplier: -1 },
  ];
  for (const params of bad) expect(() => prepare(params)).toThrow(InvalidParameter);
  expect(() =>
    prepare({ steps: 1 }, { domain: { kind: 'domain', name: 'whole-space', params: {} } }),
  ).toThrow(/diameter/);
  expect(() => prepare({ steps: 1, schedule: 'strongly-convex' })).toThrow(Unsupported);
  expect(() => prepare({ steps: 1, schedule: 'strongly-convex' }, { facts: { strongConvexity: 0 } })).toThrow(
    InvalidParameter,
  );
  expect(() => prepare({}, { slots: [1e9] })).toThrow(/steps/);
  expect(() =>
    oneRecordSgd.prepare({
      registry: mechanisms,
      ...context,
      problem: { ...problem({ domain: ball }), facts: { lipschitz: declared(1) } },
      params: { steps: 1 },
    }),
  ).toThrow(/clipNorm/);
});
