import {
  domainAt,
  regulariserAt,
  InvalidParameter,
  seededRandom,
  Unsupported,
  type MeanQuery,
  type Problem,
  type Vector,
  plainLoops,
} from '@lethe/core';
import { boxDomain, mechanisms, wholeSpaceDomain } from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { budget, fixedCalibration, problem, publicCoins } from '../../test/support/problems.js';
import { batchOf, play } from '../../test/support/scripted-curator.js';
import { ontoBall } from '../../test/support/vectors.js';
import { composite } from './composite.js';
import { noisyClippedProximalSgd, noisyProximalSgd } from './noisy-clipped-proximal-sgd.js';
import { proximalPlSchedule } from './schedules/proximal-pl-schedule.js';

const facts = { smoothness: 4, proximalPolyakLojasiewicz: 1, 'gradientMoment.2': 2, startGap: 3 };
type Params = Parameters<typeof noisyClippedProximalSgd.prepare>[0]['params'];
const lasso = { name: 'l1', params: { strength: 0.3 } };
const everywhere = wholeSpaceDomain({});
const unitBox = boxDomain({ lower: -0.5, upper: 1 });

const problemWith = (
  change: Partial<Problem> = {},
  known: Readonly<Record<string, number>> = facts,
): Problem => ({ ...problem({ slots: 1000, facts: known }), ...change });
const prepare = (
  params: Params = {},
  change: Partial<Problem> = {},
  known = facts as Readonly<Record<string, number>>,
) =>
  noisyClippedProximalSgd.prepare({
    registry: mechanisms,
    problem: problemWith(change, known) as never,
    budget,
    params,
    calibrate: fixedCalibration(2.5).calibrate,
    random: publicCoins,
  });
const stepsFrom = (run: ReturnType<typeof prepare>) =>
  run.steps({
    start: Float64Array.of(2, 0, 0),
    allRecords: batchOf('all', 1000),
    random: publicCoins,
    ...plainLoops(),
  });
const answers = (_query: MeanQuery, number: number): Vector =>
  seededRandom('answers').fork(number).gaussianInto(new Float64Array(3));

describe('noisyClippedProximalSgd', () => {
  const shrunk = (z: number, eta: number): number => Math.sign(z) * Math.max(0, Math.abs(z) - 0.3 * eta);
  it.each([
    ['the projection without a regulariser', {}, (z: readonly number[]) => ontoBall(z, 1)],
    [
      'the lasso on the whole space',
      { regulariser: lasso, domain: everywhere },
      (z: readonly number[], eta: number) => z.map((x) => shrunk(x, eta)),
    ],
    [
      'the lasso on a box',
      { regulariser: lasso, domain: unitBox },
      (z: readonly number[], eta: number) => z.map((x) => Math.min(1, Math.max(-0.5, shrunk(x, eta)))),
    ],
    [
      'an indicator',
      {
        regulariser: { name: 'indicator', params: { domain: { name: 'l2-ball', params: { radius: 1 } } } },
        domain: everywhere,
      },
      (z: readonly number[]) => ontoBall(z, 1),
    ],
  ] as const)('is the listing with %s', (_name, change, map) => {
    const run = prepare({ rounds: 5 }, change);
    const { queries, result } = play(stepsFrom(run), 1000, answers);
    expect(queries).toHaveLength(6);
    let w = [...(queries[1] as MeanQuery).of.terms[0].at];
    for (let t = 0; t < 5; t++) {
      const query = queries[t + 1] as MeanQuery;
      expect(query).toMatchObject({ ask: 'mean', batch: { id: `part${t}` } });
      w.forEach((entry, j) => expect(query.of.terms[0].at[j]).toBeCloseTo(entry, 12));
      w = map(
        w.map((entry, j) => entry - 0.125 * answers(query, t)[j]),
        0.125,
      );
    }
    result.forEach((entry, j) => expect(entry).toBeCloseTo(w[j], 12));
  });

  it('plans by Theorem 48, with what the paper prints beside it', () => {
    const run = prepare({ schedule: 'corrected' });
    const expected = proximalPlSchedule(
      {
        slots: 1000,
        dimension: 3,
        order: 2,
        moment: 2,
        secondMoment: 2,
        epsilon: 1 / 2.5,
        smoothness: 4,
        convexity: 1,
        gap: 3,
      },
      'corrected',
    );
    expect(run.plan).toMatchObject({
      rounds: expected.rounds,
      batchSize: expected.batchSize,
      stepSize: 0.125,
      uncovered: null,
    });
    expect(defined(run.plan.utility).bound / expected.excessRisk).toBeCloseTo(1, 12);
    expect(
      defined((run.plan as unknown as typeof expected).printedBound) / defined(expected.printedBound),
    ).toBeCloseTo(1, 12);
    expect(JSON.parse(JSON.stringify(run.plan))).toEqual(run.plan);
  });

  it('knows the gap without a regulariser, and says what is missing otherwise', () => {
    const { startGap: _, ...noGap } = facts;
    const { proximalPolyakLojasiewicz: _mu, ...noCondition } = facts;
    expect(prepare({}, {}, noGap).plan).toMatchObject({ startGap: expect.closeTo(4, 9) as number });
    expect(() => prepare({}, { regulariser: lasso, domain: everywhere }, noGap)).toThrow(
      /'startGap'.*or give rounds/u,
    );
    expect(prepare({ rounds: 3 }, { regulariser: lasso, domain: everywhere }, noGap).plan).toMatchObject({
      utility: null,
      uncovered: expect.stringContaining('startGap') as string,
    });
    expect(() => prepare({}, {}, noCondition)).toThrow(/proximalPolyakLojasiewicz/u);
    expect(prepare({ rounds: 3 }, {}, noCondition).plan).toMatchObject({
      rounds: 3,
      utility: null,
      convexity: null,
    });
    expect(
      prepare(
        {},
        { regulariser: { name: 'l2-squared', params: { strength: 1 } }, domain: everywhere },
        { ...noCondition },
      ).plan,
    ).toMatchObject({ convexity: 0.8 });
  });

  it.each([noisyClippedProximalSgd, noisyProximalSgd])(
    '$name takes any loss of a risk that is said to be smooth, and says what to declare otherwise',
    (optimizer) => {
      const { smoothness, ...others } = facts;
      const lipschitz = { value: 6, scope: 'every-record', provenance: 'declared' } as const;
      const planned = (capabilities: Problem['capabilities'], known: Readonly<Record<string, number>>) => {
        const given = problemWith({ capabilities }, known);
        return optimizer.prepare({
          registry: mechanisms,
          problem: { ...given, facts: { ...given.facts, lipschitz } },
          budget,
          params: {},
          calibrate: fixedCalibration(2.5).calibrate,
          random: publicCoins,
        }).plan;
      };
      const smooth = planned({ convex: true, smooth: true }, { ...others, smoothness });
      expect(smooth.utility).not.toBe(null);
      for (const capabilities of [{}, { smooth: false }, { smooth: true }, { convex: true }]) {
        for (const name of ['smoothness', 'populationSmoothness'])
          expect(planned(capabilities, { ...others, [name]: smoothness })).toEqual(smooth);
        expect(() => planned(capabilities, others)).toThrow(Unsupported);
        expect(() => planned(capabilities, others)).toThrow(
          /'populationSmoothness'.*'smoothness'.*declare one/u,
        );
      }
    },
  );

  it('refuses what it has no proximal map for', () => {
    const group = { name: 'group', params: { strength: 1, groups: [[0, 1]] } };
    expect(prepare({}, { regulariser: group, domain: everywhere }).plan.utility).not.toBe(null);
    expect(() => prepare({}, { regulariser: group, domain: unitBox })).toThrow(/use the whole space/u);
    expect(() => prepare({}, { regulariser: lasso })).toThrow(/use a box/u);
    expect(() => prepare({ rounds: 1001 })).toThrow(InvalidParameter);
    expect(() => prepare({}, { adjacency: 'add-remove' })).toThrow(Unsupported);
    expect(() => prepare({}, {}, { ...facts, proximalPolyakLojasiewicz: 5 })).toThrow(InvalidParameter);
  });

  it('takes steps of finite size on linear risks', () => {
    expect(prepare({ rounds: 3 }, {}, { smoothness: 0, 'gradientMoment.2': 3 }).plan).toMatchObject({
      stepSize: expect.closeTo(1 / 3, 9) as number,
    });
    expect(
      prepare({ rounds: 3 }, { domain: everywhere }, { smoothness: 0, 'gradientMoment.2': 3 }).plan,
    ).toMatchObject({ stepSize: expect.closeTo(1 / 6, 9) as number });
  });

  it('has a sibling that does not clip', () => {
    expect(noisyProximalSgd).toMatchObject({
      privacyRestsOn: 'every-record constants',
      trustModels: ['central'],
      facts: { lipschitz: expect.any(String) as string },
    });
    expect(noisyClippedProximalSgd).toMatchObject({
      privacyRestsOn: 'clip',
      trustModels: ['central', 'shuffle'],
      facts: {},
    });
  });
});

