import { ask, InvalidParameter, referenceTo, Unsupported, type Problem } from '@lethe/core';
import { defineOptimizer } from '@lethe/curator';
import { gradientDifferenceClip, honakerFull } from '@lethe/mechanisms';
import type { Domain } from '@lethe/numerics';
import * as z from 'zod';
import { likelyNorm, noiseOfSums, type StreamOfSums } from '../common/noise-of-sums.js';
import { atMostOne } from '../common/require.js';
import { plannedQuantileSchema, quantileClip, quantileSchema } from '../common/private-clip.js';
import { centralSlots } from '../common/problem-facts.js';
import { batchSizeOf, streamOverBatches } from '../common/stream-over-batches.js';
import { streamClip } from '../common/stream-clip.js';
import { quantileBefore } from '../standard/quantile-before.js';
import { noiseSchema } from '../standard/with-noise.js';
import { knownFacts, type KnownFacts } from './known-facts.js';
import { stepWeight } from './weights.js';

const schedule = z.object({
  rounds: z
    .int()
    .positive()
    .describe('T: rounds of the one pass, each on a batch of its own of ⌊n / T⌋ records.'),
  batchSize: z.int().positive(),
  beta: z.number().positive().describe('β: inverse of the step size.'),
  clipNorm: z
    .number()
    .positive()
    .describe(
      'K: norm to which the weighted difference of two gradients of a record is scaled down; a factor of ' +
        'what a quantile finds.',
    ),
  quantile: z
    .nullable(plannedQuantileSchema)
    .describe('How the norms of gradients at the start are found; null where the clip norm is a number.'),
  clip: referenceTo('clip').check(
    z.describe(
      'Bounds that difference in ℓ2, such as { name: l2, params: ' +
        '{ radius: 1 } }. Left out: a projection to clipNorm.',
    ),
  ),
  prefixSum: z
    ._default(referenceTo('prefixSum'), honakerFull({}))
    .describe('Correlated noise of the running sums, such as { name: binary-tree }.'),
  noiseMultiplier: noiseSchema,
  average: z
    .enum(['last', 'suffix'])
    .default('suffix')
    .describe('What is returned: the last iterate, or the mean of the later half.'),
});
/** A norm of gradients that is found, and how many times as long weighted differences of them may be. */
const foundNorm = z.strictObject({
  ...quantileSchema.shape,
  difference: z
    .number()
    .positive()
    .optional()
    .describe(
      'Norm to which differences are scaled down, over that of gradients. Left out: the least that is ' +
        'proved to cut nothing, from the smoothness of every record.',
    ),
});
const params = schedule
  .omit({ batchSize: true, quantile: true })
  .partial({ beta: true, clip: true, noiseMultiplier: true })
  .extend({
    clipNorm: z
      .number()
      .positive()
      .or(foundNorm)
      .optional()
      .describe(
        'K: norm to which the weighted difference of two gradients of a record is scaled down; or a ' +
          'quantile of the norms at the start, found privately, which stands for their Lipschitz constant.',
      ),
  })
  .strict()
  .superRefine(atMostOne('clipNorm', 'clip'));

/**
 * Gradient descent on stochastic recursive gradients, without acceleration: `x ← P(x − S/(β(t + 1)))`, `S`
 * the private running sum of `(t + 1) ∇f(x_t) − t ∇f(x_{t−1})`. One pass over disjoint batches in stored
 * order.
 *
 * The paper sketches it, to say that it needs batches of a few records; constants are ours. Left out, `beta`
 * is `2M(T − 1 + β‖b‖/K) + (L/D)√(T/B)` and `clipNorm` the least that is proved to cut nothing, `L/(1 − M(T −
 * 1)/β − M‖b‖/K)`, from `lipschitz` and `smoothness` of every record and a bounded domain. A private quantile
 * as `clipNorm` finds the norm of gradients at the start by noisy counts, which take their share of the
 * budget, and takes it for `L` in the clip norm, or `difference` times it; `beta` is given then, or follows
 * from the facts. `clip` is any clip in ℓ2. Privacy rests on the clip alone. There is no bound on the risk.
 */
