import { ask, MissingFact, type Problem, referenceTo, Unsupported } from '@lethe/core';
import { defineOptimizer } from '@lethe/curator';
import { honakerFull } from '@lethe/mechanisms';
import { norm2 } from '@lethe/numerics';
import * as z from 'zod';
import { noiseOfSums, type NoiseOfSums } from '../common/noise-of-sums.js';
import { differenceNormSchema } from '../common/private-clip.js';
import { atMostOne } from '../common/require.js';
import { centralSlots, diameterOf } from '../common/problem-facts.js';
import { batchSizeOf, streamOverBatches } from '../common/stream-over-batches.js';
import { streamClip } from '../common/stream-clip.js';
import { factOfEveryRecord } from '../sparse-gradients/record-facts.js';
import { noiseSchema, withNoise } from './with-noise.js';

const schedule = z.object({
  rounds: z
    .int()
    .positive()
    .describe('T: rounds of the one pass, each on a batch of its own of ⌊n / T⌋ records.'),
  batchSize: z.int().positive(),
  clipNorm: differenceNormSchema.check(
    z.describe('Norm to which the weighted difference of two gradients of a record is scaled down.'),
  ),
  clip: referenceTo('clip').check(
    z.describe(
      'Bounds that difference in ℓ2, such as { name: l2, params: ' +
        '{ radius: 1 } }. Left out: a projection to clipNorm.',
    ),
  ),
  distance: z
    .number()
    .positive()
    .describe('D: diameter of the domain, or the fact, by which steps are scaled.'),
  prefixSum: z
    ._default(referenceTo('prefixSum'), honakerFull({}))
    .describe('Correlated noise of the running sums, such as { name: binary-tree }.'),
  noiseMultiplier: noiseSchema,
});
const params = schedule
  .omit({ batchSize: true, distance: true })
  .partial({ rounds: true, clipNorm: true, clip: true, noiseMultiplier: true })
  .strict()
  .superRefine(atMostOne('clipNorm', 'clip'));

/**
 * Private online-to-batch conversion: an online learner on noisy linear losses, and the average of its
 * points. Round `t` moves the average to `x ← x + (2/(t + 1))(w − x)`, adds `t ∇f(x_t) − (t − 1) ∇f(x_{t−1})`
 * of its batch to a private running sum `g`, and gives that to the learner, `w ← P(w − γ g)` with `γ = D/√(2
 * Σ‖g‖²)`.
 *
 * Averages move by at most `2D/(t + 1)`, so that differences are at most `L + 2MD` long, whatever the noise:
 * left out, that is `clipNorm`, and the clip cuts nothing. `clip` is any clip in ℓ2. Privacy rests on the
 * clip alone. Batches may have
 * any size; the paper takes one record, `rounds` left out takes `⌊√n⌋`.
 *
 * `plan.utility` bounds the expected excess population risk, for independent records, a convex loss and a
 * bounded domain, and a clip that projects. Facts: `lipschitz` and `smoothness` of every record, unless
 * `clipNorm` or `clip` is given; `diameter`
 * where the domain is unbounded, which then scales the steps and proves nothing.
 */
