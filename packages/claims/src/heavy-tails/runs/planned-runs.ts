import type {
  Accountant,
  Adjacency,
  Fact,
  Optimizer,
  PrivacyEvent,
  Problem,
  Ref,
  Registry,
  Run,
} from '@lethe/core';
import { squaredDistance } from '@lethe/losses';
import { clippedMean, gaussian, l2BallDomain, l2Clip, mechanisms } from '@lethe/mechanisms';
import fc, { type Arbitrary } from 'fast-check';
import { curated, declared, prepared, type Curated, type Prepared } from '../curated.js';
import type { RunsSubject } from './subject.js';

/** The private optimizers of the paper, by their names in {@link RunsSubject}. */
export const optimizerNames = [
  'noisyClippedAcSa',
  'noisyClippedSgd',
  'noisyClippedProximalSgd',
  'noisyClippedSubgradient',
  'localizedSubgradient',
  'localizedStronglyConvex',
  'heavyTailedGradientDescent',
] as const;
export type OptimizerName = (typeof optimizerNames)[number];

/** What is known of the gradients of a risk. Moments are roots. */
export interface Law {
  /** `k`. */
  readonly order: number;
  /** `r_k`, and `r_2` over it. */
  readonly moment: number;
  readonly thinner: number;
  /** `r̃_k` over `r_k`, and `r̃_{2k}` over `r̃_k`. */
  readonly uniform: number;
  readonly growth: number;
  /** `sup ‖∇F‖` over `r_2`. */
  readonly slope: number;
  /** `β`, and `β/μ`. */
  readonly smoothness: number;
  readonly condition: number;
  /** Radius of the ball of iterates, and `‖w_0 − w*‖` over its diameter. */
  readonly radius: number;
  readonly near: number;
  /** `F(w_0) − F*`. */
  readonly gap: number;
}

/** Laws of which no two constants are alike. */
export const laws: Arbitrary<Law> = fc.record({
  order: fc.constantFrom(2, 2.5, 3, 4, 6),
  moment: fc.constantFrom(0.3, 1, 7),
  thinner: fc.constantFrom(0.9, 0.6),
  uniform: fc.constantFrom(1.25, 2),
  growth: fc.constantFrom(1.5, 3),
  slope: fc.constantFrom(0.8, 0.4),
  smoothness: fc.constantFrom(0.1, 1.3, 11),
  condition: fc.constantFrom(1, 2.5, 40),
  radius: fc.constantFrom(0.4, 1, 5),
  near: fc.constantFrom(0.35, 0.7),
  gap: fc.constantFrom(0.2, 3),
});

/** The constants of a law by their names in the paper. */
export function constantsOf({
  order: k,
  moment,
  thinner,
  uniform,
  growth,
  slope,
  smoothness,
  condition,
  radius,
  near,
  gap,
}: Law) {
  const secondMoment = (k === 2 ? 1 : thinner) * moment;
  return {
    k,
    moment,
    secondMoment,
    uniformSecondMoment: uniform * secondMoment,
    uniformMoment: uniform * moment,
    uniformDoubleMoment: growth * uniform * moment,
    lipschitz: slope * secondMoment,
    smoothness,
    convexity: smoothness / condition,
    diameter: 2 * radius,
    startDistance: near * 2 * radius,
    gap,
  };
}

/** The facts that say a law, those in `without` left out. */
function factsOf(
  law: Law,
  without: readonly string[] = [],
  longest: Scenario['longest'] = undefined,
): Problem['facts'] {
  const { k, ...own } = constantsOf(law);
  const moments = Object.fromEntries(
    Object.entries({
      'gradientMoment.2': own.secondMoment,
      [`gradientMoment.${k}`]: own.moment,
      'uniformGradientMoment.2': own.uniformSecondMoment,
      [`uniformGradientMoment.${k}`]: own.uniformMoment,
      [`uniformGradientMoment.${2 * k}`]: own.uniformDoubleMoment,
      populationLipschitz: own.lipschitz,
      populationSmoothness: own.smoothness,
      populationStrongConvexity: own.convexity,
      proximalPolyakLojasiewicz: own.convexity,
      startDistance: own.startDistance,
      startGap: own.gap,
    })
      .filter(([name]) => !without.includes(name))
      .map(([name, value]) => [name, declared(value)]),
  );
  return longest === undefined
    ? moments
    : { ...moments, lipschitz: { ...declared(longest.value), scope: longest.scope } };
}

