import {
  clippedMeanEvent,
  coordinateFact,
  repeatedEvent,
  seededRandom,
  type Answer,
  type Drawn,
  type MeanQuery,
  type Optimizer,
  type Program,
  type Query,
  type RandomSource,
  type Sketch,
  type Vector,
} from '@lethe/core';
import { componentSmoothness } from '@lethe/curator';
import { clippedMean, gaussian, l2Clip } from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { coordinateDescentSubject as shipped, type CoordinateDescentSubject } from '../../src/index.js';
import { plannedIn, type Planned } from '../../src/coordinate-descent/planned-runs.js';
import type { Mutant } from '../rows.js';

const mutant = (
  row: number,
  name: string,
  title: string,
  killedBy: string,
  subject: object,
): Mutant<CoordinateDescentSubject> => ({
  id: `row-${row}/${name}`,
  title,
  row,
  killedBy: `maranjyan/${killedBy}`,
  subject: subject as Partial<CoordinateDescentSubject>,
});

type Context = Parameters<Optimizer['prepare']>[0];
type Params = Readonly<Record<string, unknown>>;
type Change = (optimizer: Optimizer) => Optimizer;
const paramsOf = ({ params }: Context): Params => params as Params;

/** The three private optimizers, each with the same mistake. */
const every = (change: Change) => ({
  dpSkgd: change(shipped.dpSkgd as unknown as Optimizer),
  dpCd: change(shipped.dpCd as unknown as Optimizer),
  noisyGradientDescent: change(shipped.noisyGradientDescent as unknown as Optimizer),
});

/** Plans and runs for another context. */
const posed =
  (change: (context: Context, optimizer: Optimizer) => Partial<Context>): Change =>
  (optimizer) => ({
    ...optimizer,
    prepare: (context) => optimizer.prepare({ ...context, ...change(context, optimizer) }),
  });
const withParams = (change: (context: Context, optimizer: Optimizer) => Params): Change =>
  posed((context, optimizer) => ({ params: { ...paramsOf(context), ...change(context, optimizer) } }));
/** Another problem. */
const facing = (change: (problem: Context['problem']) => Partial<Context['problem']>): Change =>
  posed(({ problem }) => ({ problem: { ...problem, ...change(problem) } }));

/** Runs as it should, and says something else. */
const saying =
  (change: (plan: Planned, context: Context) => object): Change =>
  (optimizer) => ({
    ...optimizer,
    prepare(context) {
      const run = optimizer.prepare(context);
      return { ...run, plan: { ...run.plan, ...change(plannedIn(run), context) } };
    },
  });

interface Alteration {
  readonly query?: (query: MeanQuery, plan: Planned) => MeanQuery;
  readonly answer?: (answer: Vector, query: MeanQuery) => Vector;
  readonly output?: (output: Vector) => Vector;
}
/** Plans as it should, and asks or moves otherwise. */
const running =
  ({ query = (asked) => asked, answer = (given) => given, output = (end) => end }: Alteration): Change =>
  (optimizer) => ({
    ...optimizer,
    prepare(context) {
      const run = optimizer.prepare(context);
      return {
        ...run,
        *steps(options): Program<Vector> {
          const steps = run.steps(options);
          for (let next = steps.next(); ;) {
            if (next.done === true) return output(next.value);
            const asked: Query = next.value;
            if (asked.ask !== 'mean') {
              next = steps.next(yield asked);
              continue;
            }
            const given = yield query(asked, plannedIn(run));
            next = steps.next(answer(given as Vector, asked) as Answer);
          }
        },
      };
    },
  });

const scaledBy =
  (factor: number) =>
  (vector: Vector): Vector =>
    vector.map((entry) => entry * factor);
const noiseOf = ({ stepNoise, riskNoise }: Planned): number => (stepNoise + riskNoise) / 2;
/** The plan's bound of one round, with other terms. */
const bounded = (change: (plan: Planned, bound: number) => number): Change =>
  saying((plan) => ({
    utility: plan.utility === null ? null : { ...plan.utility, bound: change(plan, plan.utility.bound) },
  }));
