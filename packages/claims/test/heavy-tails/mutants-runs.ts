import {
  clippedMeanEvent,
  repeatedEvent,
  type MeanQuery,
  type Optimizer,
  type PublicPlan,
} from '@lethe/core';
import { runsSubject as shipped, type RunsSubject } from '../../src/heavy-tails/runs/subject.js';
import type { Planned } from '../../src/heavy-tails/runs/planned-runs.js';
import type { Mutant } from '../rows.js';
import {
  believing,
  every,
  facing,
  mutant,
  phased,
  posed,
  promising,
  running,
  saying,
  some,
  withParams,
  type Change,
  type Context,
  type Name,
  type Params,
} from './changed-optimizers.js';
import { composedMutants } from './mutants-composed.js';
import { listingMutants } from './mutants-listings.js';

const onePass = ['noisyClippedAcSa', 'noisyClippedSgd', 'noisyClippedProximalSgd'] as const;
const phasesToo = ['localizedSubgradient', 'localizedStronglyConvex'] as const;
const withTarget = (factor: number): Change =>
  running({
    query: (query): MeanQuery => ({
      ...query,
      target:
        'noiseMultiplier' in query.target
          ? { noiseMultiplier: factor * query.target.noiseMultiplier }
          : query.target,
    }),
  });

/** The mean that plans are made with, with another method. */
const planningMean = (change: Partial<RunsSubject['clippedMean']>): Partial<RunsSubject> => ({
  clippedMean: { ...shipped.clippedMean, ...change } as RunsSubject['clippedMean'],
});
type Sensitivity = ReturnType<RunsSubject['clippedMean']['sensitivity']>;

/** Noise of plans and of runs that is not the same. */
const noises = [
  mutant(
    74,
    'sensitivity-half',
    'plans take 1 for the 2 by which a replaced record moves a sum (L22)',
    'planned-noise',
    planningMean({
      sensitivity: (...given: Parameters<RunsSubject['clippedMean']['sensitivity']>) => {
        const whole = shipped.clippedMean.sensitivity(...given);
        return { ...whole, 'replace-one': (whole['replace-one'] ?? 0) / 2 } as Sensitivity;
      },
      // With it a curator refuses the sensitivity.
      linear: () => null,
    }),
  ),
  mutant(
    74,
    'noise-half',
    'every round has half of the planned noise',
    'planned-noise',
    every(withTarget(0.5)),
  ),
  mutant(
    74,
    'phase-noise',
    'rounds of a phase have the noise of a phase that releases once',
    'planned-noise',
    some(
      running({
        query: (query, { phases }) => {
          const [{ rounds, noiseMultiplier }] = phases;
          return { ...query, target: { noiseMultiplier: noiseMultiplier / Math.sqrt(rounds) } };
        },
      }),
      ...phasesToo,
    ),
  ),
  ...([2, 4] as const).flatMap((factor) => [
    mutant(
      74,
      `said-noise-${factor}`,
      `σ of a pass is said to be ${factor} times smaller`,
      'planned-noise',
      some(
        saying(({ noise }) => ({ noise: noise / factor })),
        ...onePass,
        'noisyClippedSubgradient',
      ),
    ),
    mutant(
      74,
      `said-phase-noise-${factor}`,
      `σ_i is said to be ${factor} times smaller`,
      'planned-noise',
      some(
        phased(({ noise }) => ({ noise: noise / factor })),
        ...phasesToo,
      ),
    ),
    mutant(
      74,
      `said-clip-${factor}`,
      `C is said to be ${factor} times larger`,
      'planned-noise',
      every(saying(({ clipNorm }) => ({ clipNorm: factor * clipNorm }))),
    ),
  ]),
  mutant(
    74,
    'batch',
    'noise is for a batch of n records',
    'planned-noise',
    some(
      saying(({ noise, rounds }) => ({ noise: noise / (rounds + 1) })),
      ...onePass,
    ),
  ),
];

const gaussians = (multiplier: number, count: number, { problem: { adjacency } }: Context) =>
  repeatedEvent(clippedMeanEvent(multiplier, adjacency), Math.max(1, count));