/** How a run is planned: plain data. */
export interface Scenario {
  readonly optimizer: OptimizerName;
  readonly law: Law;
  readonly records: number;
  readonly columns: number;
  readonly adjacency: Extract<Adjacency, 'replace-one' | 'zero-out'>;
  readonly epsilon: number;
  readonly delta: number;
  readonly params: Readonly<Record<string, unknown>>;
  /** Facts that are not declared. */
  readonly without?: readonly string[];
  /** The fact `lipschitz`, where it is declared as well. */
  readonly longest?: Pick<Fact, 'value' | 'scope'> | undefined;
  /** @defaultValue the ball of the law */
  readonly domain?: Ref<'domain'>;
  readonly regulariser?: Problem['regulariser'];
  /** Whether the mean cannot be scaled to a clip norm. @defaultValue false */
  readonly isFixed?: boolean;
  /** That calibrate the noise. @defaultValue the Gaussian one */
  readonly accountants?: readonly Accountant[];
}

/** The numbers that runs of Algorithm 4 have for a phase. */
export interface PlannedPhase {
  readonly records: number;
  readonly rounds: number;
  readonly stepSize: number;
  readonly strength: number;
  readonly radius: number;
  readonly clipNorm: number;
  readonly noise: number;
  readonly bias: number;
  readonly noiseMultiplier: number;
  readonly samplingRate: number;
}

/** What the paper says of a plan, by name; of each optimizer some. */
export interface Planned {
  readonly rounds: number;
  /** Of a pass, their number; of the earlier method, which records each round has. */
  readonly batches: number | 'everyone' | 'disjoint';
  readonly batchSize: number;
  readonly clipNorm: number;
  readonly noise: number;
  readonly bias: number;
  readonly variance: number;
  readonly noiseMultiplier: number;
  readonly paperEpsilon: number;
  readonly eta: number;
  readonly stepSize: number;
  readonly strength: number;
  readonly momentOrder: number;
  readonly smoothness: number;
  readonly convexity: number | null;
  readonly diameter: number;
  readonly startDistance: number;
  readonly startGap: number;
  readonly distance: number;
  readonly meanSquaredDistance: number | null;
  readonly epsilon: number;
  readonly phases: readonly PlannedPhase[];
  readonly blocks: readonly {
    readonly records: number;
    readonly phases: number;
    readonly distance: number;
  }[];
  readonly recordsRead: number;
  readonly utility: { readonly bound: number } | null;
  readonly printedBound: number | null;
  readonly event: PrivacyEvent;
  readonly gradients: number;
  readonly expectedGradients: number;
}
export const plannedIn = ({ plan }: Run): Planned => plan as Planned;
/** The bound of a plan; `NaN` where it has none. */
export const boundOf = (run: Run): number => plannedIn(run).utility?.bound ?? Number.NaN;

/** Optimizers of one type. */
const optimizerIn = (subject: RunsSubject, name: OptimizerName): Optimizer => subject[name] as Optimizer;

/** What a scenario is prepared with. */
const preparedFor = (subject: RunsSubject, scenario: Scenario): Prepared => ({
  optimizer: optimizerIn(subject, scenario.optimizer),
  params: scenario.params,
  records: scenario.records,
  columns: scenario.columns,
  loss: squaredDistance,
  adjacency: scenario.adjacency,
  facts: factsOf(scenario.law, scenario.without, scenario.longest),
  domain: scenario.domain ?? l2BallDomain({ radius: scenario.law.radius }),
  regulariser: scenario.regulariser,
  budget: { epsilon: scenario.epsilon, delta: scenario.delta },
  accountants: scenario.accountants,
  planning: [
    scenario.isFixed === true ? { ...subject.clippedMean, scaled: () => null } : subject.clippedMean,
    ...mechanisms.filter(({ kind, name }) => !(kind === 'mean' && name === clippedMean.name)),
  ] as Registry,
});

/** Plans the run of a scenario. */
export const plannedRun = (subject: RunsSubject, scenario: Scenario): Run =>
  prepared(preparedFor(subject, scenario));

