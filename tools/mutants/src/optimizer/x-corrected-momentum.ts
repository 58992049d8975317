import { dpMu2Sgd } from '@lethe/algorithms';
import { gaussianEvent, type Vector } from '@lethe/core';
import { defineMutant } from '../mutant.js';
import { preparedOtherwise, spiedRun } from '../reference/spied-optimizer.js';

const source = 'reshef-levy-2024: Section 4';

export const pointBeforeNotStored = defineMutant({
  id: 'optimizer/corrected-momentum-resumes-without-point-before',
  title: 'resumes corrected momentum without the point before',
  kind: 'optimizer',
  source,
  killedBy: ['optimizer/resume'],
  within: 120,
  plant: () =>
    preparedOtherwise(dpMu2Sgd, (prepare, context) =>
      spiedRun(prepare(context), () => ({
        state: (own) => Object.fromEntries(Object.entries(own).filter(([name]) => name !== 'xBefore')),
      })),
    ),
});

export const sumsCountedOnce = defineMutant({
  id: 'optimizer/sums-of-corrected-momentum-counted-as-one-release',
  title: 'plans the noisy sums of corrected momentum at the price of one of them',
  kind: 'optimizer',
  source,
  killedBy: ['optimizer/event'],
  within: 1,
  plant: () =>
    preparedOtherwise(dpMu2Sgd, (prepare, context) => {
      const run = prepare(context);
      const { rounds, noiseMultiplier } = run.plan as unknown as {
        readonly rounds: number;
        readonly noiseMultiplier: number;
      };
      const event = gaussianEvent(noiseMultiplier * Math.sqrt(rounds), { 'replace-one': 1, 'zero-out': 1 });
      return Object.freeze({ ...run, plan: { ...run.plan, event } });
    }),
});

export const sumsOfLastRun = defineMutant({
  id: 'optimizer/corrected-momentum-of-last-run-enters-next',
  title: 'lets the corrected momentum of the last run into the next',
  kind: 'optimizer',
  source,
  killedBy: ['optimizer/record-replay'],
  within: 30,
  plant() {
    let last: Vector | null = null;
    return preparedOtherwise(dpMu2Sgd, (prepare, context) =>
      spiedRun(prepare(context), () => ({
        answer(query, answer) {
          if (query.ask !== 'push') return answer;
          const increment = (answer as Vector).map((entry, j) => entry + 0.5 * (last?.[j] ?? 0));
          last = increment.slice();
          return increment;
        },
      })),
    );
  },
});
