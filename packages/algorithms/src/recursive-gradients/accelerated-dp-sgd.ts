import { ask, boundedMeanSensitivity, defineOptimizer, sensitivityUnder, Unsupported } from '@lethe/core';
import { minimizeUnimodal } from '@lethe/numerics';
import * as z from 'zod';
import {
  boundedOnly,
  centralSlots,
  clippedGaussian,
  diameterOf,
  lipschitzOf,
} from '../common/problem-facts.js';
import { requirePositive } from '../common/require.js';
import { batchSizeOf } from '../common/stream-over-batches.js';
import { smoothnessOf, startDistanceOf } from '../heavy-tails/facts.js';
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
  clipNorm: z.number().positive().describe('Norm to which each gradient is scaled down.'),
  noiseMultiplier: noiseSchema,
});
const params = schedule
  .omit({ batchSize: true })
  .partial({ rounds: true, beta: true, clipNorm: true, noiseMultiplier: true })
  .strict();

/**
 * Accelerated gradient descent on independent private means: round `t` takes the mean gradient `g` of a batch
 * of its own at `x`; then `z ← P(z − s((t + 1)/β) g)`, `y ← P(x − g/β)`, and `x` between them. It is
 * `accelerated-dp-srgd` without recursion: a gradient a record, and noise that does not average out.
 *
 * What is not given is chosen for the least bound on the risk, from `smoothness` of the population risk, the
 * diameter, and `lipschitz` of every record, which is the clip norm. Privacy rests on the clip alone.
 * `plan.utility` bounds the expected excess population risk, for independent records, a convex loss and a
 * clip that cuts no gradient.
 */
export const acceleratedDpSgd = defineOptimizer({
  name: 'accelerated-dp-sgd',
  summary: 'One-pass accelerated gradient descent on private means of independent batches.',
  source: { id: 'choquette-choo-2024', item: 'Section 5.5' },
  params,
  examples: [{ rounds: 4 }, { rounds: 5, beta: 6, zScale: 1, clipNorm: 2 }, { noiseMultiplier: 2 }],
  claims: [
    { property: 'event', statement: 'what one mean costs: disjoint batches cost their maximum' },
    { property: 'gradients', statement: 'T⌊n/T⌋: one for each record' },
    {
      property: 'utility',
      statement:
        'E F(y) − F* ≤ [Σ_t η_{0:t} v/(2C_t) + βD²/(2s)]/η_{0:T−1}, v = L²/B + dσ², C_t = β − M for s ≤ 1/2',
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
  plan({ problem, domain, params: { rounds, beta, clipNorm: given, zScale, ...rest }, noiseFor }) {
    const slots = centralSlots(problem);
    const lipschitz = lipschitzOf(problem);
    if (lipschitz !== null) requirePositive({ lipschitz });
    const clipNorm = given ?? lipschitz;
    if (clipNorm === null)
      throw new Unsupported(
        "the clip norm is the fact 'lipschitz' of every record, and the problem has none; declare it, or " +
          'give clipNorm',
        { fact: 'lipschitz' },
      );
    const noiseMultiplier =
      rest.noiseMultiplier ??
      noiseFor((multiplier) => ({
        rounds: 1,
        batchSize: slots,
        beta: 1,
        zScale,
        clipNorm,
        noiseMultiplier: multiplier,
      }));
    const path = {
      smoothness: smoothnessOf(problem),
      diameter: diameterOf(problem, domain),
      startDistance: startDistanceOf(problem, domain),
      zScale,
    };
    const varianceAt = (batchSize: number): number => {
      const sensitivity = sensitivityUnder(
        boundedMeanSensitivity(clipNorm, batchSize),
        problem.adjacency,
        'a clipped mean',
      );
      return clipNorm ** 2 / batchSize + problem.dimension * (noiseMultiplier * sensitivity) ** 2;
    };
    const candidates = rounds === undefined ? roundsUpTo(slots) : [rounds];
    const [best] = candidates
      .map((T) => {
        const batchSize = batchSizeOf(T, slots);
        return { rounds: T, batchSize, ...leastStep({ ...path, rounds: T }, varianceAt(batchSize), beta) };
      })
      .toSorted((a, b) => a.bound - b.bound);
    const { bound, ...numbers } = best;
    const uncovered = boundedOnly(problem, domain) ?? uncoveredBy(bound, clipNorm, lipschitz);
    return {
      ...numbers,
      zScale,
      clipNorm,
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
  *steps({ plan, domain, start, allRecords, state, parts }) {
    const { rounds: T, batchSize: B, beta, zScale: s, clipNorm, noiseMultiplier } = plan;
    const batches = yield* ask.split({
      of: allRecords,
      order: 'stored',
      parts: { by: 'size', sizes: Array.from({ length: T }, () => B) },
    });
    const mean = clippedGaussian(clipNorm);
    const origin = domain.projectInto(new Float64Array(start.length), start);
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

/** The step with the least bound, or the one that is given, with its bound. */
function leastStep(
  path: Omit<Path, 'beta'>,
  variance: number,
  given: number | undefined,
): { readonly beta: number; readonly bound: number } {
  const error = Math.sqrt(variance);
  const boundAt = (beta: number): number => riskAfter({ ...path, beta }, () => error, { areCentred: true });
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

/** Why no bound follows; `null` where one does. */
function uncoveredBy(bound: number, clipNorm: number, lipschitz: number | null): string | null {
  if (lipschitz === null) return "no fact 'lipschitz' of every record says how long gradients are";
  if (clipNorm < lipschitz)
    return `the clip cuts gradients: its norm ${clipNorm} is below their Lipschitz constant ${lipschitz}`;
  return bound < Infinity ? null : 'beta is too small for the smoothness';
}
