import {
  adjacencies,
  type Adjacency,
  type CoreEvent,
  type CoreEventKind,
  type PrivacyEvent,
  type SamplerSpec,
  type Sensitivity,
} from '@lethe/core';
import fc, { type Arbitrary } from 'fast-check';
import { unwrapping } from './unwrapping.js';

/** Kinds of core whose events contain other events. */
export const nestingEventKinds = [
  'core/compose',
  'core/parallel',
  'core/sampled',
  'core/selection',
  'core/negative-binomial-selection',
  'core/poisson-selection',
  'core/group',
  'core/failing',
  'core/filtered',
] as const;
/** One of {@link nestingEventKinds}. */
export type NestingEventKind = (typeof nestingEventKinds)[number];
/** Any other kind of core. */
export type LeafEventKind = Exclude<CoreEventKind, NestingEventKind>;

/** Options for events. */
export interface EventShape {
  /** Kinds of the innermost events; shrinks to the first. @defaultValue every kind of core */
  readonly leaves?: readonly LeafEventKind[];
  /** Other innermost events, such as those of a plugin. @defaultValue none */
  readonly others?: readonly Arbitrary<PrivacyEvent>[];
  /** Kinds of the events around them. @defaultValue every kind of core */
  readonly nesting?: readonly NestingEventKind[];
  /** Samplers of `core/sampled`. @defaultValue every kind, for draws and partitions */
  readonly samplers?: Arbitrary<SamplerSpec>;
  /** Maximum depth of nesting. @defaultValue 3 */
  readonly depth?: number;
  /**
   * `realistic`: parameters of ordinary runs. `extreme`: also
   * the ends of the allowed ranges. @defaultValue 'extreme'
   */
  readonly parameters?: 'realistic' | 'extreme';
  /** Adjacencies with an entry in every sensitivity. @defaultValue all */
  readonly adjacencies?: readonly Adjacency[];
}

/** Values from a list, ordinary ones with three times the probability; shrinks to the first ordinary one. */
type Grid = (ordinary: readonly number[], ends: readonly number[]) => Arbitrary<number>;
const gridOf =
  (extreme: boolean): Grid =>
  (ordinary, ends) =>
    extreme && ends.length > 0
      ? fc.oneof(
          { withCrossShrink: true },
          { weight: 3, arbitrary: fc.constantFrom(...ordinary) },
          { weight: 1, arbitrary: fc.constantFrom(...ends) },
        )
      : fc.constantFrom(...ordinary);

const parametersFrom = (grid: Grid) => ({
  scale: grid([1, 2, 0.5, 0.7, 1.1, 4, 20], [5e-324, 1e-150, 1e-3, 1e6, 1e150, Number.MAX_VALUE]),
  epsilon: grid([1, 0.1, 0.5, 2, 8, 1e-3], [5e-324, 1e-17, 50, 709.8, 1e6, Number.MAX_VALUE]),
  epsilonOrZero: grid([1, 0, 0.1, 0.5, 2, 8], [5e-324, 1e-17, 50, 709.8, 1e6, Number.MAX_VALUE]),
  order: grid([2, 1.5, 8, 32], [1 + 2 ** -52, 1e6, Number.MAX_VALUE]),
  delta: grid([0, 1e-6, 1e-10, 1e-3], [5e-324, 0.5, 1 - 2 ** -53, 1]),
  probability: grid([0.5, 0.1, 0.9, 0.25], [0, 5e-324, 1e-12, 1 - 2 ** -53, 1]),
  rate: grid([0.1, 0.5, 0.01, 1e-3, 1], [5e-324, 1e-12, 1 - 2 ** -53]),
  count: grid([1, 2, 3, 10, 100, 1000], [65_537, 2 ** 31]),
});
type Parameters = ReturnType<typeof parametersFrom>;

const record = <T extends object>(fields: { readonly [K in keyof T]: Arbitrary<T[K]> }): Arbitrary<T> =>
  fc.record(fields as { [K in keyof T]: Arbitrary<T[K]> }, { noNullPrototype: true }) as Arbitrary<T>;
const eventWith = (
  kind: CoreEventKind,
  fields: Readonly<Record<string, Arbitrary<unknown>>> = {},
): Arbitrary<PrivacyEvent> =>
  record<Record<string, unknown>>(fields).map((rest) => ({ kind, v: 1, ...rest }));

