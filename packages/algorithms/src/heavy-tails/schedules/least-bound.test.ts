import fc from 'fast-check';
import { coordinateMedianOfMeans, mechanisms } from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { describe, expect, it } from 'vitest';
import { budget, fixedCalibration, problem, publicCoins } from '../../../test/support/problems.js';
import { convexSgdSchedule } from './convex-sgd-schedule.js';
import {
  clippedMeanError,
  clippingBias,
  errorOf,
  leastBound,
  type MeanErrorAt,
  type OnePassOverrides,
  type OnePassSchedule,
  paperEpsilon,
  type ScheduleChoice,
} from './least-bound.js';
import { noisyAcSa, noisyClippedAcSa } from '../noisy-clipped-ac-sa.js';
import { noisyClippedProximalSgd } from '../noisy-clipped-proximal-sgd.js';
import { noisyClippedSgd } from '../noisy-clipped-sgd.js';
import { givenProximalSchedule, proximalPlSchedule } from './proximal-pl-schedule.js';
import { smoothConvexSchedule } from './smooth-convex-schedule.js';
import { smoothStronglyConvexSchedule } from './smooth-strongly-convex-schedule.js';
import { recursionBound, recursionCoefficients } from './strongly-convex-risk.js';
import { stochasticStepSizes } from './stochastic-step-sizes.js';

const schedules = {
  convex: smoothConvexSchedule,
  strongly: smoothStronglyConvexSchedule,
  proximal: proximalPlSchedule,
  weak: convexSgdSchedule,
};
type Facts = Parameters<typeof smoothConvexSchedule>[0] &
  Parameters<typeof smoothStronglyConvexSchedule>[0] &
  Parameters<typeof proximalPlSchedule>[0] &
  Parameters<typeof convexSgdSchedule>[0];
type Rule = (facts: Facts, schedule: ScheduleChoice, overrides: OnePassOverrides) => OnePassSchedule;
const rules = Object.entries(schedules) as readonly (readonly [string, Rule])[];

const power = (least: number, most: number): fc.Arbitrary<number> =>
  fc.integer({ min: 4 * least, max: 4 * most }).map((e) => 10 ** (e / 4));
const factsOf = (slots: fc.Arbitrary<number>): fc.Arbitrary<Facts> =>
  fc
    .record({
      slots,
      dimension: fc.constantFrom(1, 3, 20, 300),
      order: fc.constantFrom(2, 2.5, 4, 8, Infinity),
      thin: fc.constantFrom(1, 0.5, 0.1),
      epsilon: power(-2, 1),
      condition: fc.constantFrom(1, 2, 7.5, 60, 1000),
      smoothness: power(-1, 1),
      diameter: power(-2, 2),
      gap: power(-3, 2),
    })
    .map(({ thin, condition, ...facts }) => ({
      ...facts,
      moment: 1.5,
      secondMoment: 1.5 * thin,
      convexity: facts.smoothness / condition,
      startDistance: facts.diameter / 2,
    }));
const anyFacts = factsOf(fc.constantFrom(2, 3, 17, 100, 4000, 65_537, 1e6));

