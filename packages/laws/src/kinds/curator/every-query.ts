import type {
  AffordQuery,
  Batch,
  Candidates,
  GradientTerms,
  MeanQuery,
  PrivacyEvent,
  Query,
  SplitQuery,
  Statistic,
  Stream,
  Vector,
} from '@lethe/core';
import { clipTo, meanOf, noiseOf, streamOf } from './probes.js';
import { around, ball, deal, descentFor, exponential, fixedSize, oracle, poisson } from './stand-ins/index.js';
import type { World } from './world.js';

/** Columns of the records. */
export const dimension = 3;

/** A query of one kind, with what has to be asked before it, and what is asked of the curator when it was answered. */
export interface Asked<Q extends Query = Query> {
  /** Asks what the query needs; what it returns is given to `query`. */
  readonly before?: (world: World) => unknown;
  /** A new object at every call, all of whose fields can be written. */
  readonly query: (world: World, before: never) => Q;
  /** Queries about what the answer named, which lives on. */
  readonly after?: (world: World, answer: never, before: never) => readonly Query[];
}

const point = (world: World, value = 0): Vector => new Float64Array(world.data.dimension).fill(value);
const terms = (world: World): GradientTerms => ({
  terms: [
    { weight: 2, at: point(world, 0.5) },
    { weight: -1, at: point(world) },
  ],
  coordinates: Uint32Array.of(0, 2),
});
const noise = () => structuredClone(noiseOf('gaussian'));
const mean = (world: World, batch: Batch): MeanQuery =>
  structuredClone(meanOf(batch, 'gaussian', { at: point(world) }));
const overall = (world: World, batch: unknown): readonly Query[] => [mean(world, batch as Batch)];
const overEach = (world: World, batches: unknown): readonly Query[] =>
  (batches as readonly Batch[]).map((batch) => mean(world, batch));
const certified = { by: 'certificate', fact: 'lipschitz' } as const;
const released = (world: World, release: MeanQuery['release']): MeanQuery => ({
  ask: 'mean',
  of: terms(world),
  batch: { ...world.everyone },
  release,
});
const stated = (): PrivacyEvent =>
  ({
    kind: 'core/compose',
    v: 1,
    parts: [
      {
        event: {
          kind: 'core/gaussian',
          v: 1,
          sigma: 1.5,
          sensitivity: { 'replace-one': 2, 'add-remove': 1, 'zero-out': 1 },
        },
        count: 2,
      },
    ],
  } as unknown as PrivacyEvent);

// Keyed by what a query may say, so that a new kind, or a new form of one, does not compile without a line here.
const means: { readonly [By in MeanQuery['release']['by']]: Asked<MeanQuery> } = {
  noise: {
    query: (world) =>
      released(world, { by: 'noise', bound: { by: 'clip', clip: ball(0.75, 'opaque-ball') }, noise: noise() }),
  },
  oracle: {
    query: (world) => ({
      ...released(world, { by: 'oracle', oracle: oracle('gaussian', 0.75), target: { noiseMultiplier: 1.5 } }),
      of: { terms: [{ weight: 1, at: point(world) }] },
    }),
  },
  shuffle: {
    query: (world) => ({
      ...released(world, {
        by: 'shuffle',
        randomiser: { kind: 'localRandomiser', name: 'laws/teller', params: {} },
        target: { epsilon: 0.25, delta: 1e-6 },
      }),
      of: { terms: [{ weight: 2, at: point(world, 0.5) }] },
    }),
  },
};
const splitBy: {
  readonly [By in SplitQuery['parts']['by']]: (world: World) => Extract<SplitQuery['parts'], { by: By }>;
} = {
  size: () => ({ by: 'size', sizes: [2, 3] }),
  weight: () => ({ by: 'weight', weights: [0.5, 0.25] }),
  sampler: (world) => ({ by: 'sampler', sampler: { ...deal(world.everyone.size, 2), params: { parts: 2 } } }),
};
const statistics: { readonly [Of in Statistic['of']]: (world: World) => Extract<Statistic, { of: Of }> } = {
  risk: () => ({ of: 'risk' }),
  'risk-difference': (world) => ({ of: 'risk-difference', reference: point(world, 1) }),
  'gradient-norm': () => ({ of: 'gradient-norm', bound: structuredClone(clipTo()) }),
  'gradient-norm-beyond': () => ({ of: 'gradient-norm-beyond', radius: 0.5 }),
};
const candidates: { readonly [By in Candidates['by']]: (world: World) => Extract<Candidates, { by: By }> } = {
  list: (world) => ({ by: 'list', points: [point(world), point(world, 0.5), point(world, -2)] }),
  lattice: () => ({
    by: 'lattice',
    domain: { kind: 'domain', name: 'laws/around', params: { radius: 2 } },
    spacing: 1,
    sparsity: 1,
  }),
};
const value = (world: World, statistic: Statistic): Extract<Query, { ask: 'value' }> => ({
  ask: 'value',
  statistic,
  at: point(world, 0.5),
  batch: { ...world.everyone },
  noise: noise(),
});
const opened = (world: World, steps: number) => ({
  ...structuredClone(
    streamOf('gaussian', {
      steps,
      dimension: world.data.dimension,
      normaliser: world.everyone.normaliser,
      times: steps,
    }),
  ),
});
const pushed = (world: World, stream: Stream): Extract<Query, { ask: 'push' }> => ({
  ask: 'push',
  stream: { ...stream },
  of: { terms: [{ weight: 2, at: point(world, 0.5) }] },
  batch: { ...world.everyone },
});
const drawn = (world: World): Extract<Query, { ask: 'draw' }> => ({
  ask: 'draw',
  sampler: { ...poisson(0.5), params: { rate: 0.5 } },
  from: { ...world.everyone },
});

