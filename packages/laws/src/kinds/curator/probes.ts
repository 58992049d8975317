import type {
  Adjacency,
  Batch,
  Bound,
  GradientTerms,
  MeanQuery,
  Noise,
  OpenQuery,
  Query,
  Ref,
  Stream,
  Target,
  Vector,
} from '@lethe/core';
import type { Row } from '../../arbitraries/vectors.js';
import {
  around,
  ball,
  partition,
  descentFor,
  exactly,
  fixedSize,
  meanOfItsOwn,
  meanWithin,
  poisson,
  prefixSum,
  mechanismNamed,
  type MechanismName,
} from './stand-ins/index.js';
import type { Fixture, FixtureOptions } from './fixture.js';

/** The bound on records in these laws. */
export const radius = 0.75;
/** The noise multiplier in these laws. */
export const multiplier = 1.5;

/** Noise by the given fake mechanism. */
export const noiseOf = (name: MechanismName, target: Target = { noiseMultiplier: multiplier }): Noise => ({
  mechanism: mechanismNamed(name),
  target,
});
/** A clip to a ball. */
export const clipTo = (most = radius): Bound => ({ by: 'clip', clip: ball(most) });
/** A mean of gradients over a batch, at the origin by default. */
export const meanOf = (
  batch: Batch,
  name: MechanismName,
  {
    of,
    at,
    bound = clipTo(),
    target,
  }: { readonly of?: GradientTerms; readonly at: Vector; readonly bound?: Bound; readonly target?: Target },
): MeanQuery => ({
  ask: 'mean',
  of: of ?? { terms: [{ weight: 1, at }] },
  batch,
  mean: meanWithin(bound, mechanismNamed(name)),
  target: targetOr(target),
});
/** The same mean of a sample of its batch. */
export const meanOfSample = (query: MeanQuery, sampler: Ref<'sampler'>): MeanQuery => ({ ...query, sampler });
/**
 * The members of a batch of {@link oneHot} records, which the answer to
 * this query times the normaliser reveals under a mechanism without noise.
 */
export const membershipQuery = (batch: Batch, dimension: number): MeanQuery =>
  meanOf(batch, 'silent', { at: new Float64Array(dimension), bound: clipTo(4) });
/**
 * A stream of `steps` increments. A silent one has no noise,
 * and is released unchanged where the fixture allows that.
 */
export const streamOf = (
  name: MechanismName,
  {
    steps,
    dimension,
    normaliser,
    times = 1,
    gap = 1,
    by = 'increments',
  }: {
    readonly steps: number;
    readonly dimension: number;
    readonly normaliser: number;
    readonly times?: number;
    readonly gap?: number;
    readonly by?: 'increments' | 'prefixes';
  },
): OpenQuery => ({
  ask: 'open',
  prefixSum: prefixSum(by),
  steps,
  dimension,
  bound: clipTo(),
  noise: noiseOf(name, name === 'silent' ? { unprotected: true } : undefined),
  participation: { times, gap },
  normaliser,
});

/** A form of a release, with the sensitivity of its exact value. */
export interface Probe {
  readonly name: string;
  readonly fixture: Pick<FixtureOptions, 'loss' | 'domain' | 'outside' | 'allowUnprotected'>;
  readonly label?: (row: Row) => number;
  /** Adjacencies under which it is supported. */
  readonly under: readonly Adjacency[];
  /** The sensitivity, for a public number of slots. */
  readonly sensitivity: (adjacency: Adjacency, slots: number) => number;
  /**
   * The released numbers, {@link exactly} those of a silent
   * mechanism or a ruler; all entries have noise of one scale.
   */
  readonly release: (fixture: Fixture, name: MechanismName, target?: Target) => ArrayLike<number>;
}

const all: readonly Adjacency[] = ['replace-one', 'add-remove', 'zero-out'];
const fixed: readonly Adjacency[] = ['replace-one', 'zero-out'];
/** Sensitivity of a mean of records within `bound`. */
const average =
  (bound: number) =>
  (adjacency: Adjacency, slots: number): number =>
    ((adjacency === 'replace-one' ? 2 : 1) * bound) / slots;
