import { ask, defineOptimizer, InvalidParameter, type Program } from '@lethe/core';
import { fixedSize } from '@lethe/mechanisms';
import { z } from 'zod';
import { centralSlots, gaussianMean, requiredLipschitz } from '../common/problem-facts.js';

const schedule = z.object({
  epochs: z.int().positive(),
  innerSteps: z.int().positive().describe('Steps of an epoch, from one full gradient.'),
  batchSize: z.int().positive().default(1).describe('Records whose gradients a step compares at two points.'),
  stepSize: z.number().positive(),
  clip: z
    .strictObject({ gradient: z.number().positive(), difference: z.number().positive() })
    .nullable()
    .describe(
      'Clip gradients at the snapshot, and differences of gradients, to these ℓ2 norms; instead of relying on a Lipschitz constant of every record.',
    ),
  noiseMultiplier: z
    .number()
    .positive()
    .describe(
      'Noise over sensitivity of a step, in the run’s adjacency. Left out: calibrated to the budget.',
    ),
  snapshotRatio: z
    .number()
    .positive()
    .default(1)
    .describe('Noise multiplier of full gradients over that of steps.'),
});
const params = schedule.partial({ clip: true, noiseMultiplier: true }).strict();

/**
 * Stochastic variance-reduced gradient descent with noise. Each epoch asks for a full gradient at its
 * snapshot; each of its steps corrects that by the difference of gradients at iterate and snapshot on a small
 * secret batch, and takes a proximal step. The average of an epoch's iterates is the next snapshot.
 *
 * Epochs, correction, constant step, proximal map and averaging are theirs. The releases are not: they add
 * noise to the corrected gradient as a whole and account for it by moments. Here the full gradient is
 * released once an epoch and differences by themselves, each difference bounded once (by `difference`, or
 * twice the Lipschitz constant); both are Gaussians, the second amplified by its draw, and accounted for
 * exactly. So their bound on the risk does not apply, and none is given.
 *
 * Facts: `lipschitz` (every record) unless clipped. On domains
 * other than the whole space a projection follows the proximal map.
 */
export const dpSvrg = defineOptimizer({
  name: 'dp-svrg',
  summary: 'Variance-reduced stochastic gradient descent with noise on full gradients and on differences.',
  source: { id: 'wang-ye-xu-2017', item: 'Algorithm 1' },
  params,
  examples: [
    { epochs: 2, innerSteps: 3, stepSize: 0.1 },
    {
      epochs: 1,
      innerSteps: 4,
      stepSize: 0.2,
      batchSize: 2,
      clip: { gradient: 1, difference: 0.5 },
      snapshotRatio: 0.5,
      noiseMultiplier: 2,
    },
  ],
  claims: [
    {
      property: 'event',
      statement: 'epochs × Gaussian of everybody, epochs · innerSteps × Gaussian on a batch of fixed size',
    },
    { property: 'gradients', statement: 'epochs · (n + 2 · innerSteps · batchSize)' },
    {
      property: 'record-replay',
      statement: 'with answers frozen, queries and result do not depend on the data',
    },
  ],
  needs: { convex: true, smooth: true },
  adjacencies: ['replace-one', 'zero-out'],
  trustModels: ['central'],
  privacyRestsOn: 'every-record constants',
  stopping: 'fixed',
  facts: {},
  regularisers: 'any',
  schedule,
  plan({ problem, params: { clip = null, ...given }, noiseFor }) {
    const slots = centralSlots(problem);
    const { batchSize } = given;
    if (batchSize > slots)
      throw new InvalidParameter(
        `batchSize is ${batchSize}, more than the ${slots} slots; give at most ${slots}`,
        { batchSize, slots },
      );
    if (clip === null) requiredLipschitz(problem, 'clip');
    const draft = { ...given, clip, utility: null };
    const noiseMultiplier =
      given.noiseMultiplier ?? noiseFor((multiplier) => ({ ...draft, noiseMultiplier: multiplier }));
    return { ...draft, noiseMultiplier };
  },
  *steps({ plan, domain, regulariser, start, allRecords, state, rounds }) {
    const { epochs, innerSteps, stepSize, clip, noiseMultiplier } = plan;
    const sampler = fixedSize({ size: plan.batchSize });
    const whole = gaussianMean(clip?.gradient ?? null, {
      noiseMultiplier: noiseMultiplier * plan.snapshotRatio,
    });
    const difference = gaussianMean(clip?.difference ?? null, { noiseMultiplier });
    const { x } = state({ x: domain.projectInto(start, start) });
    function* epoch(): Program<void> {
      const snapshot = x.slice();
      const { sum } = state({ sum: new Float64Array(x.length) });
      const full = yield* ask.mean({ at: snapshot, batch: allRecords, ...whole });
      for (const _ of rounds(innerSteps)) {
        const batch = yield* ask.draw({ sampler, from: allRecords });
        const correction = yield* ask.mean({
          terms: [
            { weight: 1, at: x },
            { weight: -1, at: snapshot },
          ],
          batch,
          ...difference,
        });
        yield* ask.close(batch);
        for (let j = 0; j < x.length; j++) x[j] -= stepSize * (full[j] + correction[j]);
        regulariser?.proxInto(x, x, stepSize);
        domain.projectInto(x, x);
        for (let j = 0; j < x.length; j++) sum[j] += x[j];
      }
      for (let j = 0; j < x.length; j++) x[j] = sum[j] / innerSteps;
      // The average may leave the domain by a rounding.
      domain.projectInto(x, x);
    }
    for (const _ of rounds(epochs)) yield* epoch();
    return x;
  },
});
