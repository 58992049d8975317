import { noisyClippedAcSa, noisyClippedSgd } from '@lethe/algorithms';
import type { PrivacyEvent, Problem } from '@lethe/core';
import { defineMutant } from '../mutant.js';
import { restated, rewritten } from '../reference/charging.js';
import { preparedOtherwise } from '../reference/spied-optimizer.js';

const source = 'lowy-razaviyayn: Appendix I';
const floor = ({ trust }: Problem): number => (trust.model === 'shuffle' ? trust.honestUsers : Infinity);

export const xOptimizer40 = defineMutant({
  id: 'optimizer/plan-takes-all-users-honest',
  title: 'a plan that takes all users for honest',
  kind: 'optimizer',
  source,
  killedBy: ['optimizer/shuffled'],
  within: 1,
  plant: () =>
    preparedOtherwise(noisyClippedAcSa, (prepare, context) => {
      const { problem } = context;
      const [slots] = problem.slots;
      const run = prepare({
        ...context,
        problem:
          problem.trust.model === 'shuffle'
            ? { ...problem, trust: { model: 'shuffle', honestUsers: slots } }
            : problem,
      });
      return Object.freeze({ ...run, problem });
    }),
});
export const xOptimizer41 = defineMutant({
  id: 'optimizer/plan-thinks-dishonest-spread-evenly-over-batches',
  title: 'a plan that thinks the dishonest spread evenly over batches',
  kind: 'optimizer',
  source,
  killedBy: ['optimizer/shuffled'],
  within: 1,
  plant: () =>
    preparedOtherwise(noisyClippedSgd, (prepare, context) => {
      const run = prepare(context);
      const { problem } = context;
      const size = (run.plan as unknown as { readonly batchSize: number }).batchSize;
      return restated(run, ({ event }) => ({
        event: rewritten(event, (part) =>
          part.kind === 'core/shuffled'
            ? ({
                ...part,
                honestUsers: Math.ceil((size * floor(problem)) / problem.slots[0]),
              } as unknown as PrivacyEvent)
            : part,
        ),
      }));
    }),
});
export const xOptimizer42 = defineMutant({
  id: 'optimizer/all-batches-share-budget-plan-each-takes',
  title: 'all batches share the budget in the plan, each takes the whole of it',
  kind: 'optimizer',
  source,
  killedBy: ['optimizer/shuffled'],
  within: 1,
  plant: () =>
    preparedOtherwise(noisyClippedSgd, (prepare, context) => {
      const run = prepare(context);
      return restated(run, ({ event }) => ({
        event: rewritten(event, (part) =>
          part.kind === 'core/shuffled'
            ? ({
                ...part,
                epsilon: (part as unknown as { readonly epsilon: number }).epsilon / 4,
              } as unknown as PrivacyEvent)
            : part,
        ),
      }));
    }),
});
