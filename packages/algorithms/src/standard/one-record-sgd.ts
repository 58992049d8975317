import { ask, clippedMeanEvent, clippedMeanSensitivity, defineOptimizer, factValue, InvalidParameter, repeatedEvent, sampledEvent, sensitivityUnder, type Problem, type PublicState, type Vector } from '@lethe/core';
import { fixedSize } from '@lethe/mechanisms';
import { z } from 'zod';
import { centralSlots, diameterOf } from '../common/problem-facts.js';
import { gaussianMean, lipschitzOf, requiredLipschitz } from '../common/record-bound.js';
import { assertResumable } from '../common/resumable.js';

const params = z.strictObject({
  steps: z.int().positive().optional().describe('Left out: the square of the number of records.'),
  schedule: z.enum(['convex', 'strongly-convex']).default('convex').describe('Steps of stepSize/√t; or of 1/(strongConvexity·t).'),
  stepSize: z.number().positive().optional().describe('Of the first step of the convex schedule. Left out: diameter over the root mean square of noisy gradients.'),
  clipNorm: z.number().positive().optional().describe('Clip each gradient to this ℓ2 norm, instead of relying on a Lipschitz constant of every record.'),
  noiseMultiplier: z.number().positive().optional().describe('Noise over sensitivity of a step, in the run’s adjacency. Left out: calibrated to the budget.'),
  checkpointEvery: z.int().positive().default(1000).describe('Steps between places to resume from.'),
});

/** `G² ≥ E‖noisy gradient‖²` of a record bounded by `radius`. */
function squareOf({ dimension, adjacency }: Problem, radius: number, noiseMultiplier: number): number {
  const scale = noiseMultiplier * sensitivityUnder(clippedMeanSensitivity, adjacency, 'a clipped gradient') * radius;
  return radius ** 2 + dimension * scale ** 2;
}

/**
 * Stochastic gradient descent on one record at a time, with noise: the method to which Table 1 of the sketched methods is compared. Each step draws a record in secret, adds
 * noise to its gradient, takes a step of decreasing size and projects. The last iterate is returned.
 *
 * The algorithm is theirs. The noise is not: they bound subsampling and composition by formulas, here each step is charged as a Gaussian on a batch of one record and
 * accounted for exactly. Facts: `lipschitz` (every record) unless clipped; `diameter` if the domain is unbounded; `strongConvexity` for its schedule.
 *
 * `plan.utility` bounds the expected excess empirical risk of the last iterate (Shamir and Zhang 2013, Theorems 1 and 2), unless gradients may be clipped or,
 * with the convex schedule, the domain is unbounded.
 */
export const oneRecordSgd = defineOptimizer({
  name: 'one-record-sgd',
  summary: 'Stochastic gradient descent on single records with noise, steps of 1/√t and projection.',
  source: { id: 'bassily-2014', item: 'Algorithm 1' },
  params,
  examples: [{ steps: 7, checkpointEvery: 3 }, { steps: 5, clipNorm: 1, stepSize: 0.5 }],
  claims: [
    { property: 'event', statement: 'steps × Gaussian on one record of all' },
    { property: 'gradients', statement: 'one a step' },
    { property: 'record-replay', statement: 'with answers frozen, queries and result do not depend on the data' },
  ],
  needs: { convex: true },
  adjacencies: ['replace-one', 'zero-out'],
  trustModels: ['central'],
  privacyRestsOn: 'every-record constants',
  stopping: 'fixed',
  facts: {},
  plan({ problem, domain, budget, params: { steps: wanted, schedule, stepSize: givenSize, clipNorm, noiseMultiplier: fixed, checkpointEvery }, calibrate }) {
    const slots = centralSlots(problem), lipschitz = lipschitzOf(problem), steps = wanted ?? slots ** 2;
    if (!Number.isSafeInteger(steps)) throw new InvalidParameter(`the square of ${slots} records is more steps than can be counted; give steps`, { slots });
    const radius = clipNorm ?? requiredLipschitz(problem, 'clipNorm');
    const sampler = fixedSize.amplification({ size: 1 }, slots)[problem.adjacency]!.sampler!;
    const event = (noiseMultiplier: number) => repeatedEvent(sampledEvent(sampler, clippedMeanEvent(noiseMultiplier, problem.adjacency)), steps);
    const noiseMultiplier = fixed ?? calibrate({ make: event, target: budget, adjacency: problem.adjacency, direction: 'larger-is-private' }).value;
    const square = squareOf(problem, radius, noiseMultiplier), isClipped = clipNorm !== undefined && (lipschitz === null || clipNorm < lipschitz);
    const decay = schedule === 'convex' ? convexDecay(givenSize, () => diameterOf(problem, domain), square) : 1 / positiveConvexity(problem);
    const count = steps + 1, source = 'shamir-zhang-2013, expected excess empirical risk of the last iterate';
    // Iterates keep within what the domain projects onto; a declared diameter of an unbounded one sets the step size only.
    const { diameter } = domain;
    const bound = schedule === 'convex' ? ((diameter ** 2 / decay + decay * square) * (2 + Math.log(count))) / Math.sqrt(count) : (17 * square * decay * (1 + Math.log(count))) / count;
    return {
      steps, schedule, decay, clipNorm: clipNorm ?? null, noiseMultiplier, checkpointEvery,
      event: event(noiseMultiplier),
      utility: isClipped || !(bound < Infinity) ? null : { bound, source: `${source}, Theorem ${schedule === 'convex' ? 2 : 1}` },
      gradients: steps,
    };
  },
  *steps({ plan, domain, start, allRecords, from }) {
    const sampler = fixedSize({ size: 1 });
    const release = gaussianMean(plan.clipNorm, { noiseMultiplier: plan.noiseMultiplier });
    const state = from as State | null;
    assertResumable(state?.step ?? 0, plan.steps);
    const w = state?.iterate.slice() ?? domain.projectInto(new Float64Array(start.length), start);
    for (let t = (state?.step ?? 0) + 1; t <= plan.steps; t++) {
      const batch = yield* ask.draw({ sampler, from: allRecords });
      const gradient = yield* ask.mean({ at: w, batch, ...release });
      yield* ask.close(batch);
      const stepSize = plan.decay / (plan.schedule === 'convex' ? Math.sqrt(t) : t);
      for (let j = 0; j < w.length; j++) w[j] -= stepSize * gradient[j];
      domain.projectInto(w, w);
      if (t % plan.checkpointEvery === 0 && t < plan.steps) yield* ask.checkpoint({ step: t, iterate: w.slice() });
    }
    return w;
  },
});

const convexDecay = (given: number | undefined, diameter: () => number, square: number): number => given ?? diameter() / Math.sqrt(square);

function positiveConvexity(problem: Problem): number {
  const convexity = factValue(problem, 'strongConvexity');
  if (convexity > 0) return convexity;
  throw new InvalidParameter(`the fact 'strongConvexity' is ${convexity}; the strongly-convex schedule needs a positive one`, { strongConvexity: convexity });
}

interface State { readonly [key: string]: PublicState; readonly step: number; readonly iterate: Vector }
