import {
  ask, clippedMeanEvent, clippedMeanSensitivity, defineOptimizer, factValue, InvalidParameter, parallelEvent, sensitivityUnder,
  type Batch, type PublicState,
} from '@lethe/core';
import { clippedGaussian, gaussian, l2Clip } from '@lethe/mechanisms';
import { z } from 'zod';
import { centralSlots, diameterOf, domainOf } from '../common/problem-facts.js';
import { assertResumable } from '../common/resumable.js';
import { acSa, type AcSaState } from './ac-sa.js';
import { declaredMoments } from './gradient-moments.js';
import { smoothConvexSchedule } from './smooth-convex-schedule.js';

const params = z.strictObject({
  schedule: z.enum(['corrected', 'printed']).default('corrected').describe('Theorem 31 as corrected, or as printed.'),
  momentOrder: z.number().min(2).optional().describe('k. Left out: the declared order with the least predicted bound.'),
  rounds: z.int().positive().optional().describe('T. Left out: from Theorem 31.'),
  clipNorm: z.number().positive().optional().describe('C. Left out: from Theorem 31.'),
  noiseMultiplier: z.number().positive().optional().describe('Noise over sensitivity, in the run’s adjacency. Left out: calibrated to the budget.'),
  release: z.enum(['noise', 'oracle']).default('noise').describe('Ask for clipped means with noise, or name the mean oracle that does the same.'),
  checkpointEvery: z.int().positive().default(250).describe('Rounds between places to resume from.'),
});

/**
 * Accelerated clipped stochastic gradient descent in one pass, for smooth convex risks with heavy-tailed gradients. Records are shuffled and
 * split into `T` disjoint batches, so the whole run costs as much as one round.
 *
 * Facts: `smoothness` (or `populationSmoothness`, of the risk itself, if declared); `gradientMoment.k` for one or more `k ≥ 2`, upper
 * bounds on `(E‖∇f‖^k)^(1/k)`; `diameter` if the domain is unbounded. None of them enters a sensitivity: a wrong one costs accuracy, not
 * privacy. `plan.utility` bounds the expected excess population risk, if the records are independent and the facts hold.
 */
export const noisyClippedAcSa = defineOptimizer({
  name: 'noisy-clipped-ac-sa',
  summary: 'One-pass accelerated gradient descent on clipped means with Gaussian noise.',
  source: { id: 'lowy-razaviyayn', item: 'Algorithm 2, Theorem 31' },
  params,
  examples: [{ rounds: 4, clipNorm: 1, checkpointEvery: 2 }, { rounds: 3, clipNorm: 2, release: 'oracle', schedule: 'printed' }],
  claims: [
    { property: 'event', statement: 'one Gaussian of the planned multiplier: disjoint batches cost their maximum', source: { id: 'lowy-razaviyayn', item: 'Theorem 31' } },
    { property: 'utility', statement: 'E F(w) − F* ≤ 2ηD²/(T(T+1)) + 4(Σ²+B²)(T+2)/(3η) + BD', source: { id: 'lowy-razaviyayn', item: 'Proposition 30' } },
    { property: 'gradients', statement: 'at most n gradients', source: { id: 'lowy-razaviyayn', item: 'Theorem 31' } },
    { property: 'record-replay', statement: 'with answers frozen, queries and result do not depend on the data' },
  ],
  needs: { convex: true, smooth: true },
  adjacencies: ['replace-one', 'zero-out'],
  trustModels: ['central'],
  privacyRestsOn: 'clip',
  stopping: 'fixed',
  facts: { smoothness: 'the step size is at most 1/(4·smoothness)' },
  plan({ problem, budget, params: { schedule, momentOrder, rounds, clipNorm, noiseMultiplier: fixed, release, checkpointEvery }, calibrate }) {
    const slots = centralSlots(problem);
    if (rounds !== undefined && rounds > slots) throw new InvalidParameter(`rounds is ${rounds}, more than the ${slots} slots; each round needs a record of its own`, { rounds, slots });
    const event = (noiseMultiplier: number) => parallelEvent([clippedMeanEvent(noiseMultiplier, problem.adjacency)]);
    const noiseMultiplier = fixed ?? calibrate({ make: event, target: budget, adjacency: problem.adjacency, direction: 'larger-is-private' }).value;
    const known = {
      slots, dimension: problem.dimension, noiseMultiplier,
      smoothness: problem.facts['populationSmoothness']?.value ?? factValue(problem, 'smoothness'),
      diameter: diameterOf(problem, domainOf(problem)),
      sensitivityFactor: sensitivityUnder(clippedMeanSensitivity, problem.adjacency, 'a clipped mean'),
    };
    const candidates = declaredMoments(problem, momentOrder).map((moments) => ({ ...moments, ...smoothConvexSchedule({ ...known, ...moments }, schedule, { rounds, clipNorm }) }));
    const { excessRisk, ...best } = candidates.reduce((a, b) => (b.excessRisk < a.excessRisk ? b : a));
    return {
      ...best, noiseMultiplier, schedule, release, checkpointEvery,
      smoothness: known.smoothness, diameter: known.diameter,
      event: event(noiseMultiplier),
      utility: { bound: excessRisk, source: 'lowy-razaviyayn, Eq. 30b with Theorem 31’s B and Σ; expected excess population risk' },
      gradients: best.rounds * best.batchSize,
    };
  },
  *steps({ plan, problem, start, everyone, from }) {
    const domain = domainOf(problem);
    const target = { noiseMultiplier: plan.noiseMultiplier };
    const release = plan.release === 'oracle'
      ? { by: 'oracle', oracle: clippedGaussian({ radius: plan.clipNorm }), target } as const
      : { by: 'noise', bound: { by: 'clip', clip: l2Clip({ radius: plan.clipNorm }) }, noise: { mechanism: gaussian({}), target } } as const;
    const state = from as State | null;
    assertResumable(state?.round ?? 0, plan.rounds);
    const batches = state === null
      ? yield* ask.split({ of: everyone, order: 'shuffled', parts: { by: 'size', sizes: Array.from({ length: plan.rounds }, () => plan.batchSize) } })
      : state.batches as unknown as readonly Batch[];
    return yield* acSa({
      rounds: plan.rounds, eta: plan.eta, domain,
      start: state ?? domain.projectInto(new Float64Array(start.length), start),
      oracle: (at, t) => ask.mean({ at, batch: batches[t - 1], release }),
      *afterRound({ round, iterate, aggregate }) {
        if (round % plan.checkpointEvery !== 0) return;
        yield* ask.checkpoint({ round, iterate: iterate.slice(), aggregate: aggregate.slice(), batches: batches as unknown as PublicState });
      },
    });
  },
});

interface State extends AcSaState { readonly [key: string]: PublicState; readonly round: number; readonly batches: PublicState }
