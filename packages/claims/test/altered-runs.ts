import type { Program, PublicPlan, Query, Run, Vector } from '@lethe/core';

/** One point of a query, with its weight. */
export interface Term {
  readonly weight: number;
  readonly at: Vector;
}
/** What a run asks, is told, returns, takes or plans in place of what it would. */
export interface Change {
  /** What a push or a mean asks for at step `t`, with what was asked for before. */
  readonly terms?: (
    terms: readonly Term[],
    t: number,
    before: readonly (readonly Term[])[],
  ) => readonly Term[];
  readonly answer?: (told: Vector, t: number) => Vector;
  readonly output?: (output: Vector) => Vector;
  readonly params?: (params: Record<string, unknown>) => object;
  readonly plan?: (plan: PublicPlan) => object;
}

/** An optimizer whose queries, answers, output, parameters or plan are other than it says. */
export function altered<O extends { prepare(context: never): Run }>(optimizer: O, change: Change): O {
  function* steps(inner: Program<Vector>): Program<Vector> {
    const before: (readonly Term[])[] = [];
    let step = inner.next(null as never);
    while (step.done !== true) {
      const query = step.value as Query & { readonly of?: { readonly terms: readonly Term[] } };
      const asks = query.ask === 'push' || query.ask === 'mean';
      const t = before.length;
      let asked: Query = query;
      if (asks) {
        const terms = query.of?.terms ?? [];
        asked = {
          ...query,
          of: { ...query.of, terms: change.terms?.(terms, t, before) ?? terms },
        } as unknown as Query;
        before.push(terms.map(({ weight, at }) => ({ weight, at: at.slice() })));
      }
      const told: unknown = yield asked as never;
      step = inner.next((asks ? (change.answer?.(told as Vector, t) ?? told) : told) as never);
    }
    return change.output?.(step.value) ?? step.value;
  }
  return {
    ...optimizer,
    prepare(context: { readonly params: Record<string, unknown> }) {
      const run = optimizer.prepare({
        ...context,
        params: { ...context.params, ...change.params?.(context.params) },
      } as never);
      return {
        ...run,
        plan: { ...run.plan, ...change.plan?.(run.plan) },
        steps: (given: Parameters<Run['steps']>[0]) => steps(run.steps(given)),
      };
    },
  };
}
/** A plugin with other members; plugins are functions. */
export function withMembers<P extends object>(plugin: P, change: object): P {
  const stand = (...given: readonly unknown[]): unknown =>
    (plugin as unknown as (...all: readonly unknown[]) => unknown)(...given);
  const members = Object.entries({ ...plugin, ...change });
  return Object.defineProperties(
    stand,
    Object.fromEntries(members.map(([name, value]) => [name, { value, enumerable: true }])),
  ) as unknown as P;
}

/** The same terms at moved points. */
export const moved = (terms: readonly Term[], move: (one: number) => number): readonly Term[] =>
  terms.map(({ weight, at }) => ({ weight, at: at.map(move) }));
