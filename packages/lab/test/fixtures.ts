import type { Interval, PrivacyEvent } from '@lethe/core';
import type {
  BoundPoint,
  Cell,
  EvaluationResult,
  ProblemResult,
  ReleaseResult,
} from '../src/experiment/results.js';
import type { Profile } from '../src/profile/profile.js';
import type { BudgetSpec, Evaluation, Release, SampledSpec } from '../src/experiment/schema.js';
import { spreadOf } from '../src/run/spread.js';

/** Results that look like those of the main job, made without running it. Any part may be replaced. */
export interface FakeShape {
  readonly title?: string;
  readonly optimizers?: readonly string[];
  readonly budgets?: readonly BudgetSpec[];
  readonly sizes?: readonly number[];
  readonly seeds?: number;
  readonly problems?: readonly { readonly name: string; readonly title: string; readonly start: number }[];
  readonly explicit?: boolean;
  /** The settings with most records get profiles. */
  readonly profiles?: boolean;
  /** Replaces the excess risk that was made up. */
  readonly excess?: (
    made: number,
    place: {
      readonly optimizer: string;
      readonly n: number;
      readonly epsilon: number;
      readonly seed: number;
    },
  ) => number;
}

const dpSgdEvent: PrivacyEvent = {
  kind: 'core/compose',
  v: 1,
  parts: [
    {
      count: 300,
      event: {
        kind: 'core/sampled',
        v: 1,
        sampler: { kind: 'core/poisson', rate: 0.01 },
        event: {
          kind: 'core/gaussian',
          v: 1,
          sigma: 1.2345,
          sensitivity: { 'replace-one': 1, 'add-remove': 0.5 },
        },
      },
    },
  ],
} as PrivacyEvent;
const onePassEvent: PrivacyEvent = {
  kind: 'core/parallel',
  v: 1,
  parts: [{ kind: 'core/gaussian', v: 1, sigma: 5.4321, sensitivity: { 'replace-one': 1 } }],
} as PrivacyEvent;

const interval = (epsilon: number): Interval => ({
  lower: epsilon * 0.993,
  upper: epsilon * 0.99999,
  certificate: 'certified',
  method: 'rdp',
  assumptions: ['real-arithmetic'],
});
/** δ at ε of Gaussian noise, roughly; from below it is known to a factor. */
export const fakeProfile = (scale = 1): Profile => ({
  v: 1,
  methods: ['pld'],
  points: Array.from({ length: 21 }, (_, i) => ({
    epsilon: Number(((scale * i) / 10).toPrecision(6)),
    lower: i === 20 ? 0 : 0.3 * 0.5 * Math.exp(-((i / 3) ** 2) / 2),
    upper: 0.5 * Math.exp(-((i / 3) ** 2) / 2),
  })),
});
const usualBudgets: readonly BudgetSpec[] = [
  { epsilon: 0.5, delta: 1e-7 },
  { epsilon: 1, delta: 1e-7 },
  { epsilon: 4, delta: 1e-7 },
];
const facts: ProblemResult['facts'] = {
  diameter: {
    value: 3,
    scope: 'every-record',
    provenance: 'from-domain',
    why: "diameter of the domain 'l2-ball'",
  },
  'gradientMoment.4': {
    value: 21.2,
    scope: 'population',
    provenance: 'declared',
    why: 'rows have norm at most √7 and the fourth moment of the delay is taken to be below (120 minutes)⁴',
  },
};
const problemSpec = (name: string, title: string): SampledSpec =>
  ({
    name,
    title,
    data: {
      package: 'vega-datasets/data/flights-3m.parquet',
      shuffle: 1,
      design: {
        features: [{ column: 'distance', encoding: 'scale', lower: 0, upper: 3000 }],
        intercept: true,
        label: { column: 'delay', unit: 30 },
      },
    },
    loss: { name: 'squared', params: {} },
    domain: { name: 'l2-ball', params: { radius: 1.5 } },
    record: {},
    facts: {},
  }) as unknown as SampledSpec;

/** A number in (0, 1) that depends on everything before it; fixed for all time. */
const wobble = (...key: readonly number[]): number => {
  const x =
    Math.sin(key.reduce((sum, value, i) => sum + Math.log(value + 1.3) * (i + 1) * 12.9898, 0.7)) *
    43_758.5453;
  return x - Math.floor(x);
};

export function fakeEvaluation(shape: FakeShape = {}): EvaluationResult {
  const {
    title = 'Flight delays, learned privately',
    optimizers = ['dp-sgd', 'noisy-clipped-ac-sa'],
    budgets = usualBudgets,
    sizes = [10_000, 100_000, 1_000_000],
    seeds = 10,
  } = shape;
  const problems = shape.problems ?? [
    { name: 'delay', title: 'Linear regression of the delay, in half hours', start: 0.0521 },
    { name: 'late', title: 'Logistic regression, more than 15 minutes late or not', start: 0.0874 },
  ];
  const experiment: Evaluation = {
    lethe: 1,
    kind: 'evaluation',
    name: 'flights',
    title,
    about:
      'US domestic flights of January to June 2001. Delays have heavy tails: kurtosis about 115. ' +
      'Every bound on features is public.',
    adjacency: 'replace-one',
    problems: problems.map((problem) => problemSpec(problem.name, problem.title)),
    optimizers: optimizers.map((name) => ({
      name,
      params: { steps: 300, rate: 0.01 },
      paramsFor: {},
      trust: 'central',
      unprotected: false,
      expected: [],
    })),
    budgets: [...budgets],
    sizes: [...sizes],
    seeds: { first: 1, count: seeds },
    lowerBound: { name: 'convex', params: { constants: 'hidden' } },
    rates: [],
    vary: 'records',
    upperBounds: 'near',
  };
  return {
    kind: 'evaluation',
    label: 'simulation: no privacy',
    experiment,
    command: 'lethe run experiments/flights.yaml',
    environment: { lethe: '0.1.0', node: 'v22.0.0', platform: 'linux x64' },
    seconds: [],
    problems: problems.map((problem) =>
      fakeProblem(problem, { ...shape, optimizers, budgets, sizes, seeds }),
    ),
  };
}