const withConstants = (change: (constants: Planned['constants']) => Partial<Planned['constants']>): Change =>
  saying(({ constants }) => ({ constants: { ...constants, ...change(constants) } }));
const withReach = (change: (schedule: Planned['schedule']) => Partial<Planned['schedule']>): Change =>
  saying(({ schedule }) => ({ schedule: { ...schedule, ...change(schedule) } }));
const halfOf = (value: number | null): number | null => (value === null ? null : value / 2);
const rootOf = (value: number | null): number | null => (value === null ? null : Math.sqrt(value));

/** The event of other releases than those of a run. */
const withEvent = (
  of: (plan: Planned) => { readonly count?: number; readonly multiplier?: number },
): Change =>
  saying((plan, { problem: { adjacency } }) => {
    const { count = plan.rounds * plan.innerSteps, multiplier = plan.noiseMultiplier } = of(plan);
    return { event: repeatedEvent(clippedMeanEvent(multiplier, adjacency), Math.max(1, count)) };
  });

/** Calibrated by the theorem for another multiplier than its own. */
const calibratedFor = (change: (plan: Planned, context: Context) => number): Change =>
  withParams((context, optimizer) =>
    paramsOf(context)['calibration'] === 'theorem'
      ? { noiseMultiplier: change(plannedIn(optimizer.prepare(context)), context) }
      : {},
  );

/** Smoothness from the facts, wrongly. */
const roughly = (change: (M: Float64Array, singles: readonly number[]) => ArrayLike<number>): Change =>
  withParams(({ problem: { facts, dimension }, params }) =>
    (params as Params)['smoothness'] === undefined
      ? {
          smoothness: Array.from(
            change(
              componentSmoothness(facts, dimension),
              Array.from(
                { length: dimension },
                (_, j) => defined(coordinateFact(facts, 'coordinateSmoothness', j)).value,
              ),
            ),
          ),
        }
      : {},
  );

/** Lengths that were left to the plan, changed; `M` stays. */
const lengthened = (change: (plan: Planned) => Params): Change =>
  withParams((context, optimizer) =>
    paramsOf(context)['innerSteps'] === undefined ? change(plannedIn(optimizer.prepare(context))) : {},
  );

const wholeSpace = { domain: { kind: 'domain', name: 'whole-space', params: {} } } as const;
const isLasso = ({ regulariser }: Context['problem']): boolean => regulariser?.name === 'l1';
const strengthOf = ({ regulariser }: Context['problem']): number =>
  (regulariser?.params as { readonly strength?: number } | undefined)?.strength ?? 0;
