import { ask, buildDomain, clippedMeanEvent, defineOptimizer, repeatedEvent } from '@lethe/core';
import { gaussian, l2Clip } from '@lethe/mechanisms';
import { z } from 'zod';

/** Gradient descent that stops when an answer is short, and after `most` answers at the latest; `overshoot` asks for more than the plan has. */
export const untilQuiet = (overshoot = 0) => defineOptimizer({
  name: 'until-quiet', summary: 'Gradient descent that stops at a short gradient.', source: { id: 'lethe', item: 'reference' }, claims: [],
  params: z.strictObject({ most: z.int().positive(), short: z.number().nonnegative() }), examples: [{ most: 4, short: 1 }],
  needs: {}, adjacencies: ['replace-one', 'add-remove', 'zero-out'], trustModels: ['central'], privacyRestsOn: 'clip', stopping: 'adaptive', facts: {},
  plan({ problem, budget, params: { most, short }, calibrate }) {
    const event = (noiseMultiplier: number) => repeatedEvent(clippedMeanEvent(noiseMultiplier, problem.adjacency), most);
    const { value: noiseMultiplier } = calibrate({ make: event, target: budget, adjacency: problem.adjacency, direction: 'larger-is-private' });
    return { most, short, noiseMultiplier, event: event(noiseMultiplier), utility: null, gradients: (most + overshoot) * problem.slots[0]! };
  },
  *steps({ plan, problem, start, everyone }) {
    const domain = buildDomain(problem.domain, problem.dimension), w = domain.projectInto(new Float64Array(start.length), start);
    for (let t = 0; t < plan.most + overshoot; t++) {
      const gradient = yield* ask.mean({ at: w, batch: everyone, release: { by: 'noise', bound: { by: 'clip', clip: l2Clip({ radius: 1 }) }, noise: { mechanism: gaussian({}), target: { noiseMultiplier: plan.noiseMultiplier } } } });
      if (Math.hypot(...gradient) < plan.short) break;
      for (let j = 0; j < w.length; j++) w[j]! -= 0.1 * gradient[j]!;
      domain.projectInto(w, w);
    }
    return w;
  },
});
