import { acceleratedDpSrgd, dpFtrl, onlineToBatch } from '@lethe/algorithms';
import {
  sampledEvent,
  type Answer,
  type Batch,
  type Program,
  type Query,
  type Run,
  type Vector,
} from '@lethe/core';
import { defineMutant } from '../mutant.js';
import { restated } from '../reference/charging.js';
import { preparedOtherwise, spiedRun } from '../reference/spied-optimizer.js';

const source = 'kairouz-2021: Algorithm 1';
type Steps = Run['steps'];

/** The same run with other steps. */
const stepping = (run: Run, steps: (original: Program<Vector>) => Program<Vector>): Run =>
  Object.freeze({ ...run, steps: (given: Parameters<Steps>[0]) => steps(run.steps(given)) });

export const treeRestarted = defineMutant({
  id: 'optimizer/opens-new-stream-each-round-plans-one',
  title: 'opens a new stream of noise in each round, and plans one',
  kind: 'optimizer',
  source,
  killedBy: ['optimizer/event', 'optimizer/price'],
  within: 1,
  plant: () =>
    preparedOtherwise(dpFtrl, (prepare, context) =>
      stepping(prepare(context), function* (steps) {
        let opened: Query | undefined;
        let next = steps.next();
        while (next.done !== true) {
          let query = next.value;
          if (query.ask === 'open') opened = query;
          if (query.ask === 'push' && opened !== undefined)
            query = { ...query, stream: (yield { ...opened }) as typeof query.stream };
          next = steps.next(yield query);
        }
        return next.value;
      }),
    ),
});

export const secondEpoch = defineMutant({
  id: 'optimizer/pushes-each-batch-twice-to-stream-of-one-pass',
  title: 'pushes each batch twice to a stream that was opened for one pass',
  kind: 'optimizer',
  source,
  killedBy: ['optimizer/runs', 'optimizer/event'],
  within: 1,
  plant: () =>
    preparedOtherwise(dpFtrl, (prepare, context) =>
      stepping(prepare(context), function* (steps) {
        let next = steps.next();
        while (next.done !== true) {
          const query: Query = next.value;
          let answer: Answer = yield query.ask === 'open' ? { ...query, steps: 2 * query.steps } : query;
          if (query.ask === 'push') answer = yield query;
          next = steps.next(answer);
        }
        return next.value;
      }),
    ),
});

export const sumsNotProjected = defineMutant({
  id: 'optimizer/follows-the-leader-out-of-the-domain',
  title: 'follows the regularised leader without a projection',
  kind: 'optimizer',
  source,
  killedBy: ['optimizer/in-domain'],
  within: 24,
  plant: () =>
    preparedOtherwise(dpFtrl, (prepare, context) => {
      const { problem } = context;
      const domain = { kind: 'domain', name: 'whole-space', params: {} } as const;
      return Object.freeze({ ...prepare({ ...context, problem: { ...problem, domain } }), problem });
    }),
});

export const momentumOfLastRun = defineMutant({
  id: 'optimizer/momentum-of-the-last-run-enters-the-next',
  title: 'lets the momentum of the last run into the next',
  kind: 'optimizer',
  source,
  killedBy: ['optimizer/record-replay'],
  within: 30,
  plant() {
    let momentum: Vector | null = null;
    return preparedOtherwise(dpFtrl, (prepare, context) =>
      spiedRun(prepare(context), () => ({
        answer(query, answer) {
          if (query.ask !== 'push') return answer;
          const increment = (answer as Vector).map((entry, j) => entry + 0.5 * (momentum?.[j] ?? 0));
          momentum = increment.slice();
          return increment;
        },
      })),
    );
  },
});

export const momentumNotStored = defineMutant({
  id: 'optimizer/resumes-without-momentum-of-its-sums',
  title: 'resumes without the momentum of its sums',
  kind: 'optimizer',
  source,
  killedBy: ['optimizer/resume'],
  within: 120,
  plant: () =>
    preparedOtherwise(dpFtrl, (prepare, context) =>
      spiedRun(prepare(context), () => ({
        state: (own) => Object.fromEntries(Object.entries(own).filter(([name]) => name !== 'v')),
      })),
    ),
});

