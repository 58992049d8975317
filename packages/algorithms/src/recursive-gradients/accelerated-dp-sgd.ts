import {
  ask,
  boundedMeanSensitivity,
  MissingFact,
  type Problem,
  type Ref,
  type Registry,
  sensitivityUnder,
  Unsupported,
} from '@lethe/core';
import { defineOptimizer } from '@lethe/curator';
import { minimizeUnimodal } from '@lethe/numerics';
import * as z from 'zod';
import { errorOfMean, fewestRecords, givenMean } from '../common/given-mean.js';
import {
  boundedOnly,
  centralSlots,
  clippedGaussian,
  diameterOf,
  lipschitzOf,
} from '../common/problem-facts.js';
import { atMostOne, requirePositive } from '../common/require.js';
import { batchSizeOf } from '../common/stream-over-batches.js';
import { clipNormSchema, meanOfSteps, plannedQuantileSchema } from '../common/private-clip.js';
import { smoothnessOf, startDistanceOf } from '../heavy-tails/facts.js';
import { quantileBefore } from '../standard/quantile-before.js';
import { plannedParts } from '../standard/step-parts.js';
import { noiseSchema } from '../standard/with-noise.js';
import { riskAfter, type AcceleratedRun } from './risk-bounds.js';
import { roundsUpTo } from './schedules.js';
import { coupling, stepWeight } from './weights.js';

const schedule = z.object({
  rounds: z
    .int()
    .positive()
    .describe('T: rounds of the one pass, each on a batch of its own of ⌊n / T⌋ records.'),
  batchSize: z.int().positive(),
  beta: z.number().positive().describe('β: inverse of the step size of y; above the smoothness.'),
  zScale: z
    .union([z.literal(1), z.literal(0.5), z.literal(0.25)])
    .default(0.5)
    .describe('Scale of the step of z: 1 is printed, 1/2 is proved for every β above the smoothness.'),
  mean: plannedParts.mean,
  quantile: z.nullable(plannedQuantileSchema),
  noiseMultiplier: noiseSchema,
});
const params = schedule
  .omit({ batchSize: true, quantile: true })
  .partial({ rounds: true, beta: true, mean: true, noiseMultiplier: true })
  .extend({
    clipNorm: z
      .optional(clipNormSchema)
      .describe(
        'Short for a clipped mean with Gaussian noise: norm to which each gradient is scaled down, or a ' +
          'quantile of the norms at the start, found privately, where rounds and steps are those for the ' +
          'largest norm of its search. Left out, without mean: the Lipschitz constant of every record.',
      ),
  })
  .strict()
  .superRefine(atMostOne('clipNorm', 'mean'));

/**
 * Accelerated gradient descent on independent private means: round `t` takes the mean gradient `g` of a batch
 * of its own at `x`; then `z ← P(z − s((t + 1)/β) g)`, `y ← P(x − g/β)`, and `x` between them. It is
 * `accelerated-dp-srgd` without recursion: a gradient a record, and noise that does not average out.
 *
 * What is not given is chosen for the least bound on the risk, from `smoothness` of the population risk, the
 * diameter, and `lipschitz` of every record, which is the clip norm. `mean` is any central mean whose privacy
 * rests on clipping: its own bounds on bias and variance enter the bound on the risk. Privacy rests on the
 * clip alone. `clipNorm: { by: 'private-quantile', share }` finds the clip norm at the start by noisy counts
 * over all records, which take that share of the budget. `plan.utility` bounds the expected excess population
 * risk, for independent records, a convex loss, and a mean that states bounds, or a clip that cuts no
 * gradient.
 */