/** One line of a listing left out or wrong, by name. */
const slips = {
  unprojected: facing(() => wholeSpace),
  'without-prox': posed(({ problem }) => {
    const { regulariser: _regulariser, ...rest } = problem;
    return isLasso(problem) ? { problem: rest } : {};
  }),
  'prox-twice': facing((problem) =>
    isLasso(problem) ? { regulariser: { name: 'l1', params: { strength: 2 * strengthOf(problem) } } } : {},
  ),
  'without-ridge': posed(({ problem, params }) => {
    const { regulariser, ...rest } = problem;
    if (regulariser?.name !== 'l2-squared') return {};
    const M = (params as Params)['smoothness'] as readonly number[];
    return {
      problem: rest,
      params: { ...(params as Params), smoothness: M.map((one) => one + strengthOf(problem)) },
    };
  }),
  doubled: running({ answer: scaledBy(2) }),
  halved: running({ answer: scaledBy(1 / 2) }),
  'one-round': withParams((context) => {
    const { rounds, innerSteps } = paramsOf(context) as { rounds: number; innerSteps: number };
    return { rounds: 1, innerSteps: rounds * innerSteps };
  }),
  'boxed-at-the-end': (optimizer: Optimizer): Optimizer => ({
    ...optimizer,
    prepare(context) {
      const { upper = Infinity } = context.problem.domain.params as { readonly upper?: number };
      const clamp = (end: Vector): Vector => end.map((x) => Math.max(-upper, Math.min(upper, x)));
      return running({ output: clamp })(optimizer).prepare({
        ...context,
        problem: { ...context.problem, ...wholeSpace },
      });
    },
  }),
} as const satisfies Readonly<Record<string, Change>>;
const slipTitles: Readonly<Record<keyof typeof slips, string>> = {
  unprojected: 'iterates are not projected',
  'without-prox': 'the proximal step is left out',
  'prox-twice': 'the proximal step has twice its length',
  'without-ridge': 'the gradient of the ridge is left out',
  doubled: 'steps are twice as long',
  halved: 'steps are half as long',
  'one-round': 'no round begins at an average',
  'boxed-at-the-end': 'only the output is projected',
};
const listings = [
  [60, 'dpSkgd', 'listing-sketched-descent'],
  [61, 'dpCd', 'listing-coordinate-descent'],
  [62, 'noisyGradientDescent', 'listing-gradient-descent'],
] as const;
const slipped = listings.flatMap(([row, optimizer, killedBy]) =>
  (Object.keys(slips) as (keyof typeof slips)[]).map((name) =>
    mutant(row, name, slipTitles[name], killedBy, {
      [optimizer]: slips[name](shipped[optimizer] as unknown as Optimizer),
    }),
  ),
);
const skgd = shipped.skgd as unknown as Optimizer;
/** The sketch draws one set again and again. */
const stale = {
  ...shipped.singleCoordinate,
  draw: (params: never, dimension: number, _random: RandomSource): Drawn =>
    (shipped.singleCoordinate as Sketch).draw(params, dimension, seededRandom('always the same')),
};

type Rates = CoordinateDescentSubject['rates'];
type Setting = Parameters<Rates['full']>[0];
const withRate = (
  name: keyof Rates,
  change: (rate: ReturnType<Rates['full']>, setting: Setting) => object,
) => ({
  rates: {
    ...shipped.rates,
    [name]: (setting: Setting) => {
      const rate = shipped.rates[name](setting);
      return { ...rate, ...change(rate, setting) };
    },
  },
});