const eventOf = (
  of: (plan: Planned, context: Context) => readonly [multiplier: number, count: number],
): Change => saying((plan, context) => ({ event: gaussians(...of(plan, context), context) }));

/** Events of plans that forget or add a factor. */
const events = [
  mutant(
    75,
    'rounds',
    'the event of full passes is that of one',
    'planned-event',
    some(
      eventOf(({ noiseMultiplier }) => [noiseMultiplier, 1]),
      'noisyClippedSubgradient',
    ),
  ),
  mutant(
    75,
    'half-rounds',
    'the event of full passes has half of the rounds',
    'planned-event',
    some(
      eventOf(({ noiseMultiplier, rounds }) => [noiseMultiplier, Math.floor(rounds / 2)]),
      'noisyClippedSubgradient',
      'heavyTailedGradientDescent',
    ),
  ),
  mutant(
    75,
    'phase-rounds',
    'the event of a phase forgets its T_i rounds (L40)',
    'planned-event',
    some(
      eventOf(({ phases }) => [phases[0].noiseMultiplier, 1]),
      ...phasesToo,
    ),
  ),
  mutant(
    75,
    'all-phases',
    'phases on disjoint records add up',
    'planned-event',
    some(
      eventOf(({ phases }) => [
        phases[0].noiseMultiplier,
        phases.reduce((sum, { rounds }) => sum + rounds, 0),
      ]),
      ...phasesToo,
    ),
  ),
  mutant(
    75,
    'all-batches',
    'disjoint batches of a pass add up',
    'planned-event',
    some(
      eventOf(({ noiseMultiplier, rounds }) => [noiseMultiplier, rounds + 1]),
      ...onePass,
    ),
  ),
  ...[2, 4].map((factor) =>
    mutant(
      75,
      `multiplier-${factor}`,
      `the event has ${factor} times the noise multiplier`,
      'planned-event',
      some(
        eventOf(({ noiseMultiplier }) => [factor * noiseMultiplier, 1]),
        ...onePass,
      ),
    ),
  ),
  mutant(
    75,
    'adjacency',
    'under zero-out the event is that of a replaced record',
    'planned-event',
    some(
      saying((plan, { problem, ...rest }) => ({
        event: gaussians(plan.noiseMultiplier / 2, 1, {
          ...rest,
          problem: { ...problem, adjacency: 'zero-out' },
        }),
      })),
      ...onePass,
    ),
  ),
  mutant(
    75,
    'budget',
    'noise is calibrated to twice the ε',
    'planned-event',
    every(posed(({ budget }) => ({ budget: { ...budget, epsilon: 2 * (budget.epsilon as number) } }))),
  ),
  mutant(
    75,
    'delta',
    'noise is calibrated to four times the δ',
    'planned-event',
    every(posed(({ budget }) => ({ budget: { ...budget, delta: 4 * (budget.delta as number) } }))),
  ),
  mutant(
    75,
    'paper-epsilon',
    'the paper’s ε is √ρ, not √(2ρ)',
    'planned-event',
    some(
      saying(({ paperEpsilon }) => ({ paperEpsilon: paperEpsilon / Math.SQRT2 })),
      ...onePass,
    ),
  ),
  mutant(
    75,
    'gradients',
    'the gradients of one round are counted twice',
    'planned-event',
    every(saying(({ gradients }) => ({ gradients: gradients + 1 }))),
  ),
];

/** Sum over phases of one term of their bound. */
const summed = ({ phases }: Planned, term: (phase: Planned['phases'][number]) => number): number =>
  phases.reduce((sum, phase) => sum + term(phase), 0);
const secondMomentIn = ({ problem }: Context): number => problem.facts['gradientMoment.2'].value;

