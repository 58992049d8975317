import { ask, clippedMeanEvent, countedEvent, defineOptimizer, InvalidParameter, sampledEvent, type PublicState, type Vector } from '@lethe/core';
import { fixedSize } from '@lethe/mechanisms';
import { z } from 'zod';
import { centralSlots } from '../common/problem-facts.js';
import { gaussianMean, requiredLipschitz } from '../common/record-bound.js';
import { assertResumable } from '../common/resumable.js';

const params = z.strictObject({
  epochs: z.int().positive(),
  innerSteps: z.int().positive().describe('Steps of an epoch, from one full gradient.'),
  batchSize: z.int().positive().default(1).describe('Records whose gradients a step compares at two points.'),
  stepSize: z.number().positive(),
  clip: z.strictObject({ gradient: z.number().positive(), difference: z.number().positive() }).optional()
    .describe('Clip gradients at the snapshot, and differences of gradients, to these ℓ2 norms; instead of relying on a Lipschitz constant of every record.'),
  noiseMultiplier: z.number().positive().optional().describe('Noise over sensitivity of a step, in the run’s adjacency. Left out: calibrated to the budget.'),
  snapshotRatio: z.number().positive().default(1).describe('Noise multiplier of full gradients over that of steps.'),
  checkpointEvery: z.int().positive().default(1000).describe('Steps between places to resume from.'),
});

/**
 * Stochastic variance-reduced gradient descent with noise. Each epoch asks for a full gradient at its snapshot; each of its steps corrects that by the difference of gradients at
 * iterate and snapshot on a small secret batch, and takes a proximal step. The average of an epoch's iterates is the next snapshot.
 *
 * Epochs, correction, constant step, proximal map and averaging are theirs. The releases are not: they add noise to the corrected gradient as a whole and account for it by moments. Here
 * the full gradient is released once an epoch and differences by themselves, each difference bounded once (by `difference`, or twice the Lipschitz constant); both are
 * Gaussians, the second amplified by its draw, and accounted for exactly. So their bound on the risk does not apply, and none is given.
 *
 * Facts: `lipschitz` (every record) unless clipped. On domains other than the whole space a projection follows the proximal map.
 */
export const dpSvrg = defineOptimizer({
  name: 'dp-svrg',
  summary: 'Variance-reduced stochastic gradient descent with noise on full gradients and on differences.',
  source: { id: 'wang-ye-xu-2017', item: 'Algorithm 1' },
  params,
  examples: [{ epochs: 2, innerSteps: 3, stepSize: 0.1, checkpointEvery: 2 }, { epochs: 1, innerSteps: 4, stepSize: 0.2, batchSize: 2, clip: { gradient: 1, difference: 0.5 }, snapshotRatio: 0.5, noiseMultiplier: 2 }],
  claims: [
    { property: 'event', statement: 'epochs × Gaussian of everybody, epochs · innerSteps × Gaussian on a batch of fixed size' },
    { property: 'gradients', statement: 'epochs · (n + 2 · innerSteps · batchSize)' },
    { property: 'record-replay', statement: 'with answers frozen, queries and result do not depend on the data' },
  ],
  needs: { convex: true, smooth: true },
  adjacencies: ['replace-one', 'zero-out'],
  trustModels: ['central'],
  privacyRestsOn: 'every-record constants',
  stopping: 'fixed',
  facts: {},
  regularisers: 'any',
  plan({ problem, budget, params: { noiseMultiplier: fixed, clip, ...rest }, calibrate }) {
    const slots = centralSlots(problem), { epochs, innerSteps, batchSize, snapshotRatio } = rest;
    if (batchSize > slots) throw new InvalidParameter(`batchSize is ${batchSize}, more than the ${slots} slots; give at most ${slots}`, { batchSize, slots });
    if (clip === undefined) requiredLipschitz(problem, 'clip');
    const sampler = fixedSize.amplification({ size: batchSize }, slots)[problem.adjacency]!.sampler!;
    const event = (noiseMultiplier: number) => countedEvent([
      { event: clippedMeanEvent(noiseMultiplier * snapshotRatio, problem.adjacency), count: epochs },
      { event: sampledEvent(sampler, clippedMeanEvent(noiseMultiplier, problem.adjacency)), count: epochs * innerSteps },
    ]);
    const noiseMultiplier = fixed ?? calibrate({ make: event, target: budget, adjacency: problem.adjacency, direction: 'larger-is-private' }).value;
    return { ...rest, clip: clip ?? null, noiseMultiplier, event: event(noiseMultiplier), utility: null, gradients: epochs * (slots + 2 * innerSteps * batchSize) };
  },
  *steps({ plan, problem, domain, regulariser, start, allRecords, from }) {
    const { epochs, innerSteps, stepSize, clip } = plan, sampler = fixedSize({ size: plan.batchSize }), d = problem.dimension;
    const releaseOf = (radius: number | null, noiseMultiplier: number) => gaussianMean(radius, { noiseMultiplier });
    const whole = releaseOf(clip?.gradient ?? null, plan.noiseMultiplier * plan.snapshotRatio), difference = releaseOf(clip?.difference ?? null, plan.noiseMultiplier);
    const state = from as State | null;
    assertResumable(state?.step ?? 0, epochs * innerSteps);
    const x = state?.iterate.slice() ?? domain.projectInto(new Float64Array(d), start), snapshot = state?.snapshot.slice() ?? x.slice();
    const sum = state?.sum.slice() ?? new Float64Array(d);
    let full = state?.full ?? new Float64Array(d);
    for (let step = (state?.step ?? 0) + 1; step <= epochs * innerSteps; step++) {
      if ((step - 1) % innerSteps === 0) full = yield* ask.mean({ at: snapshot, batch: allRecords, ...whole });
      const batch = yield* ask.draw({ sampler, from: allRecords });
      const correction = yield* ask.mean({ terms: [{ weight: 1, at: x }, { weight: -1, at: snapshot }], batch, ...difference });
      yield* ask.close(batch);
      for (let j = 0; j < d; j++) x[j] -= stepSize * (full[j] + correction[j]);
      regulariser?.proxInto(x, x, stepSize);
      domain.projectInto(x, x);
      for (let j = 0; j < d; j++) sum[j] += x[j];
      if (step % innerSteps === 0) {
        for (let j = 0; j < d; j++) snapshot[j] = sum[j] / innerSteps;
        // The average may leave the domain by a rounding.
        domain.projectInto(snapshot, snapshot);
        x.set(snapshot);
        sum.fill(0);
      }
      if (step % plan.checkpointEvery === 0 && step < epochs * innerSteps) yield* ask.checkpoint({ step, iterate: x.slice(), snapshot: snapshot.slice(), sum: sum.slice(), full: full.slice() });
    }
    return snapshot;
  },
});

interface State { readonly [key: string]: PublicState; readonly step: number; readonly iterate: Vector; readonly snapshot: Vector; readonly sum: Vector; readonly full: Vector }