/** Formulas of a plan that are off by 2 or 4. */
const factors = [
  mutant(
    58,
    'noise-quarter',
    'N is a quarter of what it is',
    'planned-constants',
    every(saying(({ stepNoise, riskNoise }) => ({ stepNoise: stepNoise / 4, riskNoise: riskNoise / 4 }))),
  ),
  mutant(
    58,
    'noise-twice',
    'N is twice what it is',
    'planned-constants',
    every(saying(({ stepNoise }) => ({ stepNoise: 2 * stepNoise }))),
  ),
  mutant(
    58,
    'smoothness-half',
    'M is half of what bounds the Hessian',
    'planned-constants',
    every(roughly((M) => M.map((one) => one / 2))),
  ),
  mutant(
    58,
    'smoothness-twice',
    'M is twice the least that bounds the Hessian',
    'planned-constants',
    every(roughly((M) => M.map((one) => 2 * one))),
  ),
  mutant(
    58,
    'diagonal',
    'M is the diagonal of the Hessian, whatever is drawn',
    'planned-constants',
    every(roughly((_, singles) => singles)),
  ),
  mutant(
    58,
    'gap-twice',
    'Δ₀ is the squared distance, not half of it',
    'planned-constants',
    every(withReach(({ gap }) => ({ gap: gap === null ? null : 2 * gap }))),
  ),
  mutant(
    58,
    'length-twice',
    'rounds are twice as long as in the theorem',
    'planned-constants',
    every(lengthened(({ innerSteps }) => ({ innerSteps: 2 * innerSteps }))),
  ),
  mutant(
    58,
    'sketch-noise-four',
    'Σ_S² has the radius of a difference of two records',
    'planned-constants',
    every(withConstants(({ noise }) => ({ noise: 4 * noise }))),
  ),
  mutant(
    59,
    'noise-quarter',
    'the bound counts a quarter of the noise',
    'planned-bound',
    every(bounded((plan, bound) => bound - (3 / 4) * noiseOf(plan))),
  ),
  mutant(
    59,
    'noise-half',
    'the bound counts half of the noise',
    'planned-bound',
    every(bounded((plan, bound) => bound - noiseOf(plan) / 2)),
  ),
  mutant(
    59,
    'distance-half',
    'the bound counts half of the distance',
    'planned-bound',
    every(bounded((plan, bound) => bound - (bound - noiseOf(plan)) / 2)),
  ),
  mutant(
    59,
    'diagonal',
    'the bound is for M the diagonal of the Hessian',
    'planned-bound',
    every(roughly((_, singles) => singles)),
  ),
  mutant(
    64,
    'half-noise',
    'exact calibration gives half of the noise',
    'private-runs',
    every(
      withParams((context, optimizer) => ({
        noiseMultiplier: plannedIn(optimizer.prepare(context)).noiseMultiplier / 2,
      })),
    ),
  ),
  mutant(
    64,
    'twice-the-noise',
    'exact calibration gives twice the noise',
    'private-runs',
    every(
      withParams((context, optimizer) => ({
        noiseMultiplier: plannedIn(optimizer.prepare(context)).noiseMultiplier * 2,
      })),
    ),
  ),
  mutant(
    65,
    'printed-half',
    'the printed bound is half of what is printed',
    'convex-conclusion',
    every(saying(({ printedBound }) => ({ printedBound: halfOf(printedBound) }))),
  ),
  mutant(
    65,
    'length-four',
    'the round is four times as long as in the theorem',
    'convex-conclusion',
    every(lengthened(({ innerSteps }) => ({ innerSteps: 4 * innerSteps }))),
  ),
  mutant(
    66,
    'rounds-twice',
    'there are twice as many restarts',
    'strongly-convex-conclusion',
    every(lengthened(({ rounds, innerSteps }) => ({ rounds: 2 * rounds, innerSteps }))),
  ),
  mutant(
    66,
    'rounds-half',
    'a restart is half as long',
    'strongly-convex-conclusion',
    every(lengthened(({ rounds, innerSteps }) => ({ rounds, innerSteps: Math.ceil(innerSteps / 2) }))),
  ),
  mutant(
    67,
    'condition-half',
    'κ is half of what it is',
    'rates-of-plans',
    every(withReach(({ condition }) => ({ condition: halfOf(condition) }))),
  ),
  mutant(63, 'doubled', 'SkGD takes steps that are twice as long', 'listing-skgd', {
    skgd: running({ answer: scaledBy(2) })(skgd),
  }),
];

