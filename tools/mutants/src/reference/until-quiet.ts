import { ask, clippedMeanEvent, repeatedEvent, type PrivacyEvent, type PrivacyFilter } from '@lethe/core';
import { defineOptimizer } from '@lethe/curator';
import { clippedMean, gaussian, l2Clip } from '@lethe/mechanisms';
import * as z from 'zod';

/** The smallest power of two for the noise multiplier at which `most` means fit the filter. */
function affordable(filter: PrivacyFilter, eventAt: (noiseMultiplier: number) => PrivacyEvent): number {
  let multiplier = 1;
  while (!filter.admits(eventAt(multiplier))) multiplier *= 2;
  return multiplier;
}

/**
 * Gradient descent that stops at a short answer, and after `most` answers at the latest; `overshoot` sends
 * more queries, as long as they are answered. With `stopping` fixed it plans all answers but stops early all
 * the same.
 */
export const untilQuiet = (overshoot = 0, stopping: 'adaptive' | 'fixed' = 'adaptive') =>
  defineOptimizer({
    name: 'until-quiet',
    summary: 'Gradient descent that stops at a short gradient.',
    source: { id: 'lethe', item: 'reference' },
    claims: [],
    params: z.strictObject({ most: z.int().positive(), short: z.number().nonnegative() }),
    examples: [{ most: 4, short: 1 }],
    needs: {},
    adjacencies: ['replace-one', 'add-remove', 'zero-out'],
    trustModels: ['central'],
    privacyRestsOn: 'clip',
    stopping,
    facts: {},
    plan({ problem, budget, params: { most, short }, calibrate, filter }) {
      const event = (noiseMultiplier: number) =>
        repeatedEvent(clippedMeanEvent(noiseMultiplier, problem.adjacency), most);
      const noiseMultiplier =
        filter === undefined
          ? calibrate({
              make: event,
              target: budget,
              adjacency: problem.adjacency,
              direction: 'larger-is-private',
            }).value
          : affordable(filter, event);
      return {
        most,
        short,
        noiseMultiplier,
        event: filter?.limit ?? event(noiseMultiplier),
        utility: null,
        gradients: (most + overshoot) * problem.slots[0],
      };
    },
    *steps({ plan, domain, start, allRecords }) {
      const w = domain.projectInto(new Float64Array(start.length), start);
      for (let t = 0; t < (overshoot > 0 ? Infinity : plan.most); t++) {
        const gradient = yield* ask.mean({
          at: w,
          batch: allRecords,
          mean: clippedMean({ clip: l2Clip({ radius: 1 }), mechanism: gaussian({}) }),
          target: { noiseMultiplier: plan.noiseMultiplier },
        });
        if (Math.hypot(...gradient) < plan.short) break;
        for (let j = 0; j < w.length; j++) w[j] -= 0.1 * gradient[j];
        domain.projectInto(w, w);
      }
      return w;
    },
  });
