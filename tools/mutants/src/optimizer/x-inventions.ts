import { dpFtrl, dpSgd, localizedStronglyConvex, noisyClippedAcSa } from '@lethe/algorithms';
import type { Batch, MeanQuery, Problem, Query, Run, Vector } from '@lethe/core';
import { subjectsOf, type Subject } from '@lethe/laws';
import { certifiedMean, gaussian } from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import { defineMutant } from '../mutant.js';
import { companions, preparedOtherwise, spiedRun } from '../reference/spied-optimizer.js';
import { untilQuiet } from '../reference/until-quiet.js';

const source = 'generic';
const asked = (query: Query, change: (query: MeanQuery) => Partial<MeanQuery>): Query =>
  query.ask === 'mean' ? { ...query, ...change(query) } : query;

export const xOptimizer1 = defineMutant({
  id: 'optimizer/asks-three-quarters-noise-planned',
  title: 'asks for three quarters of the noise it planned',
  kind: 'optimizer',
  source,
  killedBy: ['optimizer/event'],
  within: 1,
  plant: () =>
    preparedOtherwise(dpSgd, (prepare, context) =>
      spiedRun(prepare(context), () => ({
        query: (query) =>
          asked(query, ({ target }) => ({
            target: { noiseMultiplier: 0.75 * (target as { noiseMultiplier: number }).noiseMultiplier },
          })),
      })),
    ),
});

export const xOptimizer2 = defineMutant({
  id: 'optimizer/stops-answer-short-though-stopping-fixed',
  title: 'stops when an answer is short, though its stopping is fixed',
  kind: 'optimizer',
  source,
  killedBy: ['optimizer/stopping', 'optimizer/event'],
  within: 10,
  plant: () => subjectsOf(untilQuiet(0, 'fixed'), { registry: companions })[0] as Subject<'optimizer'>,
});

export const xOptimizer3 = defineMutant({
  id: 'optimizer/uses-first-disjoint-batches-every-round',
  title: 'uses the first of its disjoint batches in every round',
  kind: 'optimizer',
  source,
  killedBy: ['optimizer/event'],
  within: 1,
  plant: () =>
    preparedOtherwise(noisyClippedAcSa, (prepare, context) =>
      spiedRun(prepare(context), () => {
        let first: Batch | undefined;
        return {
          answer(query, answer) {
            if (query.ask === 'split') [first] = answer as readonly Batch[];
            return answer;
          },
          query: (query) =>
            query.ask === 'mean' && first !== undefined ? { ...query, batch: first } : query,
        };
      }),
    ),
});

export const xOptimizer4 = defineMutant({
  id: 'optimizer/resumes-without-mean-iterates',
  title: 'resumes without the mean of its iterates',
  kind: 'optimizer',
  source,
  killedBy: ['optimizer/resume'],
  within: 120,
  plant: () =>
    preparedOtherwise(
      dpSgd,
      (prepare, context) =>
        spiedRun(prepare(context), () => ({
          state: (own) => Object.fromEntries(Object.entries(own).filter(([name]) => name !== 'mean')),
        })),
      { params: { steps: 6, rate: 0.5, clipNorm: 1, stepSize: 0.1, average: 'polyak' } },
    ),
});

export const xOptimizer5 = defineMutant({
  id: 'optimizer/takes-last-step-forgets-project',
  title: 'takes a last step and forgets to project it',
  kind: 'optimizer',
  source,
  killedBy: ['optimizer/in-domain'],
  within: 24,
  plant: () =>
    preparedOtherwise(dpSgd, (prepare, context) =>
      spiedRun(prepare(context), () => {
        let last: Vector | null = null;
        return {
          answer(query, answer) {
            if (query.ask === 'mean') last = answer as Vector;
            return answer;
          },
          output: (point) => point.map((x, j) => x - 0.1 * (last?.[j] ?? 0)),
        };
      }),
    ),
});