export const recursiveDpSgd = defineOptimizer({
  name: 'recursive-dp-sgd',
  summary: 'One-pass gradient descent on private running sums of gradient differences, without acceleration.',
  source: { id: 'choquette-choo-2024', item: 'Section 4.3, with constants of our own' },
  params,
  examples: [
    { rounds: 4, beta: 20, clipNorm: 3 },
    { rounds: 6, beta: 2, clipNorm: 1, prefixSum: { name: 'binary-tree' }, average: 'last' },
    {
      rounds: 3,
      beta: 40,
      clipNorm: { by: 'private-quantile', share: 0.2, counts: 2, largest: 2, difference: 1.5 },
    },
  ],
  claims: [
    {
      property: 'event',
      statement:
        'one Gaussian of the planned multiplier, for the whole stream; and one release for each count',
    },
    {
      property: 'gradients',
      statement: '2T⌊n/T⌋ − ⌊n/T⌋: two for each record, one in the first batch; n for each count',
    },
    {
      property: 'record-replay',
      statement: 'with answers frozen, queries and result do not depend on the data',
    },
  ],
  adjacencies: ['replace-one', 'zero-out'],
  trustModels: ['central'],
  privacyRestsOn: 'clip',
  schedule,
  plan({ problem, domain, registry, budget, params: { rounds, beta, ...written }, noiseFor }) {
    const slots = centralSlots(problem);
    const batchSize = batchSizeOf(rounds, slots);
    const { clip: givenClip, clipNorm: norm, ...rest } = written;
    const clip = streamClip(registry, givenClip);
    const { quantile } = quantileBefore(norm, { problem, budget });
    const clipNorm = clip.radius ?? (typeof norm === 'object' ? norm.difference : norm);
    const { prefixSum } = rest;
    const noiseMultiplier =
      rest.noiseMultiplier ??
      noiseFor((multiplier) => ({
        ...rest,
        rounds,
        batchSize,
        beta: 1,
        clipNorm: 1,
        clip: clip.at(1),
        quantile,
        noiseMultiplier: multiplier,
      }));
    const numbers =
      beta === undefined || clipNorm === undefined
        ? chosenNumbers(
            { problem, domain, noise: { ...problem, registry, prefixSum, noiseMultiplier } },
            { rounds, batchSize, beta, clipNorm, isFound: quantile !== null },
          )
        : { beta, clipNorm };
    return {
      ...rest,
      rounds,
      batchSize,
      ...numbers,
      clip: clip.at(numbers.clipNorm),
      quantile,
      noiseMultiplier,
      utility: null,
      uncovered: 'the rate is known up to constants only',
    };
  },
  *steps({ plan, problem, domain, start, allRecords, state, parts }) {
    const { beta, quantile } = plan;
    const origin = domain.projectInto(new Float64Array(start.length), start);
    const found = quantile === null ? null : yield* quantileClip(quantile, { at: origin, batch: allRecords });
    const { batches, stream } = yield* streamOverBatches({
      ...plan,
      clip: found === null ? plan.clip : gradientDifferenceClip({ cap: found * plan.clipNorm }),
      allRecords,
      dimension: problem.dimension,
    });
    const suffix = Math.ceil(plan.rounds / 2);
    const { x, xBefore, S, mean } = state({
      x: origin.slice(),
      xBefore: origin.slice(),
      S: new Float64Array(start.length),
      mean: new Float64Array(start.length),
    });
    for (const [round, batch] of parts(batches, (number) => (number === 1 ? 'first' : 'later'))) {
      const eta = stepWeight(round - 1);
      const now = { weight: eta, at: x };
      const before = { weight: -stepWeight(round - 2), at: xBefore };
      const difference = yield* ask.push({ stream, batch, terms: round === 1 ? [now] : [now, before] });
      for (let j = 0; j < x.length; j++) {
        S[j] += difference[j];
        xBefore[j] = x[j];
        x[j] -= S[j] / (beta * eta);
      }
      domain.projectInto(x, x);
      const inSuffix = round - (plan.rounds - suffix);
      if (inSuffix > 0) for (let j = 0; j < x.length; j++) mean[j] += (x[j] - mean[j]) / inSuffix;
    }
    return plan.average === 'suffix' ? mean : x;
  },
});

interface Asked {
  readonly rounds: number;
  readonly batchSize: number;
  readonly beta: number | undefined;
  readonly clipNorm: number | undefined;
  /** Whether the clip norm is a factor of a norm of gradients that is found. */
  readonly isFound: boolean;
}

/** The step and the clip norm, where one is not given. */
function chosenNumbers(
  {
    problem,
    domain,
    noise,
  }: { readonly problem: Problem; readonly domain: Domain; readonly noise: StreamOfSums },
  { rounds: T, batchSize, beta: given, clipNorm, isFound }: Asked,
): { readonly beta: number; readonly clipNorm: number } {
  // With steps that are given and a norm that is found, the Lipschitz constant enters nothing.
  const facts = isFound && given !== undefined ? smoothnessOf(problem) : knownFacts(problem, domain);
  if (typeof facts === 'string')
    throw new Unsupported(
      'beta and clipNorm follow from lipschitz and smoothness of every record and a bounded domain, ' +
        `and ${facts}; declare it, or give beta and clipNorm` +
        (isFound ? ' (or its difference)' : ''),
      { missing: facts },
    );
  const { lipschitz: L, smoothness: M, diameter: D, dimension } = facts;
  const { worst } = noiseOfSums(noise, T);
  /** Bound on `β‖b_t‖/K`. */
  const noisePerClip = (worst * likelyNorm(dimension, T, 1 / centralSlots(problem))) / batchSize;
  const beta = given ?? 2 * M * (T - 1 + noisePerClip) + (L / D) * Math.sqrt(T / batchSize);
  if (clipNorm !== undefined) return { beta, clipNorm };
  const room = 1 - (M * (T - 1 + noisePerClip)) / beta;
  if (room > 0) return { beta, clipNorm: (isFound ? 1 : L) / room };
  throw new InvalidParameter(
    `no clip norm is proved to cut nothing at ${T} rounds and beta ${beta}; give a larger beta, or clipNorm`,
    { rounds: T, beta },
  );
}

/** What a clip norm follows from, in units of the norm of gradients. */
function smoothnessOf({ facts, dimension }: Problem): Omit<KnownFacts, 'startDistance'> | string {
  const fact = facts['smoothness'];
  return fact?.scope === 'every-record'
    ? { dimension, lipschitz: 1, smoothness: fact.value, diameter: Infinity }
    : "no fact 'smoothness' holds for every record";
}