/** Sensitivities of runs, with entries for at least the given adjacencies. */
export function sensitivityOf({
  parameters = 'extreme',
  adjacencies: needed = adjacencies,
}: Pick<EventShape, 'parameters' | 'adjacencies'> = {}): Arbitrary<Sensitivity> {
  const full: Arbitrary<Sensitivity> = fc.constantFrom(
    { 'replace-one': 1, 'add-remove': 1, 'zero-out': 1 },
    { 'replace-one': 2, 'add-remove': 1, 'zero-out': 1 },
    { 'replace-one': 1, 'add-remove': 0.5, 'zero-out': 0.5 },
  );
  const factor =
    parameters === 'realistic'
      ? fc.constant(1)
      : fc.oneof(
          { withCrossShrink: true },
          { weight: 4, arbitrary: fc.constant(1) },
          { weight: 1, arbitrary: fc.constantFrom(1e-3, 1e3, 1e-100, 1e100) },
        );
  const kept = fc.oneof(
    { withCrossShrink: true },
    { weight: 3, arbitrary: fc.constant<readonly Adjacency[]>(adjacencies) },
    { weight: 1, arbitrary: fc.subarray([...adjacencies]) },
  );
  return fc
    .tuple(full, factor, kept)
    .map(([base, by, keep]) =>
      Object.fromEntries(
        adjacencies
          .filter((a) => keep.includes(a) || needed.includes(a))
          .map((a) => [a, (base[a] ?? Number.NaN) * by]),
      ),
    );
}

/** Samplers of every kind; `core/poisson` first. */
export function samplerSpecOf({
  parameters = 'extreme',
}: Pick<EventShape, 'parameters'> = {}): Arbitrary<SamplerSpec> {
  const { rate } = parametersFrom(gridOf(parameters === 'extreme'));
  const fixed = fc
    .tuple(fc.constantFrom(10, 1, 2, 1000, 1_000_000), fc.constantFrom(0.5, 0.01, 1), fc.boolean())
    .map(([n, part, replacement]): SamplerSpec => ({
      kind: 'core/fixed-size',
      n,
      size: Math.max(1, Math.floor(n * part)),
      replacement,
    }));
  const partitioned = fc
    .constantFrom([2], [1], [4], [1000], [4, 2], [3, 3])
    .map(([steps, times]): SamplerSpec => ({
      kind: 'core/random-allocation',
      steps,
      ...(times !== undefined && { times }),
    }));
  const truncated = fc
    .tuple(fc.constantFrom(10, 1, 1000), rate, fc.constantFrom(1, 2, 100))
    .map(([n, value, most]): SamplerSpec => ({ kind: 'core/truncated-poisson', n, rate: value, most }));
  return fc.oneof(
    { withCrossShrink: true },
    { weight: 4, arbitrary: rate.map((value): SamplerSpec => ({ kind: 'core/poisson', rate: value })) },
    { weight: 2, arbitrary: fixed },
    { weight: 1, arbitrary: partitioned },
    { weight: 1, arbitrary: truncated },
  );
}

function leavesFrom(
  { scale, epsilon, epsilonOrZero, order, delta, probability, count }: Parameters,
  sensitivity: Arbitrary<Sensitivity>,
): Readonly<Record<LeafEventKind, Arbitrary<PrivacyEvent>>> {
  const byScale = (kind: CoreEventKind, name: 'sigma' | 'scale'): Arbitrary<PrivacyEvent> =>
    eventWith(kind, { [name]: scale, sensitivity });
  return {
    'core/gaussian': byScale('core/gaussian', 'sigma'),
    'core/laplace': byScale('core/laplace', 'scale'),
    'core/discrete-gaussian': byScale('core/discrete-gaussian', 'sigma'),
    'core/discrete-laplace': byScale('core/discrete-laplace', 'scale'),
    'core/exponential': eventWith('core/exponential', { epsilon, sensitivity }),
    'core/randomized-response': eventWith('core/randomized-response', {
      p: probability,
      categories: fc.constantFrom(2, 3, 10, 1000),
    }),
    'core/pure': eventWith('core/pure', { epsilon: epsilonOrZero }),
    'core/approximate': eventWith('core/approximate', { epsilon: epsilonOrZero, delta }),
    'core/zcdp': eventWith('core/zcdp', { rho: epsilonOrZero }),
    'core/renyi': eventWith('core/renyi', {
      orders: fc
        .uniqueArray(record({ order, divergence: epsilonOrZero }), {
          minLength: 1,
          maxLength: 3,
          selector: (at) => at.order,
          size: 'max',
        })
        .map((orders) => orders.toSorted((a, b) => a.order - b.order)),
    }),
    'core/shuffled': eventWith('core/shuffled', { epsilon: epsilonOrZero, delta, honestUsers: count }),
    'core/gaussian-mixture': eventWith('core/gaussian-mixture', {
      sigma: scale,
      shifts: fc.constantFrom([0, 1], [1, 2]),
      probabilities: fc.constantFrom([0.5, 0.5], [0.9, 0.1]),
    }),
    'core/gaussian-mixture-pair': eventWith('core/gaussian-mixture-pair', {
      sigma: scale,
      first: fc.constantFrom(
        { means: [0, 1], probabilities: [0.5, 0.5] },
        { means: [2], probabilities: [1] },
      ),
      second: fc.constantFrom(
        { means: [0, -1], probabilities: [0.9, 0.1] },
        { means: [0], probabilities: [1] },
      ),
    }),
    'core/shuffled-local': eventWith('core/shuffled-local', { epsilon: epsilonOrZero, users: count }),
    'core/prefix-sum': eventWith('core/prefix-sum', {
      sigma: scale,
      sensitivity,
      factorisation: fc.constantFrom('square-root', 'binary'),
      steps: count,
      participation: record({ times: fc.constantFrom(1, 2, 7), gap: fc.constantFrom(1, 10, 100) }),
      columnNorm: fc.constantFrom(1, 1.5, 4),
    }),
    'core/verified': eventWith('core/verified', {
      epsilon: epsilonOrZero,
      delta,
      samples: count,
      threshold: fc.constantFrom(0.5, 1e-6, 1),
    }),
    'core/free': eventWith('core/free'),
    'core/unprotected': eventWith('core/unprotected'),
  };
}