/** Three steps of each slot, longer than what bounds their sum. */
const localSteps = { domain: around(100), epochs: 3, batchSize: 1, stepSize: 7 } as const;
const ones = (fixture: Fixture): Vector => new Float64Array(fixture.data.dimension).fill(1);
const origin = (fixture: Fixture): Vector => new Float64Array(fixture.data.dimension);
const targetOr = (target: Target | undefined): Target => target ?? { noiseMultiplier: multiplier };
const means = (
  bound: number,
  fixture: Probe['fixture'],
  query: (fixture: Fixture, name: MechanismName, target?: Target) => MeanQuery,
): Omit<Probe, 'name'> => ({
  fixture,
  under: all,
  sensitivity: average(bound),
  release: (here, name, target) => here.ask<Vector>(query(here, name, target)),
});
const withTarget = (target: Target | undefined): { target?: Target } =>
  target === undefined ? {} : { target };

/** Tolerance of the solver, and strength of the regulariser. */
const tolerance = 1e-9;
const lambda = 0.5;

/** The outputs of a release. For a stream, noise is added to the increments, without a mechanism. */
export const readings = ({ name: kind, release, ...probe }: Probe): Probe => ({
  ...probe,
  name: kind,
  release(fixture, name, target) {
    const answered = Float64Array.from(release(fixture, name, target));
    return name === 'ruler' || (name === 'silent' && !kind.startsWith('stream'))
      ? exactly(answered)
      : answered;
  },
});