export const passSaidSampled = defineMutant({
  id: 'optimizer/claims-amplification-for-batches-in-stored-order',
  title: 'claims the amplification of sampling for batches in stored order',
  kind: 'optimizer',
  source,
  killedBy: ['optimizer/event'],
  within: 1,
  plant: () =>
    preparedOtherwise(dpFtrl, (prepare, context) => {
      const run = prepare(context);
      const { rounds } = run.plan as unknown as { readonly rounds: number };
      const event = sampledEvent({ kind: 'core/poisson', rate: 1 / rounds }, run.plan.event);
      return Object.freeze({ ...run, plan: { ...run.plan, event } });
    }),
});

export const factTakenForDomain = defineMutant({
  id: 'optimizer/bounds-the-risk-on-the-whole-space-by-the-distance-of-the-minimiser',
  title: 'bounds the risk on the whole space as if the distance of the minimiser kept the iterates near',
  kind: 'optimizer',
  source: 'zhang-tran-cutkosky-2022: Theorem 3',
  killedBy: ['optimizer/utility'],
  within: 200,
  plant: () =>
    preparedOtherwise(
      onlineToBatch,
      (prepare, context) => {
        const { problem } = context;
        if (problem.domain.name !== 'whole-space') return prepare(context);
        // One record a round, so that the points of the learner go far.
        const params = { ...(context.params as object), rounds: problem.slots[0] };
        const domain = {
          kind: 'domain',
          name: 'l2-ball',
          params: { radius: problem.facts['diameter'].value / 2 },
        } as const;
        const near = prepare({ ...context, params, problem: { ...problem, domain } }).plan;
        const { clipNorm } = near as unknown as { readonly clipNorm: number };
        const run = prepare({ ...context, params: { ...params, clipNorm } });
        return restated(run, () => ({ utility: near.utility }));
      },
      { params: { prefixSum: { name: 'independent-increments' } } },
    ),
});

export const batchesByAnswers = defineMutant({
  id: 'optimizer/takes-first-or-last-batch-by-the-last-answer',
  title: 'takes the first or the last of the batches that are left, by the sign of the last answer',
  kind: 'optimizer',
  source: 'choquette-choo-2024: a batch that depends on the points at which it is read',
  killedBy: ['optimizer/single-pass'],
  within: 7,
  plant: () =>
    preparedOtherwise(acceleratedDpSrgd, (prepare, context) =>
      spiedRun(prepare(context), () => {
        let left: readonly Batch[] = [];
        let isUp = true;
        return {
          answer(query, answer) {
            if (query.ask === 'split') left = [...(answer as readonly Batch[])];
            if (query.ask === 'push') isUp = (answer as Vector)[0] >= 0;
            return answer;
          },
          query(query) {
            if (query.ask !== 'push') return query;
            const batch = left.at(isUp ? 0 : -1) ?? query.batch;
            left = left.filter((one) => one !== batch);
            return { ...query, batch };
          },
        };
      }),
    ),
});

export const differencesFromFirstPoint = defineMutant({
  id: 'optimizer/differences-from-the-first-point',
  title: 'takes differences from the gradient at the first point, not at the one before',
  kind: 'optimizer',
  source: 'choquette-choo-2024: Algorithm 1',
  killedBy: ['optimizer/single-pass'],
  within: 3,
  plant: () =>
    preparedOtherwise(acceleratedDpSrgd, (prepare, context) =>
      spiedRun(prepare(context), () => {
        let start: Vector | undefined;
        return {
          query(query) {
            if (query.ask !== 'push') return query;
            const [now, before] = query.of.terms;
            start ??= now.at.slice();
            if (before === undefined) return query;
            return { ...query, of: { ...query.of, terms: [now, { ...before, at: start }] } };
          },
        };
      }),
    ),
});