export const xOptimizer6 = defineMutant({
  id: 'optimizer/adaptive-run-asks-once-more-limit-allows',
  title: 'an adaptive run asks once more than its limit allows',
  kind: 'optimizer',
  source: 'soundness: filters that overshoot',
  killedBy: ['optimizer/event'],
  within: 10,
  plant: () => subjectsOf(untilQuiet(1), { registry: companions })[0] as Subject<'optimizer'>,
});

export const xOptimizer7 = defineMutant({
  id: 'optimizer/calibrates-one-step-whole-budget',
  title: 'calibrates one step to the whole budget',
  kind: 'optimizer',
  source,
  killedBy: ['optimizer/within-budget'],
  within: 4,
  plant: () =>
    preparedOtherwise(dpSgd, (prepare, context) =>
      prepare({
        ...context,
        calibrate: (request) =>
          context.calibrate({
            ...request,
            make: (value) => {
              const { parts, ...event } = request.make(value) as unknown as {
                readonly parts: readonly { readonly count: number }[];
              };
              return { ...event, parts: parts.map((part) => ({ ...part, count: 1 })) } as never;
            },
          }),
      }),
    ),
});

export const xOptimizer8 = defineMutant({
  id: 'optimizer/counts-one-gradient-each-step',
  title: 'counts one gradient for each step',
  kind: 'optimizer',
  source,
  killedBy: ['optimizer/gradients'],
  within: 8,
  plant: () =>
    preparedOtherwise(dpSgd, (prepare, context) => {
      const run = prepare(context);
      return Object.freeze({ ...run, plan: { ...run.plan, gradients: 6 } });
    }),
});

export const xOptimizer9 = defineMutant({
  id: 'optimizer/bound-excess-risk-units-thousand-times-too',
  title: 'the bound on the excess risk in units a thousand times too large',
  kind: 'optimizer',
  source,
  killedBy: ['optimizer/utility'],
  within: 200,
  plant: () =>
    preparedOtherwise(noisyClippedAcSa, (prepare, context) => {
      const run = prepare(context);
      return Object.freeze({
        ...run,
        plan: {
          ...run.plan,
          utility: { ...defined(run.plan.utility), bound: defined(run.plan.utility).bound / 1000 },
        },
      });
    }),
});

/** Half of the bound that a plan shows. */
const halved = (optimizer: Parameters<typeof preparedOtherwise>[0], params?: unknown): Subject<'optimizer'> =>
  preparedOtherwise(
    optimizer,
    (prepare, context) => {
      const run = prepare(context);
      const { utility } = run.plan;
      return Object.freeze({
        ...run,
        plan: {
          ...run.plan,
          utility: utility === null ? null : { ...utility, bound: utility.bound / 2 },
        },
      });
    },
    { more: { claims: [] }, params },
  );

export const halfBoundOfPhases = defineMutant({
  id: 'optimizer/bound-halved-of-localized-strongly-convex',
  title: 'half of the bound on the excess risk, which nothing claims',
  kind: 'optimizer',
  source: 'generic: a constant of a proof',
  killedBy: ['optimizer/utility'],
  within: 200,
  plant: () =>
    halved(localizedStronglyConvex, {
      variant: 'subsampled',
      clipNorm: 1,
      mostRounds: 1,
      strongConvexity: 1,
      rateConstant: 1,
    }),
});

export const halfBoundOfFtrl = defineMutant({
  id: 'optimizer/bound-halved-of-dp-ftrl',
  title: 'half of the bound on the excess risk of the mean of the iterates, which nothing claims',
  kind: 'optimizer',
  source: 'generic: a constant of a proof',
  killedBy: ['optimizer/utility'],
  within: 300,
  plant: () => halved(dpFtrl, { rounds: 5, clipNorm: 6, stepSize: 0.3, average: 'polyak' }),
});