function fakeProblem(
  { name, title, start }: NonNullable<FakeShape['problems']>[number],
  {
    optimizers,
    budgets,
    sizes,
    seeds,
    explicit = false,
    profiles = false,
    excess = (made) => made,
  }: FakeShape & Required<Pick<FakeShape, 'optimizers' | 'budgets' | 'sizes' | 'seeds'>>,
): ProblemResult {
  const cells = sizes.flatMap((n) =>
    optimizers.flatMap((optimizer, i) =>
      budgets.map((budget): Cell => {
        const { epsilon } = budget;
        const runs = Array.from({ length: seeds }, (_, s) => {
          const made =
            start *
            Math.min(1.4, (4e4 * (1 + 0.8 * i)) / (n * epsilon) ** (0.85 + 0.1 * i) / 20 + 0.015) *
            (0.55 + 0.9 * wobble(n, i, epsilon, s, start));
          return { seed: s + 1, excessRisk: excess(made, { optimizer, n, epsilon, seed: s + 1 }) };
        });
        return {
          optimizer,
          label: optimizer,
          budget,
          n,
          runs,
          excess: spreadOf(runs.map(({ excessRisk }) => excessRisk)),
          accounted: interval(epsilon),
          ledgerMatchesPlan: true,
          ...(profiles && n === Math.max(...sizes) && budget === budgets[0]
            ? { profile: fakeProfile(epsilon) }
            : {}),
          plan: {
            event: i === 0 ? dpSgdEvent : onePassEvent,
            utility: i === 0 ? null : { bound: 40 / Math.sqrt(n), source: 'lowy-razaviyayn, Theorem 6' },
            gradients: i === 0 ? 3 * n : n,
          },
        };
      }),
    ),
  );
  const points = sizes.flatMap((n) =>
    budgets.map(({ epsilon }): BoundPoint => ({
      n,
      epsilon,
      explicit,
      value: start * ((0.2 / Math.sqrt(n)) * 30 + 21 * (60 / (n * epsilon)) ** 0.75),
    })),
  );
  return {
    name,
    title,
    loss: name === 'late' ? 'logistic' : 'squared',
    dimension: 11,
    featureNames: ['distance', 'intercept'],
    population: 2_999_999,
    facts,
    optimum: { risk: 0.7312, point: [0.1, -0.2] },
    startExcess: start,
    dataDigest: 'ab'.repeat(32),
    cells,
    lowerBound: {
      name: 'convex',
      statement:
        'sup over the class of E F(A(X)) − F* ≥ Ω(D(r_2/√n + r_k min{1, ' +
        '(√d/(√ρ n))^((k−1)/k)})) for every ρ-zCDP A',
      source: 'lowy-razaviyayn, Theorem 7',
      points,
    },
  };
}

export function fakeRelease(change: Partial<ReleaseResult> = {}): ReleaseResult {
  const problem = problemSpec('delay', 'Linear regression of the delay, in half hours');
  const experiment: Release = {
    lethe: 1,
    kind: 'release',
    name: 'flights-release',
    title: 'One private model of flight delays',
    about: '',
    adjacency: 'replace-one',
    problem,
    optimizer: { name: 'noisy-clipped-ac-sa', params: {}, paramsFor: {}, trust: 'central' },
    budget: { epsilon: 1, delta: 1e-7 },
    weakPrivacy: false,
    limit: { epsilon: 8, delta: 1e-6 },
  };
  const features = [
    'distance',
    'cos minute-of-day',
    'sin minute-of-day',
    'minute-of-day from 04:00',
    'cos weekday',
    'sin weekday',
    'intercept',
  ];
  return {
    kind: 'release',
    label: 'release',
    experiment,
    command: 'lethe run experiments/flights-release.yaml',
    environment: { lethe: '0.1.0', node: 'v22.0.0', platform: 'linux x64' },
    run: 'flights-release-3f9a0c21bd77',
    records: 2_999_999,
    model: { featureNames: features, features, weights: features.map((_, j) => 0.31 - 0.12 * j) },
    plan: { event: onePassEvent, utility: null, gradients: 2_999_999 },
    spent: onePassEvent,
    certificate: {
      ...interval(1),
      assumptions: ['real-arithmetic', 'secure-random'],
      delta: 1e-7,
      adjacency: 'replace-one',
    },
    total: {
      event: { kind: 'core/compose', v: 1, parts: [{ count: 2, event: onePassEvent }] } as PrivacyEvent,
      interval: interval(1.4567),
      runs: ['flights-release-0011aabbccdd', 'flights-release-3f9a0c21bd77'],
    },
    profiles: { run: fakeProfile(), total: fakeProfile(1.4) },
    ledgerMatchesPlan: true,
    facts,
    ...change,
  };
}