export const acceleratedDpSgd = defineOptimizer({
  name: 'accelerated-dp-sgd',
  summary: 'One-pass accelerated gradient descent on private means of independent batches.',
  source: { id: 'choquette-choo-2024', item: 'Section 5.5' },
  params,
  examples: [
    { rounds: 4 },
    {
      rounds: 5,
      beta: 6,
      zScale: 1,
      mean: {
        name: 'clipped',
        params: { clip: { name: 'l2', params: { radius: 2 } }, mechanism: { name: 'gaussian' } },
      },
    },
    { noiseMultiplier: 2 },
  ],
  claims: [
    {
      property: 'event',
      statement:
        'what one mean costs: disjoint batches cost their maximum; and one release for each count of a ' +
        'quantile',
    },
    { property: 'gradients', statement: 'T⌊n/T⌋: one for each record; n for each count of a quantile' },
    {
      property: 'single-pass',
      statement:
        'batches are fixed before the first gradient, each is read once, at the point of its step, unless ' +
        'counts of a quantile read all records before',
      source: { id: 'choquette-choo-2024', item: 'Section 5.5' },
    },
    {
      property: 'utility',
      statement:
        'E F(y) − F* ≤ [Σ_t η_{0:t} v/(2C_t) + η_t bD + βD²/(2s)]/η_{0:T−1}, v = L²/B + dσ², b = 0, or as ' +
        'the mean states them, C_t = β − M for s ≤ 1/2',
      source: { id: 'choquette-choo-2024', item: 'Theorem 15, corrected and sharpened' },
    },
    {
      property: 'record-replay',
      statement: 'with answers frozen, queries and result do not depend on the data',
    },
  ],
  needs: { convex: true, smooth: true },
  adjacencies: ['replace-one', 'zero-out'],
  trustModels: ['central'],
  privacyRestsOn: 'clip',
  schedule,
  plan({
    problem,
    registry,
    domain,
    budget,
    params: { rounds, beta, clipNorm, zScale, ...written },
    noiseFor,
  }) {
    const slots = centralSlots(problem);
    const { quantile } = quantileBefore(clipNorm, { problem, budget });
    const radius = typeof clipNorm === 'object' ? quantile?.largest : clipNorm;
    const part = meanPart({ problem, registry }, written.mean, radius);
    // What is found by a quantile scales the mean of gradients of unit size.
    const mean = quantile === null ? part.mean : clippedGaussian(1);
    const noiseOver = (batchSize: number): number =>
      written.noiseMultiplier ??
      noiseFor((multiplier) => ({
        rounds: Math.floor(slots / batchSize),
        batchSize,
        beta: 1,
        zScale,
        mean,
        quantile,
        noiseMultiplier: multiplier,
      }));
    const path = {
      smoothness: smoothnessOf(problem),
      diameter: diameterOf(problem, domain),
      startDistance: startDistanceOf(problem, domain),
      zScale,
    };
    const bestAt = (candidates: readonly number[], multiplier: number) => {
      const known = candidates.flatMap((T) => {
        const batchSize = batchSizeOf(T, slots);
        const error = part.errorAt(batchSize, multiplier);
        if (error === null) return [];
        return [{ rounds: T, batchSize, ...leastStep({ ...path, rounds: T }, error, beta) }];
      });
      if (known.length === 0)
        throw new Unsupported(
          `the mean '${mean.name}' states no bound on its error over ${batchSizeOf(candidates[0], slots)} ` +
            'records; give another mean',
          { mean: mean.name },
        );
      return known.reduce((a, b) => (b.bound < a.bound ? b : a));
    };
    const first = noiseOver(slots);
    const chosen = bestAt(rounds === undefined ? roundsUpTo(part.mostRounds(slots)) : [rounds], first);
    // What a mean costs may depend on the batch.
    const noiseMultiplier = written.mean === undefined ? first : noiseOver(chosen.batchSize);
    const { bound, ...numbers } =
      noiseMultiplier === first ? chosen : bestAt([chosen.rounds], noiseMultiplier);
    const uncovered =
      (quantile === null
        ? null
        : 'the clip norm is found from the records, and rounds and steps are those for its largest') ??
      boundedOnly(problem, domain) ??
      part.uncovered ??
      (bound < Infinity ? null : 'beta is too small for the smoothness');
    return {
      ...numbers,
      zScale,
      mean,
      quantile,
      noiseMultiplier,
      utility:
        uncovered === null
          ? {
              bound,
              source: 'Choquette-Choo et al. 2024, Theorem 15, corrected; expected excess population risk',
            }
          : null,
      uncovered,
    };
  },
  *steps({ plan, registry, domain, start, allRecords, state, parts }) {
    const { rounds: T, batchSize: B, beta, zScale: s, noiseMultiplier } = plan;
    const origin = domain.projectInto(new Float64Array(start.length), start);
    const mean = yield* meanOfSteps(plan, registry, { at: origin, batch: allRecords });
    const batches = yield* ask.split({
      of: allRecords,
      order: 'stored',
      parts: { by: 'size', sizes: Array.from({ length: T }, () => B) },
    });
    const { x, y, mirror } = state({ x: origin.slice(), y: origin.slice(), mirror: origin.slice() });
    for (const [round, batch] of parts(batches)) {
      const t = round - 1;
      const gradient = yield* ask.mean({ at: x, batch, mean, target: { noiseMultiplier } });
      for (let j = 0; j < x.length; j++) {
        mirror[j] -= ((s * stepWeight(t)) / beta) * gradient[j];
        y[j] = x[j] - gradient[j] / beta;
      }
      domain.projectInto(mirror, mirror);
      domain.projectInto(y, y);
      const tau = coupling(t + 1);
      for (let j = 0; j < x.length; j++) x[j] = (1 - tau) * y[j] + tau * mirror[j];
    }
    return y;
  },
});

type Path = Omit<AcceleratedRun, 'batchSize' | 'clipNorm'>;

/** Error of the mean of a batch: `E‖g − E g‖²`, and a bound on `‖E g − ∇F‖`. */
interface BatchError {
  readonly variance: number;
  readonly bias: number;
}

/** Bound on the mean square of the error. */
const squareOf = ({ variance, bias }: BatchError): number => bias ** 2 + variance;