/** Events and calibrations that forget a factor. */
const events = [
  mutant(
    56,
    'one-round',
    'the theorem calibrates for the steps of one round',
    'planned-noise',
    every(calibratedFor(({ noiseMultiplier, rounds }) => noiseMultiplier / Math.sqrt(rounds))),
  ),
  mutant(
    56,
    'rounds-only',
    'the theorem calibrates for as many steps as there are rounds',
    'planned-noise',
    every(calibratedFor(({ noiseMultiplier, innerSteps }) => noiseMultiplier / Math.sqrt(innerSteps))),
  ),
  mutant(
    56,
    'one-record',
    'the theorem takes the sensitivity of one record, 3 for 12',
    'planned-noise',
    every(calibratedFor(({ noiseMultiplier }) => noiseMultiplier / 2)),
  ),
  mutant(
    56,
    'quieter',
    'a run asks for half of the planned noise',
    'planned-noise',
    every(
      running({
        query: (asked, { noiseMultiplier }) => ({
          ...asked,
          target: { noiseMultiplier: noiseMultiplier / 2 },
        }),
      }),
    ),
  ),
  mutant(
    57,
    'one-round',
    'the event is of the steps of one round',
    'planned-event',
    every(withEvent(({ innerSteps }) => ({ count: innerSteps }))),
  ),
  mutant(
    57,
    'rounds-only',
    'the event is of as many steps as there are rounds',
    'planned-event',
    every(withEvent(({ rounds }) => ({ count: rounds }))),
  ),
  mutant(57, 'one-step', 'the event is of one step', 'planned-event', every(withEvent(() => ({ count: 1 })))),
  mutant(
    57,
    'all-but-one',
    'the event is of all steps but the last',
    'planned-event',
    every(withEvent(({ rounds, innerSteps }) => ({ count: rounds * innerSteps - 1 }))),
  ),
  mutant(
    57,
    'multiplier-twice',
    'the event is of twice the noise',
    'planned-event',
    every(withEvent(({ noiseMultiplier }) => ({ multiplier: 2 * noiseMultiplier }))),
  ),
  mutant(
    57,
    'multiplier-root',
    'the event is of √2 times the noise',
    'planned-event',
    every(withEvent(({ noiseMultiplier }) => ({ multiplier: Math.SQRT2 * noiseMultiplier }))),
  ),
  mutant(
    57,
    'quieter',
    'a run asks for less noise than its event has',
    'planned-event',
    every(
      running({
        query: (asked, { noiseMultiplier }) => ({
          ...asked,
          target: { noiseMultiplier: 0.9 * noiseMultiplier },
        }),
      }),
    ),
  ),
  mutant(
    57,
    'gradients-of-a-round',
    'gradients are counted in one round',
    'planned-event',
    every(saying(({ gradients, rounds }) => ({ gradients: gradients / rounds }))),
  ),
  mutant(
    57,
    'mu-of-a-round',
    'μ is that of one round',
    'planned-event',
    every(
      saying(({ noise, rounds }) => ({
        noise: Object.fromEntries(
          Object.entries(noise).map(([name, one]) => [
            name,
            one === null ? null : { ...one, gaussianMu: one.gaussianMu / Math.sqrt(rounds) },
          ]),
        ),
      })),
    ),
  ),
  mutant(
    64,
    'one-round',
    'the noise is calibrated for one round',
    'private-runs',
    every(
      withParams((context, optimizer) => {
        const { noiseMultiplier, rounds } = plannedIn(optimizer.prepare(context));
        return { noiseMultiplier: noiseMultiplier / Math.sqrt(rounds) };
      }),
    ),
  ),
];

