import {
  noisyAcSa,
  noisyClippedAcSa,
  noisyClippedProximalSgd,
  noisyClippedSgd,
  noisyClippedSubgradient,
} from '@lethe/algorithms';
import {
  clippedMeanEvent,
  defineLoss,
  defineMean,
  type Batch,
  type Fact,
  type Query,
  type Vector,
} from '@lethe/core';
import { squared } from '@lethe/losses';
import { certifiedMean, clippedMean as clipped, gaussian, l2Clip, mechanisms } from '@lethe/mechanisms';
import { defineMutant } from '../mutant.js';
import { companions, preparedOtherwise, spiedRun } from '../reference/spied-optimizer.js';

const source = 'lowy-razaviyayn: Algorithms 2, 7 and 9';

export const xOptimizer32 = defineMutant({
  id: 'optimizer/t-1-steps-t-batches-last-step',
  title: 'T + 1 steps on T batches: the last step takes the first batch again',
  kind: 'optimizer',
  source,
  killedBy: ['optimizer/event'],
  within: 1,
  plant: () =>
    preparedOtherwise(noisyClippedSgd, (prepare, context) =>
      spiedRun(prepare(context), () => {
        let batches: readonly Batch[] = [];
        return {
          answer(query, answer) {
            if (query.ask === 'split') batches = answer as readonly Batch[];
            return answer;
          },
          query: (query: Query) =>
            query.ask === 'mean' && query.batch.id === batches.at(-1)?.id
              ? { ...query, batch: batches[0] }
              : query,
        };
      }),
    ),
});
export const xOptimizer33 = defineMutant({
  id: 'optimizer/every-batch-asked-twice-round',
  title: 'every batch is asked twice in a round',
  kind: 'optimizer',
  source: 'generic: a line search',
  killedBy: ['optimizer/event'],
  within: 1,
  plant: () =>
    preparedOtherwise(noisyClippedProximalSgd, (prepare, context) => {
      const run = prepare(context);
      return Object.freeze({
        ...run,
        *steps(given: Parameters<typeof run.steps>[0]) {
          const steps = run.steps(given);
          let next = steps.next();
          while (next.done !== true) {
            const asked = next.value;
            if (asked.ask === 'mean') yield asked;
            next = steps.next(yield asked);
          }
          return next.value;
        },
      }) as typeof run;
    }),
});
export const xOptimizer34 = defineMutant({
  id: 'optimizer/mean-says-replacement-costs-removal',
  title: 'a plan that says a replacement costs what a removal does',
  kind: 'optimizer',
  source: 'generic',
  killedBy: ['optimizer/event'],
  within: 1,
  plant: () =>
    preparedOtherwise(noisyClippedAcSa, (prepare, context) => {
      const run = prepare(context);
      const { noiseMultiplier } = run.plan as unknown as { readonly noiseMultiplier: number };
      return { ...run, plan: { ...run.plan, event: clippedMeanEvent(2 * noiseMultiplier, 'replace-one') } };
    }),
});
export const xOptimizer35 = defineMutant({
  id: 'optimizer/mean-said-clip-relies-moment-population',
  title: 'a mean that is said to clip and relies on a moment of the population',
  kind: 'optimizer',
  source: 'lowy-razaviyayn: r_k is no bound on a gradient',
  killedBy: ['optimizer/runs', 'optimizer/privacy-basis'],
  within: 10,
  plant() {
    const saidToClip = defineMean({ ...certifiedMean, name: 'said-to-clip', privacyRestsOn: 'clip' });
    const mean = saidToClip({ mechanism: gaussian({}), fact: 'gradientMoment.2' });
    return preparedOtherwise(noisyClippedAcSa, (prepare, context) => prepare(context), {
      registry: [...companions, saidToClip],
      params: { rounds: 4, mean },
    });
  },
});
export const xOptimizer36 = defineMutant({
  id: 'optimizer/not-look-lipschitz-constant',
  title: 'does not look whom a Lipschitz constant is of',
  kind: 'optimizer',
  source: 'generic',
  killedBy: ['optimizer/privacy-basis', 'optimizer/refusals'],
  within: 60,
  plant: () =>
    preparedOtherwise(noisyAcSa, (prepare, context) =>
      prepare({
        ...context,
        problem: {
          ...context.problem,
          facts: Object.fromEntries(
            Object.entries(context.problem.facts).map(([name, fact]): [string, Fact] => [
              name,
              { ...fact, scope: 'every-record' },
            ]),
          ),
        },
      }),
    ),
});
export const xOptimizer37 = defineMutant({
  id: 'optimizer/clips-mean-length-gradients-overhears',
  title: 'clips to the mean length of the gradients it overhears',
  kind: 'optimizer',
  source: 'generic: adaptive clipping without noise',
  killedBy: ['optimizer/record-replay'],
  within: 1,
  plant() {
    let seen = 0;
    let sum = 0;
    const overheard = defineLoss({
      ...squared,
      linear: null,
      gradientInto(params, out, at, record) {
        squared.gradientInto(params, out, at, record);
        seen++;
        sum += Math.hypot(...out);
      },
    });
    return preparedOtherwise(
      noisyClippedSubgradient,
      (prepare, context) =>
        spiedRun(prepare(context), () => {
          seen = 0;
          sum = 0;
          return {
            query(query) {
              if (query.ask !== 'mean' || seen === 0) return query;
              return {
                ...query,
                mean: clipped({ clip: l2Clip({ radius: sum / seen + 0.01 }), mechanism: gaussian({}) }),
              };
            },
          };
        }),
      { registry: [...mechanisms, overheard] },
    );
  },
});
export const xOptimizer38 = defineMutant({
  id: 'optimizer/ends-one-more-step-pull-start-included',
  title: 'ends with one more step, pull to the start included, after the projection',
  kind: 'optimizer',
  source: 'lowy-razaviyayn: Algorithm 3',
  killedBy: ['optimizer/in-domain'],
  within: 24,
  plant: () =>
    preparedOtherwise(noisyClippedSubgradient, (prepare, context) =>
      spiedRun(prepare(context), () => {
        let last: Vector | null = null;
        return {
          answer(query, answer) {
            if (query.ask === 'mean') last = answer as Vector;
            return answer;
          },
          output: (point) => point.map((x, j) => x - 0.25 * ((last?.[j] ?? 0) + 0.5 * x)),
        };
      }),
    ),
});

/** Clipped so hard that a run hardly leaves its start. */
const clippedAway = { rounds: 11, clipNorm: 2 ** -10 };
export const xOptimizer39 = defineMutant({
  id: 'optimizer/bound-excess-risk-leaves-out-clipping-costs',
  title: 'the bound on the excess risk leaves out what clipping costs',
  kind: 'optimizer',
  source: 'lowy-razaviyayn: Proposition 30',
  killedBy: ['optimizer/utility'],
  within: 200,
  plant() {
    const unbiased = defineMean({ ...clipped, name: 'unbiased', biasBound: () => 0 });
    const mean = unbiased({ clip: l2Clip({ radius: 1 }), mechanism: gaussian({}) });
    return preparedOtherwise(noisyClippedAcSa, (prepare, context) => prepare(context), {
      registry: [...companions, unbiased],
      params: { ...clippedAway, mean },
    });
  },
});