/** Every leaf kind of core, the simplest first. */
export const leafEventKinds = [
  'core/gaussian',
  'core/laplace',
  'core/pure',
  'core/zcdp',
  'core/renyi',
  'core/approximate',
  'core/discrete-gaussian',
  'core/discrete-laplace',
  'core/exponential',
  'core/randomized-response',
  'core/shuffled',
  'core/prefix-sum',
  'core/gaussian-mixture',
  'core/gaussian-mixture-pair',
  'core/shuffled-local',
  'core/verified',
  'core/free',
  'core/unprotected',
] as const satisfies readonly LeafEventKind[];

const mostParts = 3;

/**
 * Trees of events that `parseEvent` accepts, with products of counts below 2⁵³. Shrinks to few parts with
 * parameters 1, without the outer events, and to a single event of the first leaf kind.
 */
export function eventOf(shape: EventShape = {}): Arbitrary<PrivacyEvent> {
  const {
    leaves = leafEventKinds,
    others = [],
    nesting = nestingEventKinds,
    depth = 3,
    parameters = 'extreme',
    samplers = samplerSpecOf({ parameters }),
  } = shape;
  const values = parametersFrom(gridOf(parameters === 'extreme'));
  const known = leavesFrom(values, sensitivityOf(shape));
  const leaf = fc.oneof({ withCrossShrink: true }, ...leaves.map((kind) => known[kind]), ...others);
  // Keeps parts × counts exact over all levels.
  const mostRuns = Math.floor(2 ** (53 / Math.max(1, depth)) / mostParts);
  const within = (counts: readonly number[]): Arbitrary<number> =>
    fc.constantFrom(1, ...counts.filter((n) => n <= mostRuns));
  const count =
    parameters === 'extreme'
      ? within([2, 3, 10, 100, 1000, 50_000, 2 ** 24, 2 ** 31, 2 ** 51])
      : within([2, 3, 10, 100, 1000]);
  const around = (
    inner: Arbitrary<PrivacyEvent>,
  ): Readonly<Record<NestingEventKind, Arbitrary<PrivacyEvent>>> => ({
    'core/compose': eventWith('core/compose', {
      parts: fc.array(record({ event: inner, count }), { maxLength: mostParts, size: 'max' }),
    }),
    'core/parallel': eventWith('core/parallel', {
      parts: fc.array(inner, { maxLength: mostParts, size: 'max' }),
    }),
    'core/sampled': eventWith('core/sampled', { sampler: samplers, event: inner }),
    'core/selection': eventWith('core/selection', {
      base: inner,
      stopProbability: values.rate,
      cap: values.count,
    }),
    'core/negative-binomial-selection': eventWith('core/negative-binomial-selection', {
      base: inner,
      shape: fc.constantFrom(1, 0, -0.5, 3),
      stopProbability: values.rate,
    }),
    'core/poisson-selection': eventWith('core/poisson-selection', {
      base: inner,
      mean: fc.constantFrom(10, 0.5, 1000),
    }),
    'core/group': eventWith('core/group', { size: fc.constantFrom(1, 2, 5), event: inner }),
    'core/failing': eventWith('core/failing', { delta: values.delta, event: inner }),
    'core/filtered': eventWith('core/filtered', { limit: inner }),
  });
  let tree = leaf;
  for (let level = 0; level < depth && nesting.length > 0; level++) {
    const outer = around(tree);
    tree = fc.oneof(
      { withCrossShrink: true },
      { weight: nesting.length, arbitrary: leaf },
      ...nesting.map((kind) => ({ weight: 2, arbitrary: outer[kind] })),
    );
  }
  return unwrapping(tree, eventsInside);
}

/** The events one level below, in order. */
export function eventsInside(event: PrivacyEvent): readonly PrivacyEvent[] {
  const core = event as CoreEvent;
  switch (core.kind) {
    case 'core/compose':
      return core.parts.map((part) => part.event);
    case 'core/parallel':
      return core.parts;
    case 'core/sampled':
    case 'core/failing':
    case 'core/group':
      return [core.event];
    case 'core/selection':
    case 'core/negative-binomial-selection':
    case 'core/poisson-selection':
      return [core.base];
    case 'core/filtered':
      return [core.limit];
    default:
      return [];
  }
}