const queries: { readonly [Ask in Query['ask']]: Readonly<Record<string, Asked<Extract<Query, { ask: Ask }>>>> } = {
  draw: {
    'a draw': { query: drawn, after: overall },
    'a draw of a fixed size': {
      query: (world) => ({ ...drawn(world), sampler: { ...fixedSize(2), params: { size: 2 } } }),
      after: overall,
    },
    'a draw that states its costs': { query: (world) => ({ ...drawn(world), costs: stated() }), after: overall },
  },
  split: Object.fromEntries(
    Object.entries(splitBy).map(([by, parts]) => [
      `a split by ${by}`,
      {
        query: (world: World): SplitQuery => ({
          ask: 'split',
          of: { ...world.everyone },
          order: 'shuffled',
          parts: parts(world),
        }),
        after: overEach,
      },
    ]),
  ),
  close: {
    'the end of a scope': {
      before: (world) => world.ask(drawn(world)),
      query: (_world, batch: Batch) => ({ ask: 'close', batch: { ...batch } }),
      after: (_world, _answer, batch: Batch) => overall(_world, batch),
    },
  },
  mean: {
    ...Object.fromEntries(Object.entries(means).map(([by, asked]) => [`a mean by ${by}`, asked])),
    'a certified mean': {
      query: (world) => released(world, { by: 'noise', bound: { ...certified }, noise: noise() }),
    },
  },
  open: {
    'a stream': {
      query: (world) => opened(world, 2),
      after: (world, stream: Stream) => [pushed(world, stream), pushed(world, stream)],
    },
  },
  push: {
    'an increment': {
      before: (world) => world.ask(opened(world, 3)),
      query: pushed,
      after: (world, _answer, stream: Stream) => [pushed(world, stream)],
    },
  },
  value: Object.fromEntries(
    Object.entries(statistics).map(([of, statistic]) => [
      `a value, ${of}`,
      { query: (world: World) => value(world, statistic(world)) },
    ]),
  ),
  minimiser: {
    'a minimiser': {
      query: (world) => ({
        ask: 'minimiser',
        lambda: 0.5,
        centre: point(world),
        domain: { ...around(100), params: { radius: 100 } },
        batch: { ...world.everyone },
        solver: { ...descentFor(2), params: { iterations: 2 } },
        tolerance: 1e-6,
        bound: { ...certified },
        norm: 2,
        noise: noise(),
      }),
    },
  },
  choose: Object.fromEntries(
    Object.entries(candidates).map(([by, among]) => [
      `a choice from a ${by}`,
      {
        query: (world: World) => ({
          ask: 'choose' as const,
          candidates: among(world),
          statistic: { of: 'risk' as const },
          batch: { ...world.everyone },
          selector: structuredClone(exponential),
          target: { epsilon: 0.5 },
        }),
      },
    ]),
  ),
  select: {
    'a selection': {
      query: (world) => ({
        ask: 'select',
        base: { kind: 'optimizer', name: 'laws/none', params: {} },
        start: point(world),
        batch: { ...world.everyone },
        baseTarget: { epsilon: 1, delta: 1e-6 },
        score: { statistic: { of: 'risk' }, noise: noise() },
        stopProbability: 0.5,
        cap: 3,
      }),
    },
  },
  afford: {
    'a question what can be afforded': {
      query: (world): AffordQuery => ({ ask: 'afford', query: mean(world, { ...world.everyone }) }),
      after: (world) => overall(world, world.everyone),
    },
  },
};

/** Every kind of query, in every form it has. */
export const everyQuery: readonly (readonly [string, Asked])[] = Object.values(queries).flatMap((forms) =>
  Object.entries(forms as Readonly<Record<string, Asked>>),
);
