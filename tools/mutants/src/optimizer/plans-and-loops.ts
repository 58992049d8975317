import { dpSgd } from '@lethe/algorithms';
import {
  ask,
  type Loops,
  type MeanQuery,
  type Program,
  type PublicPlan,
  type StoredPlan,
  type Vector,
} from '@lethe/core';
import { defineOptimizer, storedPlan, type StepsContext } from '@lethe/curator';
import { subjectsOf, type Subject } from '@lethe/laws';
import { clippedMean, gaussian, l2Clip } from '@lethe/mechanisms';
import { defined } from '@lethe/numerics';
import * as z from 'zod';
import { defineMutant } from '../mutant.js';
import { companions, preparedOtherwise } from '../reference/spied-optimizer.js';

const steps = 4;
type Context = Loops &
  Pick<StepsContext<unknown, Record<never, never>>, 'start' | 'allRecords' | 'domain'> & {
    release(factor?: number): Pick<MeanQuery, 'mean' | 'target'>;
  };

/** Gradient descent on all records, with the steps given. */
const descending = (own: (context: Context) => Program<Vector>): Subject<'optimizer'> =>
  subjectsOf(
    defineOptimizer({
      name: 'own-steps',
      summary: 'Gradient descent, with a fault.',
      source: { id: 'lethe', item: 'mutant' },
      params: z.strictObject({}),
      claims: [],
      needs: {},
      adjacencies: ['replace-one'],
      trustModels: ['central'],
      privacyRestsOn: 'clip',
      stopping: 'fixed',
      facts: {},
      plan: ({ noiseFor }) => ({ noise: noiseFor((noise) => ({ noise })), utility: null }),
      steps: ({ plan, ...context }) =>
        own({
          ...context,
          release: (factor = 1) => ({
            mean: clippedMean({ clip: l2Clip({ radius: 1 }), mechanism: gaussian({}) }),
            target: { noiseMultiplier: factor * plan.noise },
          }),
        }),
    }),
    { registry: companions },
  )[0] as Subject<'optimizer'>;

export const roundsOfTwoPrices = defineMutant({
  id: 'optimizer/rounds-said-alike-cost-more-later',
  title: 'says that its rounds are alike, and later ones ask for less noise',
  kind: 'optimizer',
  source: 'generic',
  killedBy: ['optimizer/price'],
  within: 4,
  plant: () =>
    descending(function* ({ start, allRecords, domain, release, state, rounds }) {
      const { w } = state({ w: domain.projectInto(start, start) });
      for (const t of rounds(steps)) {
        const gradient = yield* ask.mean({ at: w, batch: allRecords, ...release(t < 3 ? 1 : 0.5) });
        for (let j = 0; j < w.length; j++) w[j] -= 0.1 * gradient[j];
        domain.projectInto(w, w);
      }
      return w;
    }),
});

export const partsOfTwoPrices = defineMutant({
  id: 'optimizer/parts-of-one-size-cost-more-later',
  title: 'asks the last of equal parts twice, and the first once',
  kind: 'optimizer',
  source: 'generic',
  killedBy: ['optimizer/price'],
  within: 4,
  plant: () =>
    descending(function* ({ start, allRecords, domain, release, state, parts }) {
      const { w } = state({ w: domain.projectInto(start, start) });
      const batches = yield* ask.split({
        of: allRecords,
        order: 'shuffled',
        parts: { by: 'size', sizes: [3, 3, 3] },
      });
      for (const [t, batch] of parts(batches)) {
        for (let times = t === 3 ? 2 : 1; times > 0; times--) {
          const gradient = yield* ask.mean({ at: w, batch, ...release() });
          for (let j = 0; j < w.length; j++) w[j] -= 0.1 * gradient[j];
          domain.projectInto(w, w);
        }
      }
      return w;
    }),
});

export const momentumOutsideState = defineMutant({
  id: 'optimizer/momentum-outside-state',
  title: 'keeps its momentum in a variable that is no state',
  kind: 'optimizer',
  source: 'generic',
  killedBy: ['optimizer/resume'],
  within: 120,
  plant: () =>
    descending(function* ({ start, allRecords, domain, release, state, rounds }) {
      const { w } = state({ w: domain.projectInto(start, start) });
      const momentum = new Float64Array(w.length);
      for (const _ of rounds(steps)) {
        const gradient = yield* ask.mean({ at: w, batch: allRecords, ...release() });
        for (let j = 0; j < w.length; j++) w[j] -= 0.1 * (momentum[j] = 0.9 * momentum[j] + gradient[j]);
        domain.projectInto(w, w);
      }
      return w;
    }),
});