const compositeOf = ({ domain, regulariser, dimension }: Problem) =>
  composite({
    domain: domainAt(mechanisms, domain, dimension),
    regulariser: regulariser === undefined ? null : regulariserAt(mechanisms, regulariser, dimension),
  });

describe('composite', () => {
  it('minimises the regulariser on a box plus the distance, better than any point near', () => {
    fc.assert(
      fc.property(
        fc.integer(),
        fc.constantFrom(0.1, 1, 10),
        fc.constantFrom(lasso, { name: 'l2-squared', params: { strength: 2, centre: [1, -1, 3] } }),
        (seed, eta, regulariser) => {
          const random = seededRandom(seed);
          const z = random.gaussianInto(new Float64Array(3));
          const out = new Float64Array(3);
          const { proxInto } = compositeOf(problemWith({ regulariser, domain: unitBox }));
          proxInto(out, z, eta);
          const own = (y: ArrayLike<number>): number =>
            regulariser === lasso
              ? 0.3 * Array.from(y).reduce((s, x) => s + Math.abs(x), 0)
              : Array.from(y).reduce((s, x, j) => s + (x - [1, -1, 3][j]) ** 2, 0);
          const objective = (y: ArrayLike<number>): number =>
            eta * own(y) + Array.from(y).reduce((s, x, j) => s + 0.5 * (x - z[j]) ** 2, 0);
          for (let i = 0; i < 20; i++) {
            const near = out.map((x, j) =>
              Math.min(1, Math.max(-0.5, x + 10 ** (-i % 6) * random.gaussianInto(new Float64Array(3))[j])),
            );
            expect(objective(out)).toBeLessThanOrEqual(objective(near) + 1e-12);
          }
        },
      ),
      { numRuns: 50 },
    );
  });
  it('starts where the regulariser is finite', () => {
    const { enter } = compositeOf(
      problemWith({
        domain: everywhere,
        regulariser: { name: 'indicator', params: { domain: { name: 'l2-ball', params: { radius: 1 } } } },
      }),
    );
    expect([...enter(Float64Array.of(2, 0, 0))]).toEqual([1, 0, 0]);
    expect([
      ...compositeOf(problemWith({ domain: unitBox, regulariser: lasso })).enter(Float64Array.of(2, 0, -2)),
    ]).toEqual([1, 0, -0.5]);
  });
});