export const xOptimizer10 = defineMutant({
  id: 'optimizer/begins-last-run-ended',
  title: 'begins where the last run ended',
  kind: 'optimizer',
  source,
  killedBy: ['optimizer/record-replay'],
  within: 30,
  plant() {
    let warm: Vector | null = null;
    return preparedOtherwise(dpSgd, (prepare, context) => {
      const run = prepare(context);
      return spiedRun(
        Object.freeze({
          ...run,
          steps: (given: Parameters<typeof run.steps>[0]) =>
            run.steps({ ...given, start: warm ?? given.start }),
        }),
        () => ({ output: (point) => (warm = point.slice()) }),
      );
    });
  },
});

export const xOptimizer11 = defineMutant({
  id: 'optimizer/not-look-whether-loss-smooth',
  title: 'does not look whether the loss is smooth',
  kind: 'optimizer',
  source,
  killedBy: ['optimizer/refusals'],
  within: 4,
  plant: () =>
    preparedOtherwise(noisyClippedAcSa, (prepare, context) =>
      prepare({
        ...context,
        problem: { ...context.problem, capabilities: { ...context.problem.capabilities, smooth: true } },
      }),
    ),
});

export const xOptimizer12 = defineMutant({
  id: 'optimizer/says-clips-relies-lipschitz-constant',
  title: 'says it clips and relies on the Lipschitz constant',
  kind: 'optimizer',
  source,
  killedBy: ['optimizer/privacy-basis'],
  within: 10,
  plant: () =>
    preparedOtherwise(dpSgd, (prepare, context) =>
      spiedRun(prepare(context), () => ({
        query: (query) => asked(query, () => ({ mean: certifiedMean({ mechanism: gaussian({}) }) })),
      })),
    ),
});

export const xOptimizer13 = defineMutant({
  id: 'optimizer/plan-carries-typed-array',
  title: 'the plan carries a typed array',
  kind: 'optimizer',
  source,
  killedBy: ['optimizer/plan'],
  within: 2,
  plant: () =>
    preparedOtherwise(dpSgd, (prepare, context) => {
      const run = prepare(context);
      return Object.freeze({ ...run, plan: { ...run.plan, weights: new Float64Array(6) } });
    }),
});

export const xOptimizer14 = defineMutant({
  id: 'optimizer/learns-rows-loss-writes-one-output',
  title: 'learns the rows from the loss and writes one into its output',
  kind: 'optimizer',
  source,
  killedBy: ['optimizer/hockey-stick'],
  within: 400,
  plant() {
    let last = 0;
    const registry = companions.map((plugin) =>
      plugin.kind === 'loss' && plugin.name === 'squared'
        ? Object.freeze({
            ...plugin,
            linear: null,
            gradientInto(
              _params: unknown,
              out: Vector,
              _at: Vector,
              { features }: { readonly features: Vector },
            ) {
              last += features[0];
              out.fill(0);
            },
          })
        : plugin,
    ) as typeof companions;
    return preparedOtherwise(
      dpSgd,
      (prepare, context) =>
        spiedRun(prepare(context), () => {
          last = 0;
          return { output: (point) => point.with(0, Math.tanh(last)) };
        }),
      { registry },
    );
  },
});

const scaledByFact = (run: Run, facts: Problem['facts']): Run =>
  spiedRun(run, () => ({
    output: (point) => point.map((x) => x / (1 + 2 ** -30 * (facts['smoothness']?.value ?? 0))),
  }));

export const factBehindTheBack = defineMutant({
  id: 'optimizer/steps-by-a-fact-that-is-not-told',
  title: 'its output depends on a fact that it does not say it read',
  kind: 'optimizer',
  source,
  killedBy: ['optimizer/facts-read'],
  within: 10,
  plant: () =>
    preparedOtherwise(dpSgd, (prepare, context) => scaledByFact(prepare(context), context.problem.facts), {
      more: {
        fromPlan: (context) => scaledByFact(dpSgd.fromPlan(context), context.plan.problem.facts),
      },
    }),
});