/** Plans the run of a scenario and carries it out, with the curator that ships. */
export const carriedOut = (subject: RunsSubject, scenario: Scenario): Curated =>
  curated(
    {},
    {
      ...preparedFor(subject, scenario),
      features: Array.from({ length: scenario.records }, (_, i) =>
        Array.from({ length: scenario.columns }, (_2, j) => ((((2 * i + j) * 7) % 11) - 5) / 4),
      ),
    },
  );

/** Sensitivity of a sum of vectors up to length 1. */
export const lengthsMoved = (adjacency: Scenario['adjacency']): number =>
  adjacency === 'replace-one' ? 2 : 1;

/** Parameters that a scenario of each optimizer needs, with which runs are short. */
const lengths: Readonly<Record<OptimizerName, Arbitrary<Readonly<Record<string, unknown>>>>> = {
  noisyClippedAcSa: fc.record({ rounds: fc.integer({ min: 1, max: 6 }) }),
  noisyClippedSgd: fc.record({ rounds: fc.integer({ min: 1, max: 6 }) }),
  noisyClippedProximalSgd: fc.record({ rounds: fc.integer({ min: 1, max: 6 }) }),
  noisyClippedSubgradient: fc.record({
    rounds: fc.integer({ min: 1, max: 6 }),
    stepSize: fc.constantFrom(0.1, 0.5),
    strength: fc.constantFrom(0.25, 1.5),
    clipNorm: fc.constantFrom(0.5, 3),
  }),
  localizedSubgradient: fc.record({
    mostRounds: fc.integer({ min: 1, max: 4 }),
    variant: fc.constantFrom('full-batch', 'full-batch', 'subsampled'),
  }),
  localizedStronglyConvex: fc.record({
    mostRounds: fc.integer({ min: 1, max: 4 }),
    variant: fc.constantFrom('full-batch', 'full-batch', 'subsampled'),
  }),
  heavyTailedGradientDescent: fc.record({
    rounds: fc.integer({ min: 1, max: 6 }),
    batches: fc.constantFrom('everyone', 'disjoint'),
    mean: fc.constant(clippedMean({ clip: l2Clip({ radius: 1 }), mechanism: gaussian({}) })),
  }),
};
const isOnePass = (name: OptimizerName): boolean =>
  name === 'noisyClippedAcSa' || name === 'noisyClippedSgd' || name === 'noisyClippedProximalSgd';
const isLocalized = (name: OptimizerName): boolean =>
  name === 'localizedSubgradient' || name === 'localizedStronglyConvex';

/** Scenarios of an optimizer that a curator carries out in no time. */
const scenariosOf = (optimizer: OptimizerName): Arbitrary<Scenario> =>
  fc
    .record({
      law: laws,
      records: fc.integer({ min: 16, max: 40 }),
      columns: fc.constantFrom(1, 3),
      adjacency: fc.constantFrom('replace-one', 'zero-out'),
      epsilon: fc.constantFrom(0.5, 1, 3),
      delta: fc.constantFrom(1e-3, 1e-6),
      schedule: fc.constantFrom('least-bound', 'corrected', 'printed'),
      clipNorm: fc.constantFrom(null, 0.7, 2),
      noiseMultiplier: fc.constantFrom(null, null, 0.8),
      length: lengths[optimizer],
    })
    .map(({ schedule, clipNorm, noiseMultiplier, length, ...scenario }): Scenario => {
      const isSubsampled = length['variant'] === 'subsampled';
      const own = schedule === 'least-bound' && !isOnePass(optimizer) ? 'corrected' : schedule;
      return {
        ...scenario,
        optimizer,
        adjacency: isSubsampled ? 'zero-out' : scenario.adjacency,
        params: {
          ...(isOnePass(optimizer) || isLocalized(optimizer) ? { schedule: own } : {}),
          ...(clipNorm === null ? {} : { clipNorm }),
          ...(isSubsampled ? { noiseMultiplier: 0.8 } : {}),
          ...(noiseMultiplier === null ? {} : { noiseMultiplier }),
          ...length,
        },
      };
    });
/** Scenarios of all optimizers. */
export const scenarios: Arbitrary<Scenario> = fc.constantFrom(...optimizerNames).chain(scenariosOf);
