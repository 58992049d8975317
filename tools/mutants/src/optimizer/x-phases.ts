import {
  heavyTailedGradientDescent,
  localizedStronglyConvex,
  localizedSubgradient,
  noisyClippedSubgradient,
} from '@lethe/algorithms';
import {
  parallelEvent,
  type Answer,
  type Program,
  type Batch,
  type MeanQuery,
  type PrivacyEvent,
  type Query,
  type Run,
  type Vector,
} from '@lethe/core';
import { defineMutant } from '../mutant.js';
import { chargedAs, once, restated } from '../reference/charging.js';
import { preparedOtherwise, spiedRun, type Spy } from '../reference/spied-optimizer.js';

const source = 'lowy-razaviyayn: Algorithms 3 and 4';
const subsampled = { variant: 'subsampled', mostRounds: 4, clipNorm: 1 };

/** Spies on the batches that the records were dealt to. */
function partitioned(batchFor: (batches: readonly Batch[], asked: Batch, answers: number) => Batch): Spy {
  let batches: readonly Batch[] = [];
  let answers = 0;
  return {
    answer(query, answer) {
      if (query.ask === 'split') batches = answer as readonly Batch[];
      if (query.ask === 'mean') answers++;
      return answer;
    },
    query: (query: Query) => {
      if (query.ask === 'mean') return { ...query, batch: batchFor(batches, query.batch, answers) };
      return query;
    },
  };
}

/** Ends when `stops` says so of an answer and the first one. */
function* cutShort(
  steps: Program<Vector>,
  stops: (length: number, first: number) => boolean,
  point: () => Vector,
): Program<Vector> {
  let first: number | undefined;
  for (let next = steps.next(); ;) {
    if (next.done === true) return next.value;
    const answer = yield next.value;
    if (next.value.ask === 'mean') {
      const length = Math.hypot(...(answer as Vector));
      first ??= length;
      if (stops(length, first)) return point();
    }
    next = steps.next(answer);
  }
}

/** Ends where it was asked last. */
const stoppingRun = (run: Run, stops: (length: number, first: number) => boolean): Run =>
  Object.freeze({
    ...run,
    steps(context: Parameters<Run['steps']>[0]) {
      let at = new Float64Array(context.start.length);
      const watched = spiedRun(run, () => ({
        query(query) {
          if (query.ask === 'mean') at = query.of.terms[0].at.slice();
          return query;
        },
      }));
      return cutShort(watched.steps(context), stops, () => at);
    },
  });