/** The mean of a run, and what is known of its error. */
interface MeanPart {
  readonly mean: Ref<'mean'>;
  /** `null` where the mean states no bounds. */
  errorAt(batchSize: number, noiseMultiplier: number): BatchError | null;
  /** Rounds whose batches are large enough for the mean. */
  mostRounds(slots: number): number;
  /** Why no bound on the risk follows from it; `null` where one does. */
  readonly uncovered: string | null;
}

/** The mean that is given, or that of gradients clipped to their Lipschitz constant. */
function meanPart(
  { problem, registry }: { readonly problem: Problem; readonly registry: Registry },
  written: Ref<'mean'> | undefined,
  clipNorm: number | undefined,
): MeanPart {
  const lipschitz = lipschitzOf(problem);
  if (lipschitz !== null) requirePositive({ lipschitz });
  if (written !== undefined) return givenPart({ problem, registry }, written, lipschitz);
  const radius = clipNorm ?? lipschitz;
  if (radius === null)
    throw new MissingFact(
      "the clip norm is the fact 'lipschitz' of every record, " +
        'and the problem has none; declare it, or give clipNorm',
      ['lipschitz'],
    );
  return {
    mean: clippedGaussian(radius),
    errorAt(batchSize, noiseMultiplier) {
      const sensitivity = sensitivityUnder(
        boundedMeanSensitivity(radius, batchSize),
        problem.adjacency,
        'a clipped mean',
      );
      const noise = problem.dimension * (noiseMultiplier * sensitivity) ** 2;
      return { variance: radius ** 2 / batchSize + noise, bias: 0 };
    },
    mostRounds: (slots) => slots,
    uncovered: uncoveredBy(radius, lipschitz),
  };
}

/** By what the mean states of gradients of at most the Lipschitz constant. */
function givenPart(
  { problem, registry }: { readonly problem: Problem; readonly registry: Registry },
  mean: Ref<'mean'>,
  lipschitz: number | null,
): MeanPart {
  const given = givenMean(mean, registry, {
    optimizer: 'accelerated-dp-sgd',
    trust: 'central',
    privacyRestsOn: 'clip',
  });
  if (lipschitz === null)
    throw new MissingFact(
      `what mean '${mean.name}' states of its error is for gradients of known size, and the problem has no ` +
        "fact 'lipschitz' of every record; declare it, or give clipNorm in place of mean",
      ['lipschitz'],
    );
  const batchesAt = (noiseMultiplier: number) => ({
    problem,
    target: { noiseMultiplier },
    honestIn: (size: number) => size,
  });
  // A mean may state less for either order.
  const moments = [2, Infinity].map((order) => ({
    order,
    moment: lipschitz,
    secondMoment: lipschitz,
    longest: lipschitz,
  }));
  return {
    mean,
    errorAt: (batchSize, noiseMultiplier) =>
      moments
        .map((known) => errorOfMean(given, batchesAt(noiseMultiplier), known)(1, batchSize))
        .filter((error) => error !== null)
        .filter((error) => squareOf(error) < Infinity)
        .reduce<BatchError | null>((a, b) => (a !== null && squareOf(a) <= squareOf(b) ? a : b), null),
    mostRounds: (slots) => Math.max(1, Math.floor(slots / fewestRecords(given, batchesAt(1), slots))),
    uncovered: null,
  };
}

/** The step with the least bound, or the one that is given, with its bound. */
function leastStep(
  path: Omit<Path, 'beta'>,
  batchError: BatchError,
  given: number | undefined,
): { readonly beta: number; readonly bound: number } {
  const { bias } = batchError;
  const error = Math.sqrt(squareOf(batchError));
  const boundAt = (beta: number): number => riskAfter({ ...path, beta }, () => error, { bias });
  if (given !== undefined) return { beta: given, bound: boundAt(given) };
  const { rounds: T, smoothness: M, startDistance: D, zScale } = path;
  // Below this the potential need not drop; the other end has a last term that is larger than all errors.
  const lower = (zScale === 1 ? (M * (T + 1)) / 2 : M) + (error / D) * 2 ** -20;
  const upper = 4 * lower + (error / D) * (T + 2) ** 2;
  const { argument, value } = minimizeUnimodal(
    (log) => boundAt(Math.exp(log)),
    Math.log(lower),
    Math.log(upper),
    {
      tolerance: 1e-4,
      maximumProbes: 40,
    },
  );
  return { beta: Math.exp(argument), bound: value };
}

/** Why no bound follows from gradients that are clipped; `null` where one does. */
function uncoveredBy(clipNorm: number, lipschitz: number | null): string | null {
  if (lipschitz === null) return "no fact 'lipschitz' of every record says how long gradients are";
  if (clipNorm < lipschitz)
    return `the clip cuts gradients: its norm ${clipNorm} is below their Lipschitz constant ${lipschitz}`;
  return null;
}