/** Numbers of plans that are off by 2 or 4, or forget something. */
const factors = [
  mutant(
    76,
    'bias-quarter',
    'the bias bound of every plan is a quarter (L36)',
    'planned-constants',
    planningMean({
      biasBound: (...given: Parameters<RunsSubject['clippedMean']['biasBound']>) =>
        (shipped.clippedMean.biasBound(...given) ?? 0) / 4,
    }),
  ),
  mutant(
    76,
    'variance-half',
    'the variance bound of every plan is half',
    'planned-constants',
    planningMean({
      varianceBound: (...given: Parameters<RunsSubject['clippedMean']['varianceBound']>) =>
        (shipped.clippedMean.varianceBound(...given) ?? 0) / 2,
    }),
  ),
  mutant(
    76,
    'stability-quarter',
    'the term of Proposition 40 in Theorem 41 is a quarter (L28)',
    'planned-constants',
    some(
      promising((bound, plan, context) => {
        const term = summed(
          plan,
          ({ strength, records }) => (2 * secondMomentIn(context) ** 2) / (strength * records),
        );
        return bound - (3 / 4) * term;
      }),
      'localizedSubgradient',
    ),
  ),
  mutant(
    76,
    'last-term',
    'the term L√V_l of Theorem 41 is dropped (L29)',
    'planned-constants',
    some(
      promising((bound, { phases }, { problem }) => {
        const { radius, stepSize, strength } = phases[phases.length - 1];
        const lipschitz = problem.facts['populationLipschitz'].value;
        return (
          bound -
          lipschitz * Math.min(radius, 2 * problem.facts['startDistance'].value, 1 / strength, stepSize)
        );
      }),
      'localizedSubgradient',
    ),
  ),
  mutant(
    76,
    'eta-hundred',
    'η of the schedule least-bound is a hundred times larger (L32)',
    'planned-constants',
    some(
      saying(({ eta }) => ({ eta: 100 * eta })),
      'noisyClippedAcSa',
    ),
  ),
  mutant(
    76,
    'no-search',
    'the schedule least-bound does not search (L33)',
    'planned-constants',
    some(
      withParams(({ schedule = 'least-bound' }) =>
        schedule === 'least-bound' ? { schedule: 'corrected' } : {},
      ),
      ...onePass,
    ),
  ),
  mutant(
    76,
    'step-double',
    'steps of Algorithm 8 are 1/β (L20)',
    'planned-constants',
    some(
      saying(({ stepSize }) => ({ stepSize: 2 * stepSize })),
      'noisyClippedProximalSgd',
    ),
  ),
  ...[2, 4].flatMap((factor) => [
    mutant(
      76,
      `bound-${factor}`,
      `every bound is ${factor} times smaller`,
      'planned-constants',
      every(promising((bound) => bound / factor)),
    ),
    mutant(
      76,
      `rounds-${factor}`,
      `T of Theorems 31, 34 and 48 is ${factor} times larger`,
      'planned-constants',
      some(
        saying(({ rounds }) => ({ rounds: factor * rounds })),
        ...onePass,
      ),
    ),
    mutant(
      76,
      `radius-${factor}`,
      `D_i is ${factor} times smaller`,
      'planned-constants',
      some(
        phased(({ radius }) => ({ radius: radius / factor })),
        ...phasesToo,
      ),
    ),
    mutant(
      76,
      `strength-${factor}`,
      `λ_i is ${factor} times larger`,
      'planned-constants',
      some(
        phased(({ strength }) => ({ strength: factor * strength })),
        ...phasesToo,
      ),
    ),
    mutant(
      76,
      `phase-rounds-${factor}`,
      `T_i is ${factor} times larger`,
      'planned-constants',
      some(
        phased(({ rounds }) => ({ rounds: factor * rounds })),
        ...phasesToo,
      ),
    ),
  ]),
  mutant(
    76,
    'half-rounds',
    'T_i is half of what Lemma 14 asks for, as printed (R6)',
    'planned-constants',
    some(
      phased(({ rounds }) => ({ rounds: Math.ceil(rounds / 2) })),
      ...phasesToo,
    ),
  ),
  mutant(
    76,
    'step-of-phase',
    'η_i is 2⁻ⁱη',
    'planned-constants',
    some(
      saying(({ phases }) => ({
        phases: phases.map((phase, i) => ({ ...phase, stepSize: 2 ** (i + 1) * phase.stepSize })),
      })),
      'localizedSubgradient',
    ),
  ),
  mutant(
    76,
    'blocks-shrink',
    'blocks halve, as printed (R31)',
    'planned-constants',
    some(
      saying(({ blocks }) => ({ blocks: blocks.toReversed() })),
      'localizedStronglyConvex',
    ),
  ),
  mutant(
    76,
    'printed-bound-half',
    'the printed bound is that with half of its first term',
    'planned-constants',
    some(
      saying(({ utility }) => ({ printedBound: utility?.bound ?? null })),
      'noisyClippedAcSa',
    ),
  ),
];

