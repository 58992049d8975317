import type { ZodSchema } from '@lethe/numerics';
import * as z from 'zod/mini';
import { sensitivitySchema } from '../adjacency-schema.js';

const version = z.literal(1);
const positive = z.number().check(z.positive());
const probability = z.number().check(z.minimum(0), z.maximum(1));
const count = z.int().check(z.positive());

/** A sampler as accountants see it: the distribution of the batch, without the batch itself. */
export const samplerSpecSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('core/poisson'), rate: z.number().check(z.positive(), z.maximum(1)) }),
  z
    .strictObject({ kind: z.literal('core/fixed-size'), n: count, size: count, replacement: z.boolean() })
    .check(
      z.refine(({ n, size, replacement }) => replacement || size <= n, {
        message: 'size is at most n when drawing without replacement',
      }),
    ),
  // `times`: in how many of the steps a record is, 1 by default.
  z
    .strictObject({ kind: z.literal('core/random-allocation'), steps: count, times: z.optional(count) })
    .check(z.refine(({ steps, times = 1 }) => times <= steps, { message: 'times is at most steps' })),
  z.strictObject({
    kind: z.literal('core/truncated-poisson'),
    n: count,
    rate: z.number().check(z.positive(), z.maximum(1)),
    most: count,
  }),
]);
/** Parsed form of {@link samplerSpecSchema}. */
export type SamplerSpec = z.output<typeof samplerSpecSchema>;

/** An event of any kind: a namespaced kind and a version. Plugins add kinds under their own prefix. */
export const anyEventSchema = z.looseObject({
  kind: z.string().check(z.regex(/^[a-z0-9-]+\/[a-z0-9-]+$/u, 'a kind is "prefix/name" in lower case')),
  v: z.int().check(z.positive()),
});
/** Privacy cost of a release, as versioned JSON. */
export type PrivacyEvent = { readonly kind: string; readonly v: number };

const event: ZodSchema<PrivacyEvent, PrivacyEvent> = anyEventSchema;
const noise = { v: version, sensitivity: sensitivitySchema };
const mixture = z
  .strictObject({
    means: z.array(z.number()).check(z.minLength(1)),
    probabilities: z.array(probability).check(z.minLength(1)),
  })
  .check(
    z.refine(({ means, probabilities }) => isDistribution(means, probabilities), {
      message: 'there is one probability for each mean, and they add up to 1',
    }),
  );

function isDistribution(outcomes: readonly number[], probabilities: readonly number[]): boolean {
  const total = probabilities.reduce((sum, p) => sum + p, 0);
  return outcomes.length === probabilities.length && Math.abs(total - 1) <= 1e-12;
}

/**
 * One schema per core event kind, version 1. Scales and the `grid` spacing of discrete noise are in the unit
 * of the sensitivities beside them; sensitivities are whole multiples of `grid`.
 */