/** A norm for its square, a power too few or too many. */
const orders = [
  mutant(
    56,
    'clip-not-rooted',
    'C_U is in proportion to Σ_U M, not to its root',
    'planned-noise',
    every(
      running({
        query(asked, plan) {
          const radiusOf = ({ params }: { readonly params: unknown }): number | undefined =>
            (params as { readonly clip?: { readonly params: { readonly radius: number } } }).clip?.params
              .radius;
          const whole = radiusOf((plan as Planned & { readonly mean: { readonly params: unknown } }).mean);
          const radius = radiusOf(asked.mean);
          if (whole === undefined || radius === undefined) return asked;
          const other = l2Clip({ radius: radius ** 2 / whole });
          return { ...asked, mean: clippedMean({ clip: other, mechanism: gaussian({}) }) };
        },
      }),
    ),
  ),
  mutant(
    56,
    'epsilon-root',
    'the noise falls with √ε, not with ε',
    'planned-noise',
    every(
      calibratedFor(({ noiseMultiplier }, { budget: { epsilon } }) => noiseMultiplier * Math.sqrt(epsilon)),
    ),
  ),
  mutant(
    58,
    'distance-rooted',
    'the bound has R for R²',
    'planned-constants',
    every(
      bounded((plan, bound) => {
        const { distance } = plan.schedule;
        return bound + ((distance ?? 0) - (distance ?? 0) ** 2) / (2 * plan.innerSteps);
      }),
    ),
  ),
  mutant(
    58,
    'distance-squared',
    'R is its square, as in Section 4.2.1',
    'planned-constants',
    every(withReach(({ distance }) => ({ distance: distance === null ? null : distance ** 2 }))),
  ),
  mutant(
    58,
    'sketch-noise-rooted',
    'Σ_S for Σ_S²',
    'planned-constants',
    every(withConstants(({ noise }) => ({ noise: Math.sqrt(noise) }))),
  ),
  mutant(
    58,
    'same-noise',
    'N for N′: one power of p too few',
    'planned-constants',
    every(saying(({ stepNoise }) => ({ riskNoise: stepNoise }))),
  ),
  mutant(
    58,
    'condition-rooted',
    'κ is rooted',
    'planned-constants',
    every(withReach(({ condition }) => ({ condition: rootOf(condition) }))),
  ),
  mutant(
    58,
    'gap-rooted',
    'Δ₀ has the distance for its square',
    'planned-constants',
    every(withReach(({ gap }) => ({ gap: rootOf(gap) }))),
  ),
  mutant(
    58,
    'steepest-squared',
    'max M/p has the square of p',
    'planned-constants',
    every(withConstants(({ smoothness }) => ({ smoothness: smoothness ** 2 }))),
  ),
  mutant(
    58,
    'records-once',
    'N falls with n, not with n²',
    'planned-constants',
    every(
      saying(({ stepNoise, riskNoise }, { problem: { slots } }) => ({
        stepNoise: stepNoise * slots[0],
        riskNoise: riskNoise * slots[0],
      })),
    ),
  ),
  mutant(
    58,
    'length-squared',
    'K has R² for R',
    'planned-constants',
    every(
      lengthened(({ innerSteps, schedule: { distance } }) => ({
        innerSteps: Math.max(1, Math.round(innerSteps * (distance ?? 1))),
      })),
    ),
  ),
  mutant(
    65,
    'records-rooted',
    'the bound falls with √n',
    'convex-conclusion',
    every(
      saying(({ utility, printedBound }, { problem: { slots } }) => ({
        utility: utility === null ? null : { ...utility, bound: utility.bound / Math.sqrt(slots[0]) },
        printedBound,
      })),
    ),
  ),
  mutant(
    67,
    'not-rooted',
    'the convex rate of all coordinates has Tr M⁻¹ for its root',
    'rates-of-plans',
    withRate('full', ({ convex }, { smoothness }) => ({
      convex: convex * Math.sqrt(smoothness.reduce((sum, M) => sum + 1 / M, 0)),
    })),
  ),
  mutant(
    67,
    'not-squared',
    'the strongly convex rate by importance has ‖L‖ for its square',
    'rates-of-plans',
    withRate('coordinates-importance', ({ stronglyConvex }) => ({
      stronglyConvex: Math.sqrt(stronglyConvex),
    })),
  ),
];

/**
 * Mistakes of plans and of runs: formulas off by 2 or 4, events that forget a factor, wrong orders, listings.
 */
export const runsMutants: readonly Mutant<CoordinateDescentSubject>[] = [
  ...factors,
  ...events,
  ...orders,
  ...slipped,
  mutant(60, 'stale', 'every step draws the same set', 'listing-sketched-descent', {
    singleCoordinate: stale,
  }),
  mutant(63, 'unprojected', 'SkGD does not project', 'listing-skgd', { skgd: slips.unprojected(skgd) }),
  mutant(63, 'halved', 'SkGD takes steps that are half as long', 'listing-skgd', {
    skgd: slips.halved(skgd),
  }),
  mutant(63, 'without-ridge', 'SkGD leaves the ridge out of its steps', 'listing-skgd', {
    skgd: facing(() => ({ regulariser: { name: 'l2-squared', params: { strength: 1e-12 } } }))(skgd),
  }),
];