/** Half of the noise of a mean that cannot be scaled. */
const fixed = [
  mutant(
    76,
    'fixed-mean',
    'the paper’s ε of a mean that cannot be scaled forgets the 2 of a replaced record (L22)',
    'planned-constants',
    some(
      saying(({ epsilon }, { params }) =>
        (params as Params)['mean'] === undefined ? {} : { epsilon: 2 * epsilon },
      ),
      'localizedSubgradient',
    ),
  ),
];

/** Moments and constants of the wrong order, or of the wrong kind. */
const believed = (
  name: string,
  title: string,
  change: Parameters<typeof believing>[0],
  of: readonly Name[] = [...onePass, ...phasesToo, 'noisyClippedSubgradient', 'heavyTailedGradientDescent'],
) => mutant(76, name, title, 'planned-constants', some(believing(change), ...of));
const isMoment = (fact: string): boolean => fact === 'gradientMoment' || fact === 'uniformGradientMoment';

const orders = [
  believed('power', 'a moment is taken for its root', (fact, value, order) =>
    isMoment(fact) ? value ** order : value,
  ),
  believed('square', 'r_2² is taken for r_2', (fact, value, order) =>
    fact === 'gradientMoment' && order === 2 ? value ** 2 : value,
  ),
  believed(
    'variance-moment',
    'r_k stands where r_2 does',
    (fact, value, order) => (fact === 'gradientMoment' && order === 2 ? null : value),
    onePass,
  ),
  believed(
    'uniform-for-double',
    'r̃_k stands where r̃_{2k} does',
    (fact, value, order) => (fact === 'uniformGradientMoment' && order > 2 ? value / 1.5 : value),
    phasesToo,
  ),
  believed(
    'pointwise-for-uniform',
    'r_k stands where r̃_k does',
    (fact, value) => (fact === 'uniformGradientMoment' ? value / 1.25 : value),
    phasesToo,
  ),
  believed(
    'slope',
    'L is r_2 where a smaller one is declared',
    (fact, value) => (fact === 'populationLipschitz' ? null : value),
    [...phasesToo, 'noisyClippedSubgradient', 'heavyTailedGradientDescent'],
  ),
  believed(
    'start-for-diameter',
    'the diameter stands where the distance of the start does',
    (fact, value) => (fact === 'startDistance' ? null : value),
    ['noisyClippedSgd', 'localizedSubgradient', 'noisyClippedSubgradient'],
  ),
  mutant(
    76,
    'distance-for-diameter',
    'the distance of the start stands where the diameter does (R45)',
    'planned-constants',
    some(
      facing(({ facts, domain }) => ({
        domain: { ...domain, params: { radius: facts['startDistance'].value / 2 } },
      })),
      'noisyClippedAcSa',
    ),
  ),
  believed(
    'condition',
    'μ is β',
    (fact, value) => (fact === 'populationStrongConvexity' ? value * 0.5 : value),
    ['noisyClippedSgd', 'localizedStronglyConvex', 'heavyTailedGradientDescent'],
  ),
  believed(
    'smoothness-half',
    'β is half of what is declared',
    (fact, value) => (fact === 'populationSmoothness' ? value / 2 : value),
    ['noisyClippedAcSa'],
  ),
  believed(
    'gap-double',
    'Δ is twice what is declared',
    (fact, value) => (fact === 'startGap' || fact === 'populationLipschitz' ? 2 * value : value),
    ['noisyClippedProximalSgd'],
  ),
  mutant(
    76,
    'order-half',
    'the plan is for moments of order 2, whatever is asked for',
    'planned-constants',
    some(
      withParams(({ momentOrder }) => (momentOrder === undefined ? {} : { momentOrder: 2 })),
      ...onePass,
    ),
  ),
  mutant(
    76,
    'least-moment',
    'of several moments the first is taken, not the one with the least bound',
    'planned-constants',
    some(
      withParams(({ momentOrder = 2 }) => ({ momentOrder })),
      ...onePass,
    ),
  ),
];