export const stepSizeFromPlanning = defineMutant({
  id: 'optimizer/steps-use-what-the-last-plan-left',
  title: 'takes its step size from the last plan that was made, whichever run goes on',
  kind: 'optimizer',
  source: 'generic',
  killedBy: ['optimizer/stored-plan'],
  within: 4,
  plant() {
    let last = 0.1;
    return preparedOtherwise(
      dpSgd,
      (prepare, context) => {
        last = 0.1 * context.budget.epsilon;
        const run = prepare(context);
        return { ...run, steps: (given) => slowed(run.steps(given), last) };
      },
      {
        more: {
          fromPlan: (context) => {
            const run = dpSgd.fromPlan(context);
            return { ...run, steps: (given) => slowed(run.steps(given), last) };
          },
        },
      },
    );
  },
});

/** The same steps with answers multiplied by a factor. */
function* slowed(program: Program<Vector>, factor: number): Program<Vector> {
  let next = program.next();
  while (next.done !== true) {
    const answer = yield next.value;
    next = program.next(answer instanceof Float64Array ? answer.map((x) => factor * x) : answer);
  }
  return next.value;
}

export const planOfAnyVersion = defineMutant({
  id: 'optimizer/starts-plans-of-other-versions',
  title: 'starts plans that another version of it made',
  kind: 'optimizer',
  source: 'generic',
  killedBy: ['optimizer/stored-plan'],
  within: 8,
  plant: () =>
    preparedOtherwise(dpSgd, (prepare, context) => prepare(context), {
      more: {
        fromPlan: (context) =>
          dpSgd.fromPlan({ ...context, plan: { ...context.plan, mark: context.plan.mark.slice(0, 32) } }),
      },
    }),
});

export const planNotPriced = defineMutant({
  id: 'optimizer/believes-stored-costs',
  title: 'believes what a stored plan says that it costs',
  kind: 'optimizer',
  source: 'generic',
  killedBy: ['optimizer/stored-plan'],
  within: 8,
  plant: () => believing((stated, { plan: { event, gradients } }) => ({ ...stated, event, gradients })),
});

export const planBelievedUnpriced = defineMutant({
  id: 'optimizer/believes-stored-costs-said-unpriced',
  title: 'believes what a stored plan says that it costs where the plan says that it was not priced',
  kind: 'optimizer',
  source: 'core before the price of a stored plan was looked for whatever it says',
  killedBy: ['optimizer/stored-plan'],
  within: 12,
  plant: () =>
    believing((stated, { plan: { event, gradients }, priced }) =>
      priced ? stated : { ...stated, event, gradients },
    ),
});

export const planUtilityUnchecked = defineMutant({
  id: 'optimizer/believes-stored-utility',
  title: 'takes any bound on the risk from a stored plan',
  kind: 'optimizer',
  source: 'generic',
  killedBy: ['optimizer/stored-plan'],
  within: 12,
  plant: () => believing((stated, { plan: { utility } }) => ({ ...stated, utility })),
});

/**
 * Starts stored plans that are compared with `seen`: what they say, and what was planned, where it differs.
 */
function believing(seen: (stated: PublicPlan, planned: StoredPlan) => PublicPlan): Subject<'optimizer'> {
  const planned = new Map<string, StoredPlan>();
  const keyOf = ({ budget, problem }: Pick<StoredPlan, 'budget' | 'problem'>): string =>
    JSON.stringify([budget, problem.adjacency]);
  return preparedOtherwise(
    dpSgd,
    (prepare, context) => {
      const run = prepare(context);
      planned.set(keyOf(context), storedPlan(run));
      return run;
    },
    {
      more: {
        fromPlan(context) {
          const known = defined(planned.get(keyOf(context.plan)));
          const told = seen(context.plan.plan, { ...known, priced: context.plan.priced });
          const run = dpSgd.fromPlan({ ...context, plan: { ...context.plan, plan: told, priced: true } });
          return { ...run, plan: context.plan.plan };
        },
      },
    },
  );
}