/** Every kind of release with additive noise, on every path of a record. */
const probes: readonly Probe[] = (
  [
    {
      name: 'mean, any gradient',
      ...means(radius, { loss: 'plain' }, (fixture, name, target) =>
        meanOf(fixture.allRecords, name, { at: origin(fixture), ...withTarget(target) }),
      ),
    },
    {
      name: 'mean, margin',
      ...means(radius, { loss: 'linear' }, (fixture, name, target) =>
        meanOf(fixture.allRecords, name, { at: origin(fixture), ...withTarget(target) }),
      ),
    },
    {
      name: 'mean, fused kernel',
      ...means(radius, { loss: 'square' }, (fixture, name, target) =>
        meanOf(fixture.allRecords, name, { at: ones(fixture), ...withTarget(target) }),
      ),
      label: (row) => row[0],
    },
    {
      name: 'mean, two points',
      ...means(radius, { loss: 'square' }, (fixture, name, target) =>
        meanOf(fixture.allRecords, name, {
          of: {
            terms: [
              { weight: 2, at: ones(fixture) },
              { weight: -1, at: origin(fixture) },
            ],
          },
          at: origin(fixture),
          ...withTarget(target),
        }),
      ),
      label: (row) => row[0],
    },
    {
      name: 'mean, some coordinates',
      ...means(radius, { loss: 'linear' }, (fixture, name, target) =>
        meanOf(fixture.allRecords, name, {
          of: {
            terms: [{ weight: 1, at: origin(fixture) }],
            coordinates: Uint32Array.of(fixture.data.dimension - 1, 0),
          },
          at: origin(fixture),
          bound: { by: 'clip', clip: ball(radius, 'opaque-ball') },
          ...withTarget(target),
        }),
      ),
    },
    {
      name: 'mean, one coordinate',
      ...means(radius, { loss: 'linear' }, (fixture, name, target) =>
        meanOf(fixture.allRecords, name, {
          of: {
            terms: [{ weight: 1, at: origin(fixture) }],
            coordinates: Uint32Array.of(fixture.data.dimension - 1),
          },
          at: origin(fixture),
          bound: { by: 'clip', clip: ball(radius, 'opaque-ball') },
          ...withTarget(target),
        }),
      ),
    },
    {
      name: 'mean, certificate',
      ...means(3, { loss: 'boastful' }, (fixture, name, target) =>
        meanOf(fixture.allRecords, name, {
          of: {
            terms: [
              { weight: 2, at: ones(fixture) },
              { weight: -1, at: origin(fixture) },
            ],
          },
          at: origin(fixture),
          bound: { by: 'certificate', fact: 'lipschitz' },
          ...withTarget(target),
        }),
      ),
    },
    {
      name: 'mean, by its own code',
      fixture: { loss: 'plain' },
      under: fixed,
      sensitivity: average(radius),
      release: (fixture, name, target) =>
        fixture.ask<Vector>({
          ask: 'mean',
          of: { terms: [{ weight: 1, at: origin(fixture) }] },
          batch: fixture.allRecords,
          mean: meanOfItsOwn(name, radius),
          target: targetOr(target),
        }),
    },
    {
      name: 'mean, Poisson draw of everyone',
      fixture: { loss: 'plain' },
      under: all,
      sensitivity: average(radius),
      release: (fixture, name, target) =>
        fixture.ask<Vector>(
          meanOf(fixture.ask<Batch>({ ask: 'draw', sampler: poisson(1), from: fixture.allRecords }), name, {
            at: origin(fixture),
            ...withTarget(target),
          }),
        ),
    },
    {
      name: 'mean, Poisson sample of everyone',
      ...means(radius, { loss: 'plain' }, (fixture, name, target) =>
        meanOfSample(
          meanOf(fixture.allRecords, name, { at: origin(fixture), ...withTarget(target) }),
          poisson(1),
        ),
      ),
    },
    {
      name: 'mean, draw of all slots',
      fixture: { loss: 'plain' },
      under: fixed,
      sensitivity: average(radius),
      release: (fixture, name, target) =>
        fixture.ask<Vector>(
          meanOf(
            fixture.ask<Batch>({
              ask: 'draw',
              sampler: fixedSize(fixture.allRecords.normaliser),
              from: fixture.allRecords,
            }),
            name,
            { at: origin(fixture), ...withTarget(target) },
          ),
        ),
    },
    {
      name: 'mean, part by weight',
      fixture: { loss: 'plain' },
      under: all,
      sensitivity: average(radius),
      release: (fixture, name, target) =>
        fixture.ask<Vector>(
          meanOf(
            fixture.ask<readonly Batch[]>({
              ask: 'split',
              of: fixture.allRecords,
              order: 'stored',
              parts: { by: 'weight', weights: [1] },
            })[0],
            name,
            { at: origin(fixture), ...withTarget(target) },
          ),
        ),
    },
    {
      name: 'mean, dealt part',
      fixture: { loss: 'plain' },
      under: all,
      sensitivity: average(radius),
      release: (fixture, name, target) =>
        fixture.ask<Vector>(
          meanOf(
            fixture.ask<readonly Batch[]>({
              ask: 'split',
              of: fixture.allRecords,
              order: 'stored',
              parts: { by: 'sampler', sampler: partition(fixture.allRecords.size, 1) },
            })[0],
            name,
            { at: origin(fixture), ...withTarget(target) },
          ),
        ),
    },
    {
      name: 'mean, first slot',
      fixture: { loss: 'plain' },
      under: fixed,
      sensitivity: (adjacency) => average(radius)(adjacency, 1),
      release: (fixture, name, target) =>
        fixture.ask<Vector>(
          meanOf(
            fixture.ask<readonly Batch[]>({
              ask: 'split',
              of: fixture.allRecords,
              order: 'stored',
              parts: { by: 'size', sizes: [1] },
            })[0],
            name,
            { at: origin(fixture), ...withTarget(target) },
          ),
        ),
    },
    {
      name: 'local update',
      fixture: { loss: 'plain' },
      under: all,
      sensitivity: average(radius),
      release: (fixture, name, target) =>
        fixture.ask<Vector>({
          ask: 'localUpdate',
          from: origin(fixture),
          local: localSteps,
          batch: fixture.allRecords,
          mean: meanWithin(clipTo(), mechanismNamed(name)),
          target: targetOr(target),
        }),
    },
    {
      name: 'value, share of updates beyond',
      fixture: { loss: 'plain' },
      under: all,
      sensitivity: (_adjacency, slots) => 1 / slots,
      release: (fixture, name, target) => [
        fixture.ask<number>({
          ask: 'value',
          statistic: { of: 'update-norm-beyond', radius, local: localSteps },
          at: ones(fixture),
          batch: fixture.allRecords,
          noise: noiseOf(name, target),
        }),
      ],
    },
    {
      name: 'value, risk',
      fixture: { loss: 'boastful' },
      label: (row) => row[0],
      under: all,
      sensitivity: (_adjacency, slots) => 1 / slots,
      release: (fixture, name, target) => [
        fixture.ask<number>({
          ask: 'value',
          statistic: { of: 'risk' },
          at: ones(fixture),
          batch: fixture.allRecords,
          noise: noiseOf(name, target),
        }),
      ],
    },
    {
      name: 'value, risk difference',
      fixture: { loss: 'boastful' },
      label: (row) => row[0],
      under: all,
      sensitivity: average(1),
      release: (fixture, name, target) => [
        fixture.ask<number>({
          ask: 'value',
          statistic: { of: 'risk-difference', reference: ones(fixture).map((x) => -x) },
          at: ones(fixture),
          batch: fixture.allRecords,
          noise: noiseOf(name, target),
        }),
      ],
    },
    {
      name: 'value, gradient norm',
      fixture: { loss: 'plain' },
      under: all,
      sensitivity: average(radius),
      release: (fixture, name, target) => [
        fixture.ask<number>({
          ask: 'value',
          statistic: { of: 'gradient-norm', bound: clipTo() },
          at: ones(fixture),
          batch: fixture.allRecords,
          noise: noiseOf(name, target),
        }),
      ],
    },
    {
      name: 'value, share of gradients beyond',
      fixture: { loss: 'plain' },
      under: all,
      sensitivity: (_adjacency, slots) => 1 / slots,
      release: (fixture, name, target) => [
        fixture.ask<number>({
          ask: 'value',
          statistic: { of: 'gradient-norm-beyond', radius },
          at: ones(fixture),
          batch: fixture.allRecords,
          noise: noiseOf(name, target),
        }),
      ],
    },
    {
      name: 'minimiser',
      fixture: { loss: 'linear', domain: { featureNorm: 1 }, outside: 'clip' },
      under: fixed,
      // A replaced record counts as two that become null, each with the tolerance at both ends.
      sensitivity: (adjacency, slots) => average(1)(adjacency, slots) * (1 / lambda + 2 * tolerance * slots),
      release: (fixture, name, target) =>
        fixture.ask<Vector>({
          ask: 'minimiser',
          lambda,
          centre: origin(fixture),
          domain: around(100),
          batch: fixture.allRecords,
          solver: descentFor(2),
          tolerance,
          bound: { by: 'certificate', fact: 'lipschitz' },
          norm: 2,
          noise: noiseOf(name, target),
        }),
    },
    ...(
      [
        ['stream, first increment', null],
        ['stream, increment about a centre', 2 * radius],
      ] as const
    ).map(([name, centre]) => ({
      name,
      fixture: { loss: 'plain', allowUnprotected: true } as const,
      under: fixed,
      sensitivity: average(radius),
      release: (fixture: Fixture, mechanism: MechanismName) => {
        const stream = fixture.ask<Stream>(
          streamOf(mechanism, {
            steps: 1,
            dimension: fixture.data.dimension,
            normaliser: fixture.allRecords.normaliser,
          }),
        );
        return fixture.ask<Vector>({
          ask: 'push',
          stream,
          of: { terms: [{ weight: 1, at: origin(fixture) }] },
          batch: fixture.allRecords,
          ...(centre === null ? {} : { centre: origin(fixture).fill(centre) }),
        });
      },
    })),
  ] satisfies readonly Probe[]
).map(readings);
/** The probes that an adjacency supports. */
export const probesUnder = (adjacency: Adjacency): readonly Probe[] =>
  probes.filter((probe) => probe.under.includes(adjacency));

/**
 * Queries without preparation on a batch of records in
 * `dimension` coordinates, without plugins that need facts.
 */
export const meanQueries = (
  batch: Batch,
  dimension: number,
  name: MechanismName = 'gaussian',
): readonly Query[] =>
  [1, 2, 3].map((weight) =>
    meanOf(batch, name, {
      of: { terms: [{ weight, at: new Float64Array(dimension) }] },
      at: new Float64Array(dimension),
    }),
  );
