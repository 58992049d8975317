import { ask, clippedMeanEvent, Corrupt, defineOptimizer, repeatedEvent, Unsupported, type PublicState, type Vector } from '@lethe/core';
import { clippedMean, gaussian, l2Clip } from '@lethe/mechanisms';
import { z } from 'zod';

interface State { readonly [key: string]: PublicState; readonly step: number; readonly iterate: Vector }

/**
 * Gradient descent on all records: `w ← P(w − stepSize · mean)`, clipped means with Gaussian noise. Say here what yours asks for at each
 * step, and what the excess risk is.
 */
export const templateOptimizer = defineOptimizer({
  name: 'template-optimizer',
  summary: 'Gradient descent on the clipped gradients of all records, with Gaussian noise.',
  source: { id: 'lethe', item: 'template' },
  params: z.strictObject({
    steps: z.int().positive().max(1e6),
    clipNorm: z.number().positive().describe('ℓ2 norm to which each gradient is scaled down.'),
    stepSize: z.number().positive(),
  }),
  examples: [{ steps: 4, clipNorm: 1, stepSize: 0.1 }],
  claims: [
    { property: 'event', statement: 'steps × Gaussian of the planned multiplier, equal to the ledger’s' },
    { property: 'record-replay', statement: 'with answers frozen, queries and result do not depend on the data' },
    { property: 'within-budget', statement: 'the event costs no more than the budget' },
  ],
  needs: {},
  adjacencies: ['replace-one', 'add-remove', 'zero-out'],
  trustModels: ['central'],
  privacyRestsOn: 'clip',
  stopping: 'fixed',
  facts: {},
  plan({ problem, budget, params, calibrate }) {
    const [slots, ...more] = problem.slots;
    if (slots === undefined || more.length > 0) throw new Unsupported(`a central curator holds one data set; the problem declares slots [${problem.slots.join(', ')}]. Give one number.`, { slots: problem.slots });
    const event = (noiseMultiplier: number) => repeatedEvent(clippedMeanEvent(noiseMultiplier, problem.adjacency), params.steps);
    const noiseMultiplier = calibrate({ make: event, target: budget, adjacency: problem.adjacency, direction: 'larger-is-private' }).value;
    return { ...params, noiseMultiplier, event: event(noiseMultiplier), utility: null, gradients: params.steps * slots };
  },
  *steps({ plan, domain, start, allRecords, from }) {
    const mean = clippedMean({ clip: l2Clip({ radius: plan.clipNorm }), mechanism: gaussian({}) });
    const target = { noiseMultiplier: plan.noiseMultiplier };
    const state = from as State | null, first = state?.step ?? 0;
    if (!Number.isSafeInteger(first) || first < 0 || first > plan.steps) throw new Corrupt(`the checkpoint is at step ${String(first)} of a plan of ${plan.steps}; restore a copy of the transcript`, { step: String(first) });
    const w = state?.iterate.slice() ?? domain.projectInto(new Float64Array(start.length), start);
    for (let t = first + 1; t <= plan.steps; t++) {
      const gradient = yield* ask.mean({ at: w, batch: allRecords, mean, target });
      for (let j = 0; j < w.length; j++) w[j] -= plan.stepSize * gradient[j];
      domain.projectInto(w, w);
      if (t < plan.steps) yield* ask.checkpoint({ step: t, iterate: w.slice() });
    }
    return w;
  },
});
