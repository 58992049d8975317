import { ask } from '@lethe/core';
import { defineOptimizer } from '@lethe/curator';
import { clippedMean, gaussian, l2Clip } from '@lethe/mechanisms';
import * as z from 'zod';
/**
 * Gradient descent on all records: `w ← P(w − stepSize · mean)`, clipped means with Gaussian noise. Say here
 * what yours asks for at each step, and what the excess risk is. What it costs follows from its steps, and
 * its states are what a resumed run needs.
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
    examples: [{ steps: 4, clipNorm: 1, stepSize: 0.1 }, { steps: 9, clipNorm: 0.5, stepSize: 0.3 }],
    claims: [
        { property: 'event', statement: 'steps × Gaussian of the planned multiplier, equal to the ledger’s' },
        {
            property: 'record-replay',
            statement: 'with answers frozen, queries and result do not depend on the data',
        },
        { property: 'within-budget', statement: 'the event costs no more than the budget' },
    ],
    adjacencies: ['replace-one', 'add-remove', 'zero-out'],
    trustModels: ['central'],
    privacyRestsOn: 'clip',
    plan({ params, noiseFor }) {
        const noiseMultiplier = noiseFor((multiplier) => ({ ...params, noiseMultiplier: multiplier }));
        return { ...params, noiseMultiplier, utility: null };
    },
    *steps({ plan, domain, start, allRecords, state, rounds }) {
        const mean = clippedMean({ clip: l2Clip({ radius: plan.clipNorm }), mechanism: gaussian({}) });
        const target = { noiseMultiplier: plan.noiseMultiplier };
        const { w } = state({ w: domain.projectInto(start, start) });
        for (const _ of rounds(plan.steps)) {
            const gradient = yield* ask.mean({ at: w, batch: allRecords, mean, target });
            for (let j = 0; j < w.length; j++)
                w[j] -= plan.stepSize * gradient[j];
            domain.projectInto(w, w);
        }
        return w;
    },
});