/** Bounds that exact risks refute. */
const bounds = [
  ...([2, 4] as const).map((factor) =>
    mutant(
      77,
      `bound-${factor}`,
      `every bound is ${factor} times smaller`,
      'planned-bound',
      every(promising((bound) => bound / factor)),
    ),
  ),
  mutant(
    77,
    'bound-double',
    'bounds are twice as large as is proved',
    'planned-bound',
    every(promising((bound) => 2 * bound)),
  ),
  mutant(
    77,
    'bias-dropped',
    'the bound of Algorithm 2 forgets BD',
    'planned-bound',
    some(
      promising((bound, { bias, diameter }) => bound - bias * diameter),
      'noisyClippedAcSa',
    ),
  ),
  mutant(
    77,
    'bias-at-the-start',
    'BD has the distance of the start for D (R45)',
    'planned-bound',
    some(
      promising(
        (bound, { bias, diameter }, { problem }) =>
          bound - bias * (diameter - (problem.facts['startDistance'].value % diameter)),
      ),
      'noisyClippedAcSa',
    ),
  ),
  mutant(
    77,
    'proximal-bias',
    'the bound of Algorithm 8 forgets the bias',
    'planned-bound',
    some(
      promising((bound, { bias, convexity }) => bound - bias ** 2 / (2 * (convexity ?? 1)) / 2),
      'noisyClippedProximalSgd',
    ),
  ),
  mutant(
    77,
    'start',
    'the bound of Algorithm 6 forgets half of the start',
    'planned-bound',
    some(
      promising(
        (bound, { stepSize, rounds, startDistance }) =>
          bound - startDistance ** 2 / (4 * stepSize * (rounds + 1)),
      ),
      'noisyClippedSgd',
    ),
  ),
];

/** A bound that is off by a power of `n`, without being off at the least `n`. */
const growing = (power: number, of: Name): object =>
  some(
    promising((bound, _plan, { problem }) => bound * (problem.slots[0] / 256) ** power),
    of,
  );
/** A bound of the shipped lower bounds, changed. */
const lowered = (
  name: 'convexLowerBound' | 'stronglyConvexLowerBound',
  change: (terms: Readonly<Record<string, number>>) => { readonly value?: number; readonly terms?: object },
): Partial<RunsSubject> => ({
  [name]: {
    ...shipped[name],
    evaluate: (params: never) => {
      const found = shipped[name].evaluate(params);
      return { ...found, ...change(found.terms) };
    },
  },
});
const valueOf = (terms: Readonly<Record<string, number>>): number =>
  Math.max(terms['nonPrivate'], terms['private']);

