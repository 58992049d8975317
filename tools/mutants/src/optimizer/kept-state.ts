import { dpSgd, noisyClippedAcSa } from '@lethe/algorithms';
import type { Batch, Vector } from '@lethe/core';
import { defineMutant } from '../mutant.js';
import { preparedOtherwise, spiedRun } from '../reference/spied-optimizer.js';

const source = 'generic';

export const xOptimizer15 = defineMutant({
  id: 'optimizer/keeps-noise-calibrated-once-whatever-budget-comes',
  title: 'keeps the noise it calibrated once, whatever budget comes next',
  kind: 'optimizer',
  source,
  killedBy: ['optimizer/within-budget'],
  within: 12,
  plant: () => {
    const kept = new Map<string, unknown>();
    return preparedOtherwise(dpSgd, (prepare, context) => {
      const key = JSON.stringify([context.params, context.problem.adjacency]);
      const noiseMultiplier = kept.get(key);
      const run = prepare(
        noiseMultiplier === undefined
          ? context
          : ({ ...context, params: { ...(context.params as object), noiseMultiplier } } as typeof context),
      );
      kept.set(key, (run.plan as unknown as { readonly noiseMultiplier: number }).noiseMultiplier);
      return run;
    });
  },
});

export const xOptimizer16 = defineMutant({
  id: 'optimizer/comes-back-first-batch-after-fourth-round',
  title: 'comes back to its first batch after the fourth round',
  kind: 'optimizer',
  source: 'generic: an index modulo a small number',
  killedBy: ['optimizer/event'],
  within: 20,
  plant: () =>
    preparedOtherwise(noisyClippedAcSa, (prepare, context) =>
      spiedRun(prepare(context), () => {
        let first: Batch | undefined;
        let round = 0;
        return {
          answer(query, answer) {
            if (query.ask === 'split') [first] = answer as readonly Batch[];
            return answer;
          },
          query: (query) =>
            query.ask === 'mean' && first !== undefined && ++round > 4 ? { ...query, batch: first } : query,
        };
      }),
    ),
});

export const xOptimizer17 = defineMutant({
  id: 'optimizer/resumes-without-mean-iterates-default-offers-no',
  title:
    'resumes without the mean of its iterates, and by default offers no place to resume from in a short run',
  kind: 'optimizer',
  source,
  killedBy: ['optimizer/resume'],
  within: 200,
  plant: () =>
    preparedOtherwise(
      dpSgd,
      (prepare, context) =>
        spiedRun(prepare(context), () => ({
          state: (state) => ({
            ...(state as { readonly mean: Vector }),
            mean: new Float64Array((state as { readonly mean: Vector }).mean.length),
          }),
        })),
      { params: { steps: 4, batchSize: 3, clipNorm: 0.5, stepSize: 0.2, average: 'polyak' } },
    ),
});