describe.each(rules)('least-bound: %s', (_name, rule) => {
  it('has a bound never above that of the theorem, with what is given kept', () => {
    fc.assert(
      fc.property(
        anyFacts,
        fc.record({
          rounds: fc.option(fc.integer({ min: 1, max: 40 }), { nil: undefined }),
          clipNorm: fc.option(power(-1, 2), { nil: undefined }),
        }),
        (facts, given) => {
          const most = Math.max(1, facts.slots - 1);
          const overrides = {
            ...given,
            rounds: given.rounds === undefined ? undefined : Math.min(given.rounds, most),
          };
          const least = rule(facts, 'least-bound', overrides);
          const theorem = rule(facts, 'corrected', overrides);
          expect(least.excessRisk).toBeLessThanOrEqual(theorem.excessRisk);
          expect(least.batches * least.batchSize).toBeLessThanOrEqual(facts.slots);
          if (overrides.rounds !== undefined) expect(least.rounds).toBe(theorem.rounds);
          if (given.clipNorm !== undefined) expect(least.clipNorm).toBe(given.clipNorm);
          expect(least).toMatchObject(errorOf(facts, 'corrected')(least.clipNorm, least.batchSize));
          expect(rule(facts, 'least-bound', overrides)).toEqual(least);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('is what trying every number of rounds and many clip norms finds', () => {
    fc.assert(
      fc.property(factsOf(fc.constantFrom(2, 9, 30, 70)), (facts) => {
        let brute = Infinity;
        for (let rounds = 1; rounds < facts.slots; rounds++)
          for (let i = -60; i <= 40; i++)
            brute = Math.min(
              brute,
              rule(facts, 'least-bound', { rounds, clipNorm: facts.moment * 10 ** (i / 20) }).excessRisk,
            );
        expect(rule(facts, 'least-bound', {}).excessRisk).toBeLessThanOrEqual(1.01 * brute);
      }),
      { numRuns: 6 },
    );
  });

  it('does not fall behind with more records or a larger budget', () => {
    fc.assert(
      fc.property(
        factsOf(fc.constantFrom(20, 333, 5000, 1e6)),
        fc.constantFrom(1.05, 2, 10),
        (facts, factor) => {
          const { excessRisk } = rule(facts, 'least-bound', {});
          expect(
            rule({ ...facts, slots: Math.ceil(factor * facts.slots) }, 'least-bound', {}).excessRisk,
          ).toBeLessThanOrEqual(1.01 * excessRisk);
          expect(
            rule({ ...facts, epsilon: factor * facts.epsilon }, 'least-bound', {}).excessRisk,
          ).toBeLessThanOrEqual(1.01 * excessRisk);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('keeps to the batches there may be', () => {
    fc.assert(
      fc.property(anyFacts, fc.integer({ min: 2, max: 50 }), (facts, most) => {
        const mostBatches = Math.min(most, facts.slots);
        expect(rule({ ...facts, mostBatches }, 'least-bound', {}).batches).toBeLessThanOrEqual(mostBatches);
      }),
      { numRuns: 40 },
    );
  });
});

describe('the error of Algorithm 1', () => {
  it('is Lemma 6, sharper or as printed', () => {
    const facts = { dimension: 3, order: 4, moment: 3, secondMoment: 2 };
    const at = { noise: 0.2, clipNorm: 5, batchSize: 100 };
    expect(clippedMeanError(facts, at, 'corrected').bias).toBeCloseTo(((27 / 256) * 3 ** 4) / 5 ** 3, 12);
    expect(clippedMeanError(facts, at, 'corrected').variance).toBeCloseTo(3 * 0.2 ** 2 + 4 / 100, 14);
    expect(clippedMeanError(facts, at, 'printed').bias).toBeCloseTo(3 ** 4 / (3 * 5 ** 3), 12);
    const hard = { ...at, clipNorm: 1 };
    expect(clippedMeanError(facts, hard, 'corrected').variance).toBeLessThan(
      clippedMeanError(facts, hard, 'printed').variance,
    );
    expect(clippingBias({ clipNorm: 2, order: Infinity, moment: 5, schedule: 'corrected' })).toBe(3);
    expect(paperEpsilon({ noise: 0.2 }, 5, 100)).toBeCloseTo(0.5, 14);
  });
});

describe('leastBound', () => {
  it('finds the only minimum of what has one, to many digits', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(1000, 1e6),
        power(-3, 3),
        power(-2, 2),
        power(-2, 2),
        (slots, clip, near, kink) => {
          const error: MeanErrorAt = (norm, batchSize) => ({
            noise: 0,
            bias: 0,
            variance: (norm / clip + clip / norm) / batchSize,
          });
          const forgotten = (rounds: number): number => 100 / rounds ** 2;
          const found = leastBound(
            {
              slots,
              extra: 0,
              secondMoment: clip * kink,
              error,
              clipNormNear: () => clip * near,
              boundAfter:
                (rounds) =>
                ({ variance }) =>
                  forgotten(rounds) + variance,
            },
            {},
          );
          expect(Math.log(found.clipNorm / clip)).toBeCloseTo(0, 4);
          const bound = (rounds: number): number => forgotten(rounds) + 2 / Math.floor(slots / rounds);
          expect(bound(found.rounds)).toBeLessThanOrEqual(
            1.0001 * Math.min(...Array.from({ length: 1000 }, (_, i) => bound(i + 1))),
          );
        },
      ),
      { numRuns: 30 },
    );
  });
  it('looks on both sides of r_2', () => {
    const twice = (x: number): number => Math.min((x - 0.5) ** 2, (x - 4) ** 2);
    const search = {
      slots: 9,
      extra: 0,
      boundAfter:
        () =>
        ({ variance }: { readonly variance: number }) =>
          variance,
      clipNormNear: () => 1,
    };
    for (const [deep, least] of [
      [0, 0.5],
      [1, 4],
    ] as const) {
      const error: MeanErrorAt = (norm) => ({
        noise: 0,
        bias: 0,
        variance: twice(norm) + (norm < 2.25 ? deep : 1 - deep),
      });
      for (const near of [1e-3, 1, 1e3])
        expect(
          leastBound({ ...search, secondMoment: 2.25, clipNormNear: () => near, error }, {}).clipNorm,
        ).toBeCloseTo(least, 4);
    }
  });
  it('is not held up at r_2 where a start is far from it', () => {
    const known = {
      slots: 350,
      dimension: 3,
      order: 4,
      moment: 1.5,
      secondMoment: 1.5,
      epsilon: 0.1,
      smoothness: 1,
      diameter: 1,
      startDistance: 0.5,
    };
    const { clipNorm, excessRisk } = convexSgdSchedule(known, 'least-bound', {});
    expect(clipNorm).toBeGreaterThan(1.8);
    expect(excessRisk).toBeLessThan(0.273);
  });
  it('ends where nothing matters, and where ever less clipping is ever better', () => {
    const search = {
      slots: 50,
      extra: 0,
      secondMoment: 1,
      clipNormNear: () => 1,
      boundAfter:
        () =>
        ({ variance }: { readonly variance: number }) =>
          variance,
    };
    expect(leastBound({ ...search, error: () => ({ noise: 0, bias: 0, variance: 1 }) }, {}).clipNorm).toBe(1);
    expect(
      leastBound({ ...search, error: (norm) => ({ noise: 0, bias: 0, variance: 1 / norm }) }, {}).clipNorm,
    ).toBeGreaterThan(1e6);
  });
});

describe('recursionCoefficients', () => {
  it('are the recursion, number by number', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(1, 1.5, 8, 300),
        power(-1, 1),
        fc.integer({ min: 1, max: 700 }),
        power(-1, 1),
        power(-2, 1),
        power(-2, 1),
        (condition, convexity, rounds, diameter, variance, bias) => {
          const run = { smoothness: condition * convexity, convexity, rounds, diameter, variance, bias };
          const { start, error, squares } = recursionCoefficients(run);
          expect(
            (start * diameter ** 2 + (error * 2 * bias ** 2) / convexity + squares * 2 * variance) /
              recursionBound(run, stochasticStepSizes(run)),
          ).toBeCloseTo(1, 9);
        },
      ),
    );
  });
});

describe('plans by least-bound', () => {
  const facts = {
    populationSmoothness: 4,
    populationStrongConvexity: 1,
    'gradientMoment.2': 2,
    'gradientMoment.4': 3,
    startGap: 4,
  };
  const context = { budget, calibrate: fixedCalibration(2.5).calibrate, random: publicCoins };
  const weak = { smoothness: 4, 'gradientMoment.2': 2 };

  it.each([noisyClippedAcSa, noisyClippedSgd, noisyClippedProximalSgd])(
    '$name says so, is JSON, and takes the moment with the least of the least',
    (optimizer) => {
      const planned = (params: object) =>
        optimizer.prepare({
          registry: mechanisms,
          ...context,
          problem: problem({ slots: 4000, dimension: 20, facts }),
          params,
        }).plan;
      const plan = planned({ schedule: 'least-bound' });
      expect(JSON.parse(JSON.stringify(plan))).toEqual({ ...plan, schedule: 'least-bound' });
      expect(defined(plan.utility).bound).toBeLessThan(
        defined(planned({ schedule: 'corrected' }).utility).bound,
      );
      expect(defined(plan.utility).bound).toBe(
        Math.min(
          ...[2, 4].map(
            (momentOrder) => defined(planned({ schedule: 'least-bound', momentOrder }).utility).bound,
          ),
        ),
      );
      expect(planned({ schedule: 'least-bound', rounds: 9, clipNorm: 2 })).toMatchObject({
        rounds: 9,
        clipNorm: 2,
      });
      expect(planned({})).toEqual(plan);
      expect(plan.event.kind).toBe(planned({ schedule: 'corrected' }).event.kind);
    },
  );

  it('chooses rounds of the baselines that do not clip, and of the plain average, for which no theorem does', () => {
    const known = problem({ slots: 4000, dimension: 20, facts });
    const lipschitz = { value: 6, scope: 'every-record', provenance: 'declared' } as const;
    const baseline = (schedule: ScheduleChoice) =>
      noisyAcSa.prepare({
        registry: mechanisms,
        ...context,
        problem: { ...known, facts: { ...known.facts, lipschitz } },
        params: { schedule },
      } as never).plan;
    expect(baseline('least-bound')).toMatchObject({ clipNorm: 6, bias: 0 });
    expect(defined(baseline('least-bound').utility).bound).toBeLessThan(
      defined(baseline('corrected').utility).bound,
    );
    const plain = (params: object) =>
      noisyClippedSgd.prepare({
        registry: mechanisms,
        ...context,
        problem: problem({ slots: 4000, facts: weak }),
        params,
      }).plan;
    const { utility, rounds } = plain({ schedule: 'least-bound' }) as ReturnType<typeof plain> & {
      readonly rounds: number;
    };
    expect(rounds).toBeGreaterThan(1);
    for (const given of [1, 2, 10, 100, 1000])
      expect(defined(utility).bound).toBeLessThanOrEqual(defined(plain({ rounds: given }).utility).bound);
    expect(plain({})).toEqual(plain({ schedule: 'least-bound' }));
    expect(() => plain({ schedule: 'corrected' })).toThrow(/least-bound/u);
  });

  it('leaves medians as many records as they have groups', () => {
    const { batchSize } = noisyClippedAcSa.prepare({
      registry: mechanisms,
      ...context,
      problem: problem({ slots: 1000, facts }),
      params: { schedule: 'least-bound', mean: coordinateMedianOfMeans({ limit: 1, groups: 300 }) },
    }).plan as unknown as OnePassSchedule;
    expect(batchSize).toBeGreaterThanOrEqual(300);
  });

  it('takes the least error where constants of a bound are missing', () => {
    const lacking = {
      slots: 5000,
      dimension: 20,
      order: 4,
      moment: 3,
      secondMoment: 2,
      epsilon: 1,
      lacking: 'a constant',
    };
    const squared = (norm: number): number =>
      givenProximalSchedule(lacking, 'corrected', { rounds: 10, clipNorm: norm }).excessRisk;
    const { clipNorm, excessRisk } = givenProximalSchedule(lacking, 'least-bound', { rounds: 10 });
    expect(excessRisk).toBe(squared(clipNorm));
    for (const factor of [0.3, 0.9, 1.1, 3]) expect(squared(factor * clipNorm)).toBeGreaterThan(excessRisk);
    expect(() => givenProximalSchedule(lacking, 'least-bound', {})).toThrow(/give rounds/u);
  });
});