export const coreEventSchemas = {
  'core/gaussian': z.strictObject({ kind: z.literal('core/gaussian'), ...noise, sigma: positive }),
  'core/laplace': z.strictObject({ kind: z.literal('core/laplace'), ...noise, scale: positive }),
  'core/discrete-gaussian': z.strictObject({
    kind: z.literal('core/discrete-gaussian'),
    ...noise,
    sigma: positive,
    grid: z.optional(positive),
    entries: z.optional(count),
  }),
  'core/discrete-laplace': z.strictObject({
    kind: z.literal('core/discrete-laplace'),
    ...noise,
    scale: positive,
    grid: z.optional(positive),
  }),
  'core/gaussian-mixture': z
    .strictObject({
      kind: z.literal('core/gaussian-mixture'),
      v: version,
      sigma: positive,
      shifts: z.array(z.number().check(z.nonnegative())).check(z.minLength(1)),
      probabilities: z.array(probability).check(z.minLength(1)),
    })
    .check(
      z.refine(({ shifts, probabilities }) => isDistribution(shifts, probabilities), {
        message: 'there is one probability for each shift, and they add up to 1',
      }),
    ),
  'core/gaussian-mixture-pair': z
    .strictObject({
      kind: z.literal('core/gaussian-mixture-pair'),
      v: version,
      sigma: positive,
      first: mixture,
      second: mixture,
    })
    .check(
      z.refine(({ first, second }) => Math.min(...first.means) >= Math.max(...second.means), {
        message: 'no mean of the first mixture is below a mean of the second',
      }),
    ),
  'core/exponential': z.strictObject({ kind: z.literal('core/exponential'), ...noise, epsilon: positive }),
  'core/randomized-response': z.strictObject({
    kind: z.literal('core/randomized-response'),
    v: version,
    p: probability,
    categories: z.int().check(z.minimum(2)),
  }),
  'core/pure': z.strictObject({
    kind: z.literal('core/pure'),
    v: version,
    epsilon: z.number().check(z.nonnegative()),
  }),
  'core/approximate': z.strictObject({
    kind: z.literal('core/approximate'),
    v: version,
    epsilon: z.number().check(z.nonnegative()),
    delta: probability,
  }),
  'core/zcdp': z.strictObject({
    kind: z.literal('core/zcdp'),
    v: version,
    rho: z.number().check(z.nonnegative()),
  }),
  'core/renyi': z
    .strictObject({
      kind: z.literal('core/renyi'),
      v: version,
      orders: z
        .array(
          z.strictObject({ order: z.number().check(z.gt(1)), divergence: z.number().check(z.nonnegative()) }),
        )
        .check(z.minLength(1), z.maxLength(1024)),
      mu: z.optional(positive),
    })
    .check(
      z.refine(({ orders }) => orders.every(({ order }, i) => i === 0 || order > orders[i - 1].order), {
        message: 'orders ascend, and none is given twice',
      }),
    ),
  'core/compose': z.strictObject({
    kind: z.literal('core/compose'),
    v: version,
    parts: z.array(z.strictObject({ event, count })),
  }),
  'core/parallel': z.strictObject({ kind: z.literal('core/parallel'), v: version, parts: z.array(event) }),
  'core/sampled': z.strictObject({
    kind: z.literal('core/sampled'),
    v: version,
    sampler: samplerSpecSchema,
    event,
  }),
  'core/shuffled': z.strictObject({
    kind: z.literal('core/shuffled'),
    v: version,
    epsilon: z.number().check(z.nonnegative()),
    delta: probability,
    honestUsers: count,
  }),
  // Users in random order, and at each place one randomiser, whoever is there.
  'core/shuffled-local': z.strictObject({
    kind: z.literal('core/shuffled-local'),
    v: version,
    epsilon: z.number().check(z.nonnegative()),
    users: count,
  }),
  'core/prefix-sum': z.strictObject({
    kind: z.literal('core/prefix-sum'),
    ...noise,
    sigma: positive,
    factorisation: z.string().check(z.minLength(1)),
    steps: count,
    participation: z.strictObject({ times: count, gap: count }),
    columnNorm: positive,
    attained: z.optional(z.literal(true)),
  }),
  'core/selection': z.strictObject({
    kind: z.literal('core/selection'),
    v: version,
    base: event,
    stopProbability: z.number().check(z.positive(), z.maximum(1)),
    cap: count,
  }),
  'core/negative-binomial-selection': z.strictObject({
    kind: z.literal('core/negative-binomial-selection'),
    v: version,
    base: event,
    shape: z.number().check(z.gt(-1), z.maximum(1e6)),
    stopProbability: z.number().check(z.positive(), z.maximum(1)),
  }),
  'core/poisson-selection': z.strictObject({
    kind: z.literal('core/poisson-selection'),
    v: version,
    base: event,
    mean: z.number().check(z.positive(), z.maximum(1e9)),
  }),
  'core/group': z.strictObject({ kind: z.literal('core/group'), v: version, size: count, event }),
  'core/failing': z.strictObject({ kind: z.literal('core/failing'), v: version, delta: probability, event }),
  'core/verified': z.strictObject({
    kind: z.literal('core/verified'),
    v: version,
    epsilon: z.number().check(z.nonnegative()),
    delta: probability,
    samples: count,
    threshold: z.number().check(z.positive(), z.maximum(1)),
    largest: z.optional(z.number().check(z.positive(), z.maximum(1))),
  }),
  'core/filtered': z.strictObject({ kind: z.literal('core/filtered'), v: version, limit: event }),
  'core/unprotected': z.strictObject({ kind: z.literal('core/unprotected'), v: version }),
  'core/free': z.strictObject({ kind: z.literal('core/free'), v: version }),
} as const;

/** A key of {@link coreEventSchemas}. */
export type CoreEventKind = keyof typeof coreEventSchemas;
/** A core event of the given kind, or of any kind. */
export type CoreEvent<K extends CoreEventKind = CoreEventKind> = {
  readonly [Kind in K]: z.output<(typeof coreEventSchemas)[Kind]>;
}[K];