export const onlineToBatch = defineOptimizer({
  name: 'online-to-batch',
  summary:
    'An online learner on private running sums of gradient differences, and the average of its points.',
  source: { id: 'zhang-tran-cutkosky-2022', item: 'Algorithm 1, with weights t and adaptive steps' },
  params,
  examples: [
    { rounds: 4, clipNorm: 12 },
    { rounds: 6, clip: { name: 'l2', params: { radius: 1 } }, prefixSum: { name: 'binary-tree' } },
  ],
  claims: [
    { property: 'event', statement: 'one Gaussian of the planned multiplier, for the whole stream' },
    { property: 'gradients', statement: '2T⌊n/T⌋ − ⌊n/T⌋: two for each record, one in the first batch' },
    {
      property: 'single-pass',
      statement:
        'batches are fixed before the first gradient; each is read once, at the point of its step and ' +
        'that of the one before',
    },
    {
      property: 'utility',
      statement: 'E F(x) − F* ≤ 2D[√(2Σ_t(tL + √v_t)²) + Σ_t √v_t]/(T(T + 1)), v_t = tK²/B + d·Var(N_t)',
      source: { id: 'zhang-tran-cutkosky-2022', item: 'Theorem 3, with constants' },
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
  plan({ problem, domain, registry, params: { noiseMultiplier: given, ...written }, noiseFor }) {
    const slots = centralSlots(problem);
    const rounds = written.rounds ?? Math.floor(Math.sqrt(slots));
    const batchSize = batchSizeOf(rounds, slots);
    const distance = diameterOf(problem, domain);
    const known = constantsOf(problem);
    // A fact 'diameter' says where the minimiser is; only a bounded domain keeps the points of the learner.
    const isBounded = domain.diameter < Infinity;
    const certified =
      known !== null && isBounded ? known.lipschitz + 2 * known.smoothness * domain.diameter : null;
    const clip = streamClip(registry, written.clip);
    const clipNorm = clip.radius ?? written.clipNorm ?? certified;
    if (clipNorm === null)
      throw isBounded
        ? new MissingFact(
            "clipNorm follows from the facts 'lipschitz' and 'smoothness' of every record; declare both, " +
              'or give clipNorm or clip',
            ['lipschitz', 'smoothness'],
            'all',
          )
        : new Unsupported(
            `no clip norm is proved to cut nothing on the domain '${domain.name}', which is unbounded; ` +
              'give clipNorm or clip, or use a bounded domain, such as l2-ball',
            { domain: domain.name },
          );
    const { prefixSum } = written;
    const numbers = { rounds, batchSize, clipNorm, clip: clip.at(clipNorm), distance, prefixSum };
    const plan = withNoise(numbers, given, noiseFor);
    const uncovered = isBounded
      ? (uncoveredBy(problem, clipNorm, certified) ?? clip.uncovered)
      : `the domain '${domain.name}' is unbounded`;
    const noise = noiseOfSums({ ...problem, registry, ...plan }, rounds);
    return {
      ...plan,
      utility:
        uncovered === null && known !== null
          ? {
              bound: expectedRiskOf(plan, { ...known, dimension: problem.dimension, noise }),
              source:
                'Zhang, Tran, Cutkosky 2022, Theorem 3, with constants; expected excess population risk',
            }
          : null,
      uncovered,
    };
  },
  *steps({ plan, problem, domain, start, allRecords, state, parts }) {
    const { batches, stream } = yield* streamOverBatches({
      ...plan,
      allRecords,
      dimension: problem.dimension,
    });
    const origin = domain.projectInto(new Float64Array(start.length), start);
    const now = state({
      x: origin.slice(),
      xBefore: origin.slice(),
      w: origin.slice(),
      g: new Float64Array(start.length),
      squares: 0,
    });
    const { x, xBefore, w, g } = now;
    for (const [t, batch] of parts(batches, (number) => (number === 1 ? 'first' : 'later'))) {
      for (let j = 0; j < x.length; j++) {
        xBefore[j] = x[j];
        x[j] += (2 / (t + 1)) * (w[j] - x[j]);
      }
      const here = { weight: t, at: x };
      const before = { weight: 1 - t, at: xBefore };
      const difference = yield* ask.push({ stream, batch, terms: t === 1 ? [here] : [here, before] });
      for (let j = 0; j < x.length; j++) g[j] += difference[j];
      now.squares += norm2(g) ** 2;
      const step = now.squares > 0 ? plan.distance / Math.sqrt(2 * now.squares) : 0;
      for (let j = 0; j < x.length; j++) w[j] -= step * g[j];
      domain.projectInto(w, w);
    }
    return x;
  },
});

/** Why no bound follows; `null` where one does. */
function uncoveredBy(
  { capabilities, loss }: Problem,
  clipNorm: number,
  certified: number | null,
): string | null {
  if (capabilities.convex !== true) return `the loss '${loss.name}' is not convex`;
  if (certified === null) return 'lipschitz and smoothness of every record are not known';
  return clipNorm >= certified ? null : `the clip may cut differences, which are up to ${certified} long`;
}

/** Lipschitz and smoothness constants of every record; `null` where one is not known. */
function constantsOf(problem: Problem): { readonly lipschitz: number; readonly smoothness: number } | null {
  const isKnown = (name: string): boolean => problem.facts[name]?.scope === 'every-record';
  if (!isKnown('lipschitz') || !isKnown('smoothness')) return null;
  const [lipschitz, smoothness] = ['lipschitz', 'smoothness'].map((name) => factOfEveryRecord(problem, name));
  return { lipschitz, smoothness };
}

/**
 * `(T(T + 1)/2)(F(x_T) − F*) ≤ Σ_t ⟨g_t, w_t − u⟩ + Σ_t ⟨t∇F(x_t) − g_t, w_t − u⟩`: the regret of adaptive
 * steps, at most `D√(2Σ‖g_t‖²)`, and the errors of the sums. These are martingales given the noise.
 */
function expectedRiskOf(
  { rounds: T, batchSize, clipNorm, distance: D }: z.output<typeof schedule>,
  {
    lipschitz: L,
    dimension,
    noise,
  }: { readonly lipschitz: number; readonly dimension: number; readonly noise: NoiseOfSums },
): number {
  let [squares, errors] = [0, 0];
  for (let t = 1; t <= T; t++) {
    const error = Math.sqrt(
      (t * clipNorm ** 2) / batchSize + dimension * ((noise.deviations[t - 1] * clipNorm) / batchSize) ** 2,
    );
    squares += (t * L + error) ** 2;
    errors += error;
  }
  return (2 * D * (Math.sqrt(2 * squares) + errors)) / (T * (T + 1));
}
