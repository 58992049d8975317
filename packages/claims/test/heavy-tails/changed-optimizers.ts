import type { Answer, MeanQuery, Optimizer, Program, Query, Run, Vector } from '@lethe/core';
import { plannedIn, type Planned } from '../../src/heavy-tails/runs/planned-runs.js';
import { runsSubject as shipped, type RunsSubject } from '../../src/heavy-tails/runs/subject.js';
import type { Mutant } from '../rows.js';

/** A mutant of a row, with the check that kills it. */
export const mutant = (
  row: number,
  name: string,
  title: string,
  killedBy: string,
  subject: object,
): Mutant<RunsSubject> => ({
  id: `row-C${row}/${name}`,
  title,
  row,
  killedBy: `lowy/${killedBy}`,
  subject: subject as Partial<RunsSubject>,
});

export type Context = Parameters<Optimizer['prepare']>[0];
export type Params = Readonly<Record<string, unknown>>;
/** One mistake in an optimizer. */
export type Change = (optimizer: Optimizer) => Optimizer;

const names = [
  'noisyClippedAcSa',
  'noisyClippedSgd',
  'noisyClippedProximalSgd',
  'noisyClippedSubgradient',
  'localizedSubgradient',
  'localizedStronglyConvex',
  'heavyTailedGradientDescent',
] as const;
export type Name = (typeof names)[number];

/** Some optimizers, each with the same mistake. */
export const some = (change: Change, ...of: readonly Name[]): object =>
  Object.fromEntries(of.map((name) => [name, change(shipped[name] as unknown as Optimizer)]));
/** All of them. */
export const every = (change: Change): object => some(change, ...names);

/** Prepares for another context. */
export const posed =
  (change: (context: Context, optimizer: Optimizer) => Partial<Context>): Change =>
  (optimizer) => ({
    ...optimizer,
    prepare: (context) => optimizer.prepare({ ...context, ...change(context, optimizer) }),
  });
export const withParams = (change: (params: Params, context: Context) => Params): Change =>
  posed((context) => ({
    params: { ...(context.params as Params), ...change(context.params as Params, context) },
  }));
/** Another problem. */
export const facing = (change: (problem: Context['problem']) => Partial<Context['problem']>): Change =>
  posed(({ problem }) => ({ problem: { ...problem, ...change(problem) } }));

/** Facts with other values, by their names. */
export const believing = (change: (name: string, value: number, order: number) => number | null): Change =>
  facing(({ facts }) => ({
    facts: Object.fromEntries(
      Object.entries(facts).flatMap(([name, fact]) => {
        const value = change(
          name.replace(/\.[\d.]+$/u, ''),
          fact.value,
          Number(name.replace(/^[A-Za-z]+\./u, '')),
        );
        return value === null ? [] : [[name, { ...fact, value }]];
      }),
    ),
  }));

/** Runs as it should, and says something else. */
export const saying =
  (change: (plan: Planned, context: Context) => object): Change =>
  (optimizer) => ({
    ...optimizer,
    prepare(context) {
      const run = optimizer.prepare(context);
      return { ...run, plan: { ...run.plan, ...change(plannedIn(run), context) } };
    },
  });
/** Says another bound. */
export const promising = (change: (bound: number, plan: Planned, context: Context) => number): Change =>
  saying((plan, context) => ({
    utility:
      plan.utility === null ? null : { ...plan.utility, bound: change(plan.utility.bound, plan, context) },
  }));
/** Says other numbers of phases. */
export const phased = (change: (phase: Planned['phases'][number]) => object): Change =>
  saying(({ phases }) =>
    phases === undefined ? {} : { phases: phases.map((phase) => ({ ...phase, ...change(phase) })) },
  );

interface Alteration {
  readonly query?: (query: MeanQuery, plan: Planned) => MeanQuery;
  readonly answer?: (answer: Vector, query: MeanQuery) => Vector;
  readonly output?: (output: Vector, context: Context) => Vector;
}
/** Plans as it should, and asks or moves otherwise. */
export const running =
  ({ query = (asked) => asked, answer = (given) => given, output = (end) => end }: Alteration): Change =>
  (optimizer) => ({
    ...optimizer,
    prepare(context) {
      const run = optimizer.prepare(context);
      return {
        ...run,
        *steps(options): Program<Vector> {
          const steps = run.steps(options);
          for (let next = steps.next(); ;) {
            if (next.done === true) return output(next.value, context);
            const asked: Query = next.value;
            if (asked.ask !== 'mean') {
              next = steps.next(yield asked);
              continue;
            }
            const given = yield query(asked, plannedIn(run));
            next = steps.next(answer(given as Vector, asked) as Answer);
          }
        },
      };
    },
  });

/** Plans as it should, with steps of its own. */
export const stepping =
  (
    steps: (plan: Planned, context: Context, options: Parameters<Run['steps']>[0]) => Program<Vector>,
  ): Change =>
  (optimizer) => ({
    ...optimizer,
    prepare(context) {
      const run = optimizer.prepare(context);
      return { ...run, steps: (options) => steps(plannedIn(run), context, options) };
    },
  });

/** Each entry times a factor. */
export const scaledBy =
  (factor: number) =>
  (vector: Vector): Vector =>
    vector.map((entry) => entry * factor);
