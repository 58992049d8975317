import { ask, repeatedEvent, gaussianEvent, type PrivacyEvent } from '@lethe/core';
import { defineOptimizer } from '@lethe/curator';
import { subjectsOf, type Subject } from '@lethe/laws';
import { clippedMean, gaussian, l2Clip } from '@lethe/mechanisms';
import * as z from 'zod';
import { defineMutant } from '../mutant.js';
import { companions } from '../reference/spied-optimizer.js';

/** Gradient descent with a number of steps, of which those after the thousandth have half of the noise. */
const halvedLater = (stated?: (noise: number, steps: number) => PrivacyEvent): Subject<'optimizer'> =>
  subjectsOf(
    defineOptimizer({
      name: 'own-steps',
      summary: 'Gradient descent, with a fault in long runs.',
      source: { id: 'lethe', item: 'mutant' },
      params: z.strictObject({ steps: z.int().positive(), noise: z.number().positive() }),
      examples: [{ steps: 6, noise: 4 }],
      claims: [],
      needs: {},
      adjacencies: ['replace-one'],
      trustModels: ['central'],
      privacyRestsOn: 'clip',
      stopping: 'fixed',
      facts: {},
      plan: ({ params: { steps, noise }, problem }) => ({
        steps,
        noise,
        utility: null,
        ...(stated === undefined
          ? {}
          : { event: stated(noise, steps), gradients: steps * (problem.slots[0] ?? 0) }),
      }),
      *steps({ plan: { steps, noise }, start, allRecords, domain, state, rounds }) {
        const { w } = state({ w: domain.projectInto(start, start) });
        for (const t of rounds(steps)) {
          const gradient = yield* ask.mean({
            at: w,
            batch: allRecords,
            mean: clippedMean({ clip: l2Clip({ radius: 1 }), mechanism: gaussian({}) }),
            target: { noiseMultiplier: t > 1000 ? noise / 2 : noise },
          });
          for (let j = 0; j < w.length; j++) w[j] -= 0.1 * gradient[j];
          domain.projectInto(w, w);
        }
        return w;
      },
    }),
    { registry: companions },
  )[0] as Subject<'optimizer'>;

export const halvedAfterThousand = defineMutant({
  id: 'optimizer/noise-halved-after-step-1000',
  title: 'asks for half of the noise from step 1001 on; its examples have six steps',
  kind: 'optimizer',
  source: 'generic',
  killedBy: ['optimizer/long-runs'],
  within: 4,
  plant: () => halvedLater(),
});

export const halvedAfterThousandStated = defineMutant({
  id: 'optimizer/noise-halved-after-step-1000-of-stated-cost',
  title: 'the same, with an event that the plan states itself',
  kind: 'optimizer',
  source: 'generic',
  killedBy: ['optimizer/long-runs'],
  within: 4,
  plant: () =>
    halvedLater((noise, steps) => repeatedEvent(gaussianEvent(noise, { 'replace-one': 1 }), steps)),
});