/** Conclusions that do not follow. */
const concluded = [
  mutant(
    85,
    'slower',
    'the bound falls as n^(−0.4)',
    'smooth-convex-conclusion',
    growing(0.1, 'noisyClippedAcSa'),
  ),
  mutant(
    85,
    'faster',
    'the bound falls as n^(−0.7)',
    'smooth-convex-conclusion',
    growing(-0.2, 'noisyClippedAcSa'),
  ),
  mutant(
    86,
    'slower',
    'the bound has n^0.4 more',
    'strongly-convex-conclusion',
    growing(0.4, 'noisyClippedSgd'),
  ),
  mutant(
    87,
    'slower',
    'the bound has n^0.2 more',
    'proximal-pl-conclusion',
    growing(0.2, 'noisyClippedProximalSgd'),
  ),
  mutant(
    88,
    'slower',
    'the bound has n^0.25 more',
    'localized-conclusion',
    growing(0.25, 'localizedSubgradient'),
  ),
  mutant(
    88,
    'faster',
    'the bound has n^0.3 less',
    'localized-conclusion',
    growing(-0.3, 'localizedSubgradient'),
  ),
  mutant(
    88,
    'moment',
    'the phases are for r̃_{2k}² in place of r̃_{2k}',
    'localized-conclusion',
    some(
      believing((fact, value, order) =>
        fact === 'uniformGradientMoment' && order > 2 ? value ** 2 * 3 : value,
      ),
      'localizedSubgradient',
    ),
  ),
  mutant(89, 'slower', 'the bound has √n more', 'blocks-conclusion', growing(0.5, 'localizedStronglyConvex')),
  mutant(
    90,
    'all-records',
    'the subsampled variant takes all records',
    'subsampled-conclusion',
    some(
      withParams(() => ({ variant: 'full-batch' })),
      'localizedSubgradient',
    ),
  ),
  mutant(
    90,
    'noise',
    'draws have twice the noise that they need',
    'subsampled-conclusion',
    some(
      phased(({ noise, samplingRate }) => ({ noise: samplingRate < 1 ? 2 * noise : noise })),
      'localizedSubgradient',
    ),
  ),
  mutant(
    91,
    'quadruple',
    'the convex bound is four times its larger term',
    'convex-lower-conclusion',
    lowered('convexLowerBound', (terms) => ({ value: 4 * valueOf(terms) })),
  ),
  mutant(
    91,
    'terms',
    'the convex terms are 1.4 times as large',
    'convex-lower-conclusion',
    lowered('convexLowerBound', ({ nonPrivate, ...terms }) => ({
      value: Math.max(1.4 * nonPrivate, terms['private']),
      terms: { ...terms, nonPrivate: 1.4 * nonPrivate },
    })),
  ),
  mutant(
    91,
    'private',
    'the private term is five times as large',
    'convex-lower-conclusion',
    lowered('convexLowerBound', ({ nonPrivate, ...terms }) => ({
      value: Math.max(nonPrivate, 5 * terms['private']),
      terms: { nonPrivate, private: 5 * terms['private'] },
    })),
  ),
  mutant(
    92,
    'quadruple',
    'the strongly convex bound is four times its larger term (L26)',
    'strongly-convex-lower-conclusion',
    lowered('stronglyConvexLowerBound', (terms) => ({ value: 4 * valueOf(terms) })),
  ),
  mutant(
    92,
    'sum',
    'the strongly convex bound is the sum of its terms',
    'strongly-convex-lower-conclusion',
    lowered('stronglyConvexLowerBound', (terms) => ({ value: terms['nonPrivate'] + terms['private'] })),
  ),
  mutant(
    92,
    'private',
    'the private term is five times as large',
    'strongly-convex-lower-conclusion',
    lowered('stronglyConvexLowerBound', ({ nonPrivate, ...terms }) => ({
      value: Math.max(nonPrivate, 5 * terms['private']),
      terms: { nonPrivate, private: 5 * terms['private'] },
    })),
  ),
];

/** A plan with the numbers of both forms. */
type Compared = PublicPlan & { readonly compared: Readonly<Record<string, number>> };

/** What the rows of plans, runs and conclusions must not pass. */
export const runsMutants: readonly Mutant<RunsSubject>[] = [
  ...noises,
  ...events,
  ...factors,
  ...fixed,
  ...orders,
  ...bounds,
  ...listingMutants,
  ...concluded,
  ...composedMutants,
  mutant(94, 'twice', 'the number of a form is twice as large', 'form-of-rounds', {
    clippedAcSa: saying((plan) => ({
      compared: Object.fromEntries(
        Object.entries((plan as PublicPlan as Compared).compared).map(([form, number]) => [form, 2 * number]),
      ),
    }))(shipped.clippedAcSa as unknown as Optimizer),
  }),
];