export const xOptimizer18 = defineMutant({
  id: 'optimizer/each-phase-charged-one-rounds',
  title: 'each phase is charged one of its rounds',
  kind: 'optimizer',
  source,
  killedBy: ['optimizer/event'],
  within: 1,
  plant: () => preparedOtherwise(localizedSubgradient, chargedAs(once), { params: { mostRounds: 3 } }),
});
export const xOptimizer19 = defineMutant({
  id: 'optimizer/each-phase-charged-one-draws',
  title: 'each phase is charged one of its draws',
  kind: 'optimizer',
  source,
  killedBy: ['optimizer/event'],
  within: 1,
  plant: () => preparedOtherwise(localizedSubgradient, chargedAs(once), { params: subsampled }),
});
export const xOptimizer20 = defineMutant({
  id: 'optimizer/only-first-phase-charged-not-costliest',
  title: 'only the first phase is charged, which is not the costliest',
  kind: 'optimizer',
  source,
  killedBy: ['optimizer/event'],
  within: 1,
  plant: () =>
    preparedOtherwise(
      localizedSubgradient,
      (prepare, context) =>
        restated(prepare(context), ({ event }) => {
          const [first] = (event as unknown as { readonly parts: readonly PrivacyEvent[] }).parts;
          return { event: parallelEvent([first]) };
        }),
      { params: { ...subsampled, noiseMultiplier: 1 } },
    ),
});
export const xOptimizer21 = defineMutant({
  id: 'optimizer/rounds-all-records-planned-each-own',
  title: 'rounds on all records are planned as if each had its own',
  kind: 'optimizer',
  source,
  killedBy: ['optimizer/event'],
  within: 1,
  plant: () => preparedOtherwise(noisyClippedSubgradient, chargedAs(once)),
});
export const xOptimizer22 = defineMutant({
  id: 'optimizer/every-phase-takes-records-first',
  title: 'every phase takes the records of the first',
  kind: 'optimizer',
  source,
  killedBy: ['optimizer/event'],
  within: 1,
  plant: () =>
    preparedOtherwise(
      localizedSubgradient,
      (prepare, context) => spiedRun(prepare(context), () => partitioned((batches) => batches[0])),
      { params: { mostRounds: 3 } },
    ),
});
export const xOptimizer23 = defineMutant({
  id: 'optimizer/last-block-begins-phase-block-before',
  title: 'the last block begins with a phase of the block before',
  kind: 'optimizer',
  source: 'lowy-razaviyayn: Appendix G.3',
  killedBy: ['optimizer/event'],
  within: 1,
  plant: () =>
    preparedOtherwise(localizedStronglyConvex, (prepare, context) =>
      spiedRun(prepare(context), () =>
        partitioned((batches, asked) => (asked.id === batches[batches.length - 1].id ? batches[0] : asked)),
      ),
    ),
});
export const xOptimizer24 = defineMutant({
  id: 'optimizer/one-draw-serves-all-rounds-phase-charged',
  title: 'one draw serves all rounds of a phase, charged as a draw each',
  kind: 'optimizer',
  source,
  killedBy: ['optimizer/event'],
  within: 1,
  plant: () =>
    preparedOtherwise(
      localizedSubgradient,
      (prepare, context) => {
        const run = prepare(context);
        return Object.freeze({
          ...run,
          *steps(given: Parameters<Run['steps']>[0]) {
            const steps = run.steps(given);
            const drawn = new Map<string, Batch>();
            let next = steps.next();
            while (next.done !== true) {
              const asked = next.value;
              if (asked.ask !== 'mean' || asked.sampler === undefined) {
                next = steps.next((yield asked) as Answer);
                continue;
              }
              const { sampler, batch: from, ...mean } = asked;
              const batch = drawn.get(from.id) ?? ((yield { ask: 'draw', sampler, from }) as Batch);
              drawn.set(from.id, batch);
              next = steps.next((yield { ...mean, batch }) as Answer);
            }
            return next.value;
          },
        }) as Run;
      },
      { params: subsampled },
    ),
});
export const xOptimizer25 = defineMutant({
  id: 'optimizer/draws-charged-rate-all-records-taken-phase',
  title: 'draws are charged at the rate for all records, taken at that of the phase',
  kind: 'optimizer',
  source: 'lowy-razaviyayn: Remark 13',
  killedBy: ['optimizer/event'],
  within: 1,
  plant: () =>
    preparedOtherwise(
      localizedSubgradient,
      (prepare, context) =>
        chargedAs((event) =>
          event.kind === 'core/sampled'
            ? ({
                ...event,
                sampler: { kind: 'core/poisson', rate: context.problem.slots[0] ** -0.5 },
              } as unknown as PrivacyEvent)
            : event,
        )(prepare, context),
      { params: subsampled },
    ),
});
export const xOptimizer26 = defineMutant({
  id: 'optimizer/means-all-records-charged-draws',
  title: 'means of all records are charged as if they were of draws',
  kind: 'optimizer',
  source: 'lowy-razaviyayn: Remark 13',
  killedBy: ['optimizer/event'],
  within: 1,
  plant: () =>
    preparedOtherwise(
      localizedSubgradient,
      (prepare, context) => {
        const run = prepare(context);
        return Object.freeze({
          ...run,
          *steps(given: Parameters<Run['steps']>[0]) {
            const steps = run.steps(given);
            let next = steps.next();
            while (next.done !== true) {
              const asked = next.value;
              const { sampler: _sampler, ...whole } = asked as MeanQuery;
              next = steps.next((yield asked.ask === 'mean' ? whole : asked) as Answer);
            }
            return next.value;
          },
        }) as Run;
      },
      { params: subsampled },
    ),
});
export const xOptimizer27 = defineMutant({
  id: 'optimizer/phase-ends-answer-shorter-eighth-first-though',
  title:
    'a phase ends when an answer is shorter than an eighth of the first, though stopping is said to be fixed',
  kind: 'optimizer',
  source,
  killedBy: ['optimizer/stopping', 'optimizer/event'],
  within: 12,
  plant: () =>
    preparedOtherwise(
      noisyClippedSubgradient,
      (prepare, context) => stoppingRun(prepare(context), (length, first) => length < first / 8),
      { params: { rounds: 6, stepSize: 0.25, clipNorm: 1 } },
    ),
});
export const xOptimizer28 = defineMutant({
  id: 'optimizer/gradients-records-counted-once-however-many-rounds',
  title: 'gradients of the records are counted once, however many rounds there are',
  kind: 'optimizer',
  source,
  killedBy: ['optimizer/gradients'],
  within: 8,
  plant: () =>
    preparedOtherwise(localizedSubgradient, (prepare, context) =>
      restated(prepare(context), () => ({ gradients: context.problem.slots[0] })),
    ),
});
export const xOptimizer29 = defineMutant({
  id: 'optimizer/draws-counted-expected-size-bounds-no-run',
  title: 'draws are counted by their expected size, which bounds no run',
  kind: 'optimizer',
  source: 'lowy-razaviyayn: Remark 13',
  killedBy: ['optimizer/gradients'],
  within: 8,
  plant: () =>
    preparedOtherwise(
      localizedSubgradient,
      (prepare, context) =>
        restated(prepare(context), (plan) => ({
          gradients: (plan as unknown as { readonly expectedGradients: number }).expectedGradients,
        })),
      { params: subsampled },
    ),
});
export const xOptimizer30 = defineMutant({
  id: 'optimizer/records-compared-two-points-one-gradient-counted',
  title: 'records are compared at two points, and one gradient is counted',
  kind: 'optimizer',
  source: 'generic',
  killedBy: ['optimizer/gradients', 'optimizer/event'],
  within: 8,
  plant: () =>
    preparedOtherwise(noisyClippedSubgradient, (prepare, context) =>
      spiedRun(prepare(context), () => ({
        query: (query) =>
          query.ask === 'mean'
            ? {
                ...query,
                of: {
                  ...query.of,
                  terms: [
                    ...query.of.terms,
                    { weight: -0.5, at: new Float64Array(query.of.terms[0].at.length) },
                  ],
                },
              }
            : query,
      })),
    ),
});
export const xOptimizer31 = defineMutant({
  id: 'optimizer/batches-own-each-round-planned-all-records',
  title: 'batches of its own for each round are planned, all records are asked',
  kind: 'optimizer',
  source: 'kamath-liu-zhang-2022: Theorem 5.6',
  killedBy: ['optimizer/event'],
  within: 1,
  plant: () =>
    preparedOtherwise(
      heavyTailedGradientDescent,
      (prepare, { params, ...context }) => {
        const disjoint = prepare({
          ...context,
          params: { ...(params as object), batches: 'disjoint' },
        } as never);
        const allRecords = prepare({ ...context, params } as never);
        return restated(allRecords, () => ({ event: disjoint.plan.event }));
      },
      { params: { rounds: 3, strongConvexity: 0.25, clipNorm: 1, noiseMultiplier: 2 } },
    ),
});
